//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// plan is what a collective does on devices: which operands go where, and what becomes of them there.
type plan struct {
	// needs reports whether the member at place to needs operand i of that at place from; nil: all need all.
	needs func(x *exchange, i, from, to int) bool
	// do appends to a what makes the results of the member at place to, once all it needs is on its device.
	do func(x *exchange, a *cuda.Array, to int) error
	// folds are the kernels that fold an operand into a result, operand by operand.
	folds []*emit.Emission
	// exact are NCCL's all-reduces, operand by operand, if their order does not count; nil: it does.
	exact []*nccl.Op
}

// planners are the collectives that devices do among themselves.
var planners = map[hlo.Opcode]func(in *hlo.Instruction) (*plan, error){
	hlo.AllGather: planAllGather, hlo.AllReduce: planAllReduce, hlo.AllToAll: planAllToAll,
	hlo.CollectiveBroadcast: planBroadcast, hlo.CollectivePermute: planPermute, hlo.ReduceScatter: planReduceScatter,
}

// errOnHost is why a collective is the host's.
func errOnHost(in *hlo.Instruction, why string) error {
	return fmt.Errorf("%s: %w on a device: %s", in.Op, errors.ErrUnsupported, why)
}

// stripes is how arrays lie along a dimension: count rows of width bytes.
type stripes struct{ count, width int64 }

func stripesOf(s shape.Shape, d int) stripes {
	out := stripes{1, int64(s.Type.Bytes())}
	for i, n := range s.Dims {
		if i < d {
			out.count *= n
		} else {
			out.width *= n
		}
	}
	return out
}

// planAllGather joins the operands of all members. Row 113.
func planAllGather(in *hlo.Instruction) (*plan, error) {
	d, parts := int(in.Attrs.(*hlo.AllGatherAttrs).Dimension), in.OperandShapes()
	return &plan{
		do: func(x *exchange, a *cuda.Array, to int) error {
			n := int64(len(x.members))
			for i, p := range parts {
				s := stripesOf(p, d)
				for from := range x.members {
					dst := x.members[to].out[i] + cuda.Ptr(int64(from)*s.width)
					copyRows(a, dst, n*s.width, x.at(to, from, i), s.width, s)
				}
			}
			return nil
		},
	}, nil
}

// planAllToAll sends block k of each member to member k. Row 116.
func planAllToAll(in *hlo.Instruction) (*plan, error) {
	d, shapes := in.Attrs.(*hlo.AllToAllAttrs).Dimension, in.OperandShapes()
	if !d.Set {
		return transposing(), nil
	}
	return &plan{
		do: func(x *exchange, a *cuda.Array, to int) error {
			n := int64(len(x.members))
			for i, p := range shapes {
				s := stripesOf(p, int(d.Value))
				block := stripes{s.count, s.width / n}
				for from := range x.members {
					dst := x.members[to].out[i] + cuda.Ptr(int64(from)*block.width)
					copyRows(a, dst, s.width, x.at(to, from, i)+cuda.Ptr(int64(to)*block.width), s.width, block)
				}
			}
			return nil
		},
	}, nil
}

// transposing gives member k operand k of each.
func transposing() *plan {
	return &plan{
		needs: func(_ *exchange, i, _, to int) bool { return i == to },
		do: func(x *exchange, a *cuda.Array, to int) error {
			for from := range x.members {
				a.Copy(word(x.members[to].out[from]), word(x.at(to, from, to)), x.t.operands[to].Size)
			}
			return nil
		},
	}
}

