package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerScan runs a scan whose computation works on each element of its arrays by itself: every element is a line of a
// recurrence. The carries are in the memory of the results.
func lowerScan(l *exec.Lowering) (exec.Thunk, error) {
	a := attrsOf[*hlo.ScanAttrs](l)
	m, d := len(l.In.Operands)-int(a.NumCarries), int(a.Dimension)
	dims := operandShape(l, 0).Dims
	outer, rounds, inner := kernel.Around(dims, d)
	lane := slices.Delete(slices.Clone(dims), d, d+1)
	step, err := scalar.CompileLane(a.ToApply, lane)
	if err != nil {
		return nil, unsupportedComputation(a.ToApply, err)
	}
	carries := l.In.Operands[m:]
	types := make([]shape.ElementType, len(carries))
	for i, c := range carries {
		types[i] = c.Shape.Type
	}
	start, err := converting(types, types)
	if err != nil {
		return nil, err
	}
	s := &sweep{lines: outer * inner, inner: inner, rounds: rounds, start: start, step: step}
	results, outs := l.Results(), len(l.Results())-len(carries)
	var last []line
	for i, c := range carries {
		w := widthOf(c.Shape)
		last = append(last, line{results[outs+i], 0, inner * w, w, 0})
		s.startStreams = append(s.startStreams, line{l.Operand(m + i), 0, inner * w, w, 0})
	}
	s.startStreams = append(s.startStreams, last...)
	uses := exec.Writes(results...)
	for i := range l.In.Operands {
		uses = append(uses, exec.Reads(l.Operand(i))...)
		if i < m {
			s.stepStreams = append(s.stepStreams, lineOf(l.Operand(i), widthOf(operandShape(l, i)), rounds, inner, a.IsReverse))
		}
	}
	s.stepStreams = append(s.stepStreams, last...)
	for i, r := range results[:outs] {
		s.stepStreams = append(s.stepStreams, lineOf(r, step.Results[i].Bytes(), rounds, inner, a.IsReverse))
	}
	s.stepStreams = append(s.stepStreams, last...)
	return s.thunk("scan by program", uses), nil
}
