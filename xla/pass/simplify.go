package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// rule looks at in, which is not part of the new computation yet and has operands that are, and returns what stands for
// it: an instruction of the new computation, or one that it makes. It returns nil if in is none of its business.
type rule func(s *simplifier, in *hlo.Instruction) *hlo.Instruction

// ruleTable has the rules of each op in the order in which they are tried.
type ruleTable [hlo.NumOps][]rule

// rewritePass is the pass that applies the rules of a table everywhere, in one sweep: what a rule makes goes through
// the rules itself. Dynamic instructions and the ends of control dependencies stay as they are, and so does a
// sharding that what would stand for the instruction does not have.
func rewritePass(name string, table *ruleTable) Pass {
	return Pass{Name: name, Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			s := &simplifier{editor: e, table: table}
			for _, in := range e.old.Instructions {
				s.visit(in)
			}
		}), nil
	}}
}

// maxRuleDepth bounds how deep rules work on what rules made.
const maxRuleDepth = 24

// simplifier applies rules to one computation.
type simplifier struct {
	*editor
	table *ruleTable
	depth int
	// like is the instruction whose place and metadata new ones get.
	like *hlo.Instruction
}

func (s *simplifier) visit(in *hlo.Instruction) {
	n := s.clone(in)
	s.like = n
	mark := len(s.out)
	r := s.apply(n)
	switch {
	case r == nil:
		r = s.add(n)
	case len(s.out) > mark && s.out[len(s.out)-1] == r:
		s.dirty = true
		inherit(r, n)
	case in.Common != nil && in.Common.Sharding != "" && (r.Common == nil || r.Common.Sharding != in.Common.Sharding):
		r = s.add(n)
	default:
		s.dirty = true
	}
	s.now[in.Index()] = r
}

// apply returns what stands for in by the first rule that fits, or nil.
func (s *simplifier) apply(in *hlo.Instruction) *hlo.Instruction {
	if len(s.table[in.Op]) == 0 || s.isPinned(in) || in.IsDynamic() ||
		slices.ContainsFunc(in.Operands, (*hlo.Instruction).IsDynamic) { // rules look through operands
		return nil
	}
	mark, dirty := len(s.out), s.dirty
	for _, r := range s.table[in.Op] {
		if n := r(s, in); n != nil {
			return n
		}
		s.out, s.dirty = s.out[:mark], dirty // what a rule made before it found that it does not fit
	}
	return nil
}

// op makes an instruction, or what stands for it by the rules. told is as for hlo.NewInstruction.
func (s *simplifier) op(op hlo.Opcode, a hlo.Attrs, told shape.Shape, operands ...*hlo.Instruction) *hlo.Instruction {
	if s.depth < maxRuleDepth && len(s.table[op]) > 0 {
		in, err := hlo.NewInstruction(op, a, told, operands, s.like.Pos)
		if err != nil {
			panic(bug{err})
		}
		s.depth++
		r := s.apply(in)
		s.depth--
		if r != nil {
			return r
		}
	}
	return s.make(s.like, op, a, told, operands...)
}

// plainOp is op for ops that need nothing but operands.
func (s *simplifier) plainOp(op hlo.Opcode, operands ...*hlo.Instruction) *hlo.Instruction {
	return s.op(op, nil, shape.Shape{}, operands...)
}

// constant makes a constant.
func (s *simplifier) constant(l *literal.Literal) *hlo.Instruction {
	return s.make(s.like, hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
}

// filled makes an array of shape sh whose elements are all the scalar l.
func (s *simplifier) filled(l *literal.Literal, sh shape.Shape) *hlo.Instruction {
	c := s.constant(l)
	if len(sh.Dims) == 0 {
		return c
	}
	return s.make(s.like, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: []int64{}}, shape.Array(sh.Type, sh.Dims...), c)
}

// zeros makes an array like in of zeros, ones makes one of ones.
func (s *simplifier) zeros(in *hlo.Instruction) *hlo.Instruction {
	return s.filled(literal.Zero(in.Shape.Type), in.Shape)
}

func (s *simplifier) ones(in *hlo.Instruction) *hlo.Instruction {
	return s.filled(literal.One(in.Shape.Type), in.Shape)
}

// users returns how many uses in has in the old computation; what rules made counts as used once.
func (s *simplifier) users(in *hlo.Instruction) int {
	if i := in.Index(); i < len(s.now) && s.now[i] == in {
		return s.old.Instructions[i].Users()
	}
	return 1
}

// Simplify applies rules of algebra that hold for every value: infinities, NaNs and zeros of either sign, integers that
// wrap. Where a float comes out differently at all, it is within the op's tolerance. The tables of rules_*.go have the
// rules. Ops on small constants are done, as Fold does.
func Simplify() Pass { return rewritePass("simplify", simplifications()) }

// simplifications puts the tables of all families together.
func simplifications() *ruleTable {
	var t ruleTable
	for _, family := range []map[hlo.Opcode][]rule{arithmeticRules, logicRules, movementRules, sliceRules, indexRules,
		reduceRules, dotRules, iotaRules} {
		for op, rules := range family {
			t[op] = append(t[op], rules...)
		}
	}
	for op := range t {
		if info := hlo.Opcode(op).Info(); info.Traits&hlo.Elementwise != 0 {
			t[op] = append(t[op], throughBroadcast)
		}
	}
	addFolding(&t)
	return &t
}