// planPermute hands each member its source's operands, or zeros. Row 117.
func planPermute(in *hlo.Instruction) (*plan, error) {
	sizes, err := in.Attrs.(*hlo.CollectivePermuteAttrs).Slices()
	if err != nil || sizes != nil {
		return nil, errors.Join(err, errOnHost(in, "it writes into a part of an operand"))
	}
	return &plan{
		needs: func(x *exchange, _, from, to int) bool { return x.teams[to].Source == from },
		do: func(x *exchange, a *cuda.Array, to int) error {
			from := x.teams[to].Source
			for i, out := range x.members[to].out {
				if from < 0 {
					a.Fill(word(out), x.t.operands[i].Size, 0)
				} else {
					a.Copy(word(out), word(x.at(to, from, i)), x.t.operands[i].Size)
				}
			}
			return nil
		},
	}, nil
}

// planBroadcast hands the members the operands of the first.
func planBroadcast(in *hlo.Instruction) (*plan, error) {
	if in.Attrs.(*hlo.CollectiveBroadcastAttrs).HasDynamicRoot {
		return nil, errOnHost(in, "an operand says who the root is")
	}
	return &plan{
		needs: func(_ *exchange, _, from, _ int) bool { return from == 0 },
		do: func(x *exchange, a *cuda.Array, to int) error {
			for i, out := range x.members[to].out {
				a.Copy(word(out), word(x.at(to, 0, i)), x.t.operands[i].Size)
			}
			return nil
		},
	}, nil
}

// planAllReduce gives all members the fold of their operands, in the order of the group. Rows 114 and 115.
func planAllReduce(in *hlo.Instruction) (*plan, error) {
	c := in.Attrs.(*hlo.AllReduceAttrs).ToApply
	folds, err := foldsOf(in, c)
	return &plan{folds: folds, exact: exactOf(in, c), do: func(x *exchange, a *cuda.Array, to int) error {
		for i, out := range x.members[to].out {
			size := x.t.operands[i].Size
			if first := x.firstBeside(to); first != to { // it has the answer
				a.Copy(word(out), word(x.members[first].out[i]), size)
				continue
			}
			a.Copy(word(out), word(x.at(to, 0, i)), size)
			for from := 1; from < len(x.members); from++ {
				x.fold(a, i, out, x.at(to, from, i))
			}
		}
		return nil
	}}, err
}

// exactTypes and exactOps are those of which NCCL's all-reduce has the same bits in any order.
var (
	exactTypes = map[shape.ElementType]nccl.Type{shape.S8: nccl.Int8, shape.U8: nccl.Uint8, shape.S32: nccl.Int32,
		shape.U32: nccl.Uint32, shape.S64: nccl.Int64, shape.U64: nccl.Uint64}
	exactOps = map[hlo.Opcode]nccl.Reduction{hlo.Add: nccl.Sum, hlo.Multiply: nccl.Product, hlo.Maximum: nccl.Max,
		hlo.Minimum: nccl.Min}
)

// exactOf returns the all-reduces of NCCL that do what an all-reduce with c does, nil if there are none.
func exactOf(in *hlo.Instruction, c *hlo.Computation) []*nccl.Op {
	r := c.Root
	reduction, ok := exactOps[r.Op]
	if !ok || len(c.Parameters) != 2 || r.Operands[0] == r.Operands[1] ||
		!slices.Contains(c.Parameters, r.Operands[0]) || !slices.Contains(c.Parameters, r.Operands[1]) {
		return nil
	}
	var list []*nccl.Op
	for _, s := range in.ResultShapes() {
		t, ok := exactTypes[s.Type]
		if !ok {
			return nil
		}
		list = append(list, &nccl.Op{Kind: nccl.AllReduce, Count: s.Size(), Type: t, Reduction: reduction})
	}
	return list
}

