package exec

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// referenceThunk evaluates one instruction by its definition, on copies of its operands: what the definition hands to
// other devices, to the host and to functions behind custom calls outlives the memory here.
type referenceThunk struct {
	in       *hlo.Instruction
	operands []value
	results  value
}

func newReferenceThunk(in *hlo.Instruction, operands []value, results value) *referenceThunk {
	return &referenceThunk{in, operands, results}
}

func (t *referenceThunk) Kernel() string { return "reference" }

// hostThunk is what belongs on the host: that it runs there is no want of a kernel.
type hostThunk struct {
	referenceThunk
	kernel string
}

func (t *hostThunk) Kernel() string { return t.kernel }

func (t *referenceThunk) Uses() []Use {
	var list []Use
	for _, o := range t.operands {
		list = append(list, Reads(o.slices()...)...)
	}
	return append(list, Writes(t.results.slices()...)...)
}

func (t *referenceThunk) Run(r *Run) error {
	args := make([]*literal.Literal, len(t.operands))
	for i, o := range t.operands {
		args[i], _ = r.assemble(t.in.Operands[i].Shape, o)
	}
	return t.evaluate(r, args)
}

// evaluate runs the definition.
func (t *referenceThunk) evaluate(r *Run, args []*literal.Literal) error {
	var out *literal.Literal
	evaluate := func() (err error) {
		out, err = r.Evaluator().Instruction(t.in, args)
		return err
	}
	if err := t.within(r, evaluate); err != nil {
		return err
	}
	return t.store(r, out)
}

// store writes the leaves of out to the results.
func (t *referenceThunk) store(r *Run, out *literal.Literal) error {
	for i, l := range out.Leaves() {
		if err := r.fill(t.results[i], l); err != nil {
			return err
		}
	}
	return nil
}

// waits are the ops that wait for other devices, for the host or for functions of the user.
var waits = [hlo.NumOps]bool{
	hlo.AllGather: true, hlo.AllReduce: true, hlo.AllToAll: true, hlo.CollectiveBroadcast: true,
	hlo.CollectivePermute: true, hlo.CollectiveReduce: true, hlo.CustomCall: true, hlo.Infeed: true, hlo.Outfeed: true,
	hlo.RaggedAllToAll: true, hlo.Recv: true, hlo.RecvDone: true, hlo.ReduceScatter: true, hlo.Send: true,
	hlo.SendDone: true,
}

// within calls f, without the executor's seat if it may wait.
func (t *referenceThunk) within(r *Run, f func() error) error {
	if waits[t.in.Op] {
		return r.Wait(f)
	}
	return f()
}

// assemble makes a value of shape s of the first leaves and returns the rest.
func (r *Run) assemble(s shape.Shape, v value) (*literal.Literal, value) {
	if !s.IsTuple() {
		return r.leaf(v[0]), v[1:]
	}
	elems := make([]*literal.Literal, len(s.Elems))
	for i, e := range s.Elems {
		elems[i], v = r.assemble(e, v)
	}
	return literal.NewTuple(elems...), v
}
