package exec

import (
	"errors"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ownFunc handles an op that exec does itself, or says that it is not done.
type ownFunc func(c *compiler, s *scope, in *hlo.Instruction) (v value, done bool, err error)

// own are the ops that only rename values, and control flow.
var own [hlo.NumOps]ownFunc

// init fills the table: control flow reaches it back through the computations that it calls.
func init() {
	own = [hlo.NumOps]ownFunc{
		hlo.AddDependency:          firstOperand,
		hlo.AfterAll:               noMemory,
		hlo.AllGatherDone:          startedResult,
		hlo.AllGatherStart:         started(hlo.AllGather),
		hlo.AllReduceDone:          firstOperand,
		hlo.AllReduceStart:         startedAlone(hlo.AllReduce),
		hlo.AsyncDone:              startedResult,
		hlo.AsyncStart:             asyncStart,
		hlo.AsyncUpdate:            firstOperand,
		hlo.Bitcast:                sameBytes,
		hlo.BitcastConvert:         sameBytes,
		hlo.Call:                   call,
		hlo.CollectivePermuteDone:  startedResult,
		hlo.CollectivePermuteStart: started(hlo.CollectivePermute),
		hlo.Conditional:            conditional,
		hlo.Constant:               constantValue,
		hlo.Copy:                   firstOperand,
		hlo.CopyDone:               copyDone,
		hlo.CopyStart:              copyStart,
		hlo.CustomCall:             customCall,
		hlo.Domain:                 firstOperand,
		hlo.Fusion:                 fusion,
		hlo.GetTupleElement:        tupleElement,
		hlo.OptimizationBarrier:    firstOperand,
		hlo.Parameter:              parameterValue,
		hlo.Reshape:                sameBytes,
		hlo.Tuple:                  tuple,
		hlo.While:                  while,
	}
}

// Owns reports whether exec runs op itself, on every machine: what only renames bytes, control flow, and what takes its
// sizes from operands, of which exec makes the static op when it runs.
func Owns(op hlo.Opcode) bool { return own[op] != nil || hlo.TakesSizes(op) }

func firstOperand(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	return s.values[in.Operands[0]], true, nil
}

func noMemory(c *compiler, _ *scope, in *hlo.Instruction) (value, bool, error) {
	v, err := c.newValue(in.Shape)
	return v, true, err
}

func parameterValue(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	return s.args[in.Attrs.(*hlo.ParameterAttrs).Number], true, nil
}

func constantValue(c *compiler, _ *scope, in *hlo.Instruction) (value, bool, error) {
	var v value
	for _, l := range in.Attrs.(*hlo.ConstantAttrs).Literal.Leaves() {
		v = append(v, c.constantLeaf(l))
	}
	return v, true, nil
}

func tuple(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	return concat(s.operands(in)), true, nil
}

func tupleElement(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	o := in.Operands[0]
	return s.values[o].element(o.Shape, in.Attrs.(*hlo.GetTupleElementAttrs).Index), true, nil
}

// sameBytes is for ops whose result has the operand's bytes under another static shape.
func sameBytes(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	o := in.Operands[0]
	from := s.values[o]
	if len(from) != 1 || c.slots[from[0].Slot].kind == boxed || in.Shape.IsDynamic() || o.Shape.IsDynamic() {
		return nil, false, nil
	}
	to := shape.Array(in.Shape.Type, in.Shape.Dims...)
	n, err := to.ByteSize()
	if err != nil || n != from[0].Size || !keepsBytes(in) {
		return nil, false, err
	}
	return value{{from[0].Slice, to}}, true, nil
}

// keepsBytes reports whether the op does not touch the bytes of a dense row-major array.
func keepsBytes(in *hlo.Instruction) bool {
	from, to := in.Operands[0].Shape, in.Shape
	whole := func(t shape.ElementType) bool { return t.Bits()%8 == 0 && t != shape.Pred }
	switch in.Op {
	case hlo.Bitcast:
		return plain(from) && plain(to) && (from.Type == to.Type || whole(from.Type) && whole(to.Type))
	case hlo.BitcastConvert:
		return from.Type == to.Type || whole(from.Type) && whole(to.Type)
	}
	return true
}

// plain reports whether an array with the layout of s lies dense and row-major.
func plain(s shape.Shape) bool {
	y := s.Layout
	if y == nil {
		return true
	}
	if len(y.Tiles) > 0 || y.PaddedDims != nil || y.ElementBits != 0 || y.Tail > 1 {
		return false
	}
	return slices.IsSortedFunc(y.MinorToMajor, func(a, b int64) int { return int(b - a) })
}

func startedResult(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	o := in.Operands[0]
	return s.values[o].element(o.Shape, 1), true, nil
}

// contexts are the elements of a start's value from number from on, which are zero.
func contexts(c *compiler, s shape.Shape, from int) (value, error) {
	var v value
	for _, e := range s.Elems[min(from, len(s.Elems)):] {
		l, err := literal.New(e.WithoutLayout())
		if err != nil {
			return nil, err
		}
		for _, leaf := range l.Leaves() {
			v = append(v, c.constantLeaf(leaf))
		}
	}
	return v, nil
}

func copyStart(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	from := s.values[in.Operands[0]]
	rest, err := contexts(c, in.Shape, 2)
	return slices.Concat(from, from, rest), true, err
}

func copyDone(_ *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	o := in.Operands[0]
	return s.values[o].element(o.Shape, 0), true, nil
}

// startedAlone does a started op at once; the start's value is the result.
func startedAlone(op hlo.Opcode) ownFunc {
	return func(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
		now := *in
		now.Op = op
		v, err := c.instruction(s, &now)
		return v, true, err
	}
}

// started does a started op at once; the start's value is (operands, results, contexts...).
func started(op hlo.Opcode) ownFunc {
	return func(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
		if len(in.Shape.Elems) < 2 {
			return nil, false, errors.New("the result is no tuple of operands and results")
		}
		now := *in
		now.Op, now.Shape = op, in.Shape.Elems[1]
		v, err := c.instruction(s, &now)
		if err != nil {
			return nil, false, err
		}
		rest, err := contexts(c, in.Shape, 2)
		return slices.Concat(concat(s.operands(in)), v, rest), true, err
	}
}

// asyncStart calls the computation at once: ((operands...), result, contexts...).
func asyncStart(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	args := s.operands(in)
	v, err := c.computation(s.block, in.Attrs.(*hlo.AsyncAttrs).Calls, args)
	if err != nil {
		return nil, false, err
	}
	rest, err := contexts(c, in.Shape, 2)
	return slices.Concat(concat(args), v, rest), true, err
}

func call(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	v, err := c.computation(s.block, in.Attrs.(*hlo.CallAttrs).ToApply, s.operands(in))
	return v, true, err
}

// whole asks the machine for a thunk of an op that exec can do in pieces.
func (c *compiler) whole(s *scope, in *hlo.Instruction) (v value, done bool, err error) {
	v, err = c.newValue(in.Shape)
	if err != nil || isDynamic(s, in, v, c) {
		return v, false, err
	}
	if err := c.machineThunk(s, in, v); !errors.Is(err, errors.ErrUnsupported) {
		return v, true, err
	}
	return nil, false, nil
}

// fusion is the machine's if it has a kernel for it whole, else a call.
func fusion(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	if v, done, err := c.whole(s, in); done || err != nil {
		return v, done, err
	}
	v, err := c.computation(s.block, in.Attrs.(*hlo.FusionAttrs).Calls, s.operands(in))
	return v, true, err
}