// planReduceScatter gives member k block k of the fold. Row 118.
func planReduceScatter(in *hlo.Instruction) (*plan, error) {
	at, shapes := in.Attrs.(*hlo.ReduceScatterAttrs), in.OperandShapes()
	d := int(at.Dimension)
	folds, err := foldsOf(in, at.ToApply)
	return &plan{
		folds: folds,
		do: func(x *exchange, a *cuda.Array, to int) error {
			for i, out := range x.members[to].out {
				s := stripesOf(shapes[i], d)
				block := stripes{s.count, s.width / int64(len(x.members))}
				piece, err := x.allocate(x.members[to].device, block.count*block.width)
				if err != nil {
					return err
				}
				for from := range x.members {
					dst := piece
					if from == 0 {
						dst = out
					}
					src := x.at(to, from, i) + cuda.Ptr(int64(to)*block.width)
					copyRows(a, dst, block.width, src, s.width, block)
					if from > 0 {
						x.fold(a, i, out, piece)
					}
				}
			}
			return nil
		},
	}, err
}

func word(p cuda.Ptr) cuda.Value { return cuda.Word(int64(p)) }

// copyRows appends copies of the rows of s, which lie so many bytes apart.
func copyRows(a *cuda.Array, dst cuda.Ptr, dstPitch int64, src cuda.Ptr, srcPitch int64, s stripes) {
	a.CopyRows(word(dst), dstPitch, word(src), srcPitch, s.width, s.count)
}

// foldsOf returns the kernels that fold results with c: element by element, each step rounded as c says.
func foldsOf(in *hlo.Instruction, c *hlo.Computation) ([]*emit.Emission, error) {
	var list []*emit.Emission
	for i, s := range in.ResultShapes() {
		if c.Root.Shape.Type != s.Type || in.Operands[i].Shape.Type != s.Type {
			return nil, errOnHost(in, "its reducer computes in another type")
		}
		s = s.WithoutLayout()
		x, y := &hlo.Instruction{Op: hlo.Parameter, Shape: s}, &hlo.Instruction{Op: hlo.Parameter, Shape: s}
		dims := make([]int64, len(s.Dims))
		for d := range dims {
			dims[d] = int64(d)
		}
		e, err := emit.Lower(&hlo.Instruction{Op: hlo.Map, Name: in.Name, Shape: s, Operands: []*hlo.Instruction{x, y},
			Attrs: &hlo.MapAttrs{Dimensions: dims, ToApply: c}})
		if err != nil {
			return nil, err
		}
		if !foldsInPlace(e) {
			return nil, errOnHost(in, "its reducer takes more than one kernel")
		}
		list = append(list, e)
	}
	return list, nil
}

// foldsInPlace reports whether e is kernels alone, which may write the result over the first operand.
func foldsInPlace(e *emit.Emission) bool {
	for _, s := range e.Steps {
		if s.Kernel == nil {
			return false
		}
	}
	for _, p := range e.InPlace {
		if p == (emit.Alias{}) {
			return len(e.Scratch)+len(e.Tables) == 0
		}
	}
	return len(e.Steps) == 0
}

// fold appends the kernel that folds the array at from into that at into, which is result i.
func (x *exchange) fold(a *cuda.Array, i int, into, from cuda.Ptr) {
	for _, s := range x.t.plan.folds[i].Steps {
		k := s.Kernel
		l := cuda.Launch{Function: x.t.built.functions[k.Name], Grid: k.Grid, Block: k.Block, Shared: k.Shared}
		for _, b := range k.Args {
			p := into
			if b.Kind == emit.Operand && b.Index == 1 {
				p = from
			}
			l.Params = append(l.Params, word(p))
		}
		a.Launch(l)
	}
}

// lowerExchanging returns the thunk of a collective that devices do among themselves; nil if that is the host's.
func lowerExchanging(_ *device, l *exec.Lowering) (exec.Thunk, error) {
	planner := planners[l.In.Op]
	if planner == nil {
		return nil, nil
	}
	p, err := planner(l.In)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &exchanging{plan: p, in: l.In, results: l.Results()}
	for i := range l.In.Operands {
		t.operands = append(t.operands, l.Operands(i)...)
	}
	t.program = hlo.MeetingText(l.In, l.In.OperandShapes()) + ", on GPUs"
	return t, nil
}
