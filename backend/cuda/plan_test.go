//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
)

// TestPlans compares the plans of a few programs with what they were: what is submitted at once, the commands, the slots
// that they read and write, and where in a program's memory these lie.
func TestPlans(t *testing.T) {
	d, err := open(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	defer d.Close()
	testfile.Run(t, "testdata/plans.txt", func(t *testing.T, c *testfile.Case) {
		m := &planning{machine: &machine{d}}
		p, err := exec.New(m).Compile(context.Background(), parsed(t, c.Source()), withLAPACK)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		c.Golden(t, m.plan.String())
	})
}

// planning is the machine, which writes plans and compiles no kernels.
type planning struct {
	*machine
	plan strings.Builder
}

func (m *planning) Build(b *exec.Build) error {
	new(built).take(b.Thunks)
	fmt.Fprintf(&m.plan, "%d bytes:", b.Places.Bytes)
	for slot, at := range b.Places.Offsets {
		if at >= 0 {
			fmt.Fprintf(&m.plan, " s%d at %d", slot, at)
		}
	}
	m.plan.WriteString("\n")
	return nil
}

// repeated and chosen are control flow with the thunks in it.
type repeated struct {
	*looping
	cond, body []exec.Thunk
}

type chosenFrom struct {
	*choosing
	branches [][]exec.Thunk
}

func (m *planning) While(cond []exec.Thunk, again exec.Slice, body []exec.Thunk) exec.Thunk {
	return &repeated{m.machine.While(cond, again, body).(*looping), cond, body}
}

// countedOf is a loop that counts with the thunks in it.
type countedOf struct {
	*counting
	body []exec.Thunk
}

func (m *planning) Count(c exec.Count, body []exec.Thunk) exec.Thunk {
	return &countedOf{m.machine.Count(c, body).(*counting), body}
}

func (m *planning) Conditional(index exec.Slice, isPred bool, branches [][]exec.Thunk) exec.Thunk {
	return &chosenFrom{m.machine.Conditional(index, isPred, branches).(*choosing), branches}
}

func (m *planning) Segment(list []exec.Thunk) exec.Segment {
	m.plan.WriteString("segment\n")
	m.tell(list, "  ")
	return m.machine.Segment(list)
}

func slots(list ...exec.Slice) string {
	var out []string
	for _, s := range list {
		text := fmt.Sprintf("s%d", s.Slot)
		if s.Offset != 0 {
			text += fmt.Sprintf("+%d", s.Offset)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (m *planning) tell(list []exec.Thunk, indent string) {
	for _, t := range list {
		switch t := t.(type) {
		case *thunk:
			for _, s := range t.emission.Steps {
				fmt.Fprintf(&m.plan, "%s%s\n", indent, t.told(s))
			}
		case *copying:
			fmt.Fprintf(&m.plan, "%scopy %s from %s, %d bytes\n", indent, slots(t.dst), slots(t.src), t.dst.Size)
		case *repeated:
			fmt.Fprintf(&m.plan, "%swhile %s of\n", indent, slots(t.again))
			m.tell(t.cond, indent+"  ")
			fmt.Fprintf(&m.plan, "%sdo\n", indent)
			m.tell(t.body, indent+"  ")
		case *countedOf:
			fmt.Fprintf(&m.plan, "%s%d times with %s\n", indent, t.Trips, slots(t.At))
			m.tell(t.body, indent+"  ")
		case *chosenFrom:
			for i, b := range t.branches {
				fmt.Fprintf(&m.plan, "%sbranch %d of %s\n", indent, i, slots(t.index))
				m.tell(b, indent+"  ")
			}
		default:
			fmt.Fprintf(&m.plan, "%s%T\n", indent, t)
		}
	}
}

var hash = regexp.MustCompile(`_[0-9a-f]{12}$`)

// told is a step as text: what a library or a kernel does, and with which slots.
func (t *thunk) told(s emit.Step) string {
	at := func(list ...emit.Buffer) string {
		var out []exec.Slice
		for _, b := range list {
			if b.Kind < emit.Seed {
				out = append(out, t.memory[b.Kind][b.Index])
			}
		}
		return slots(out...)
	}
	switch {
	case s.Kernel != nil:
		return fmt.Sprintf("%s, %d blocks of %d: %s", hash.ReplaceAllString(s.Kernel.Name, ""), s.Kernel.Grid[0],
			s.Kernel.Block[0], at(s.Kernel.Args...))
	case s.Copy != nil:
		return fmt.Sprintf("copy %s from %s, %d bytes", at(s.Copy.Dst), at(s.Copy.Src), s.Copy.Bytes)
	case s.Fill != nil:
		return fmt.Sprintf("fill %s, %d bytes", at(s.Fill.Dst), s.Fill.Bytes)
	case s.Gemm != nil:
		return fmt.Sprintf("%s: %s to %s, workspace %s", t.kernel, at(s.Gemm.A.Buffer, s.Gemm.B.Buffer),
			at(s.Gemm.C.Buffer), at(s.Gemm.Work))
	case s.Fft != nil:
		return fmt.Sprintf("%s: %s to %s, work area %s", t.kernel, at(s.Fft.From), at(s.Fft.To), at(s.Fft.Work))
	case s.Conv != nil:
		return fmt.Sprintf("%s: %s to %s, workspace %s", t.kernel, at(s.Conv.X.Buffer, s.Conv.W.Buffer),
			at(s.Conv.Y.Buffer), at(s.Conv.Work))
	}
	if s.Trsm != nil {
		return fmt.Sprintf("%s: %s to %s, workspace %s", t.kernel, at(s.Trsm.A), at(s.Trsm.X), at(s.Trsm.Work))
	}
	return fmt.Sprintf("%s: %s, work space %s", t.kernel, at(s.Solve.A.Buffer, s.Solve.Info.Buffer), at(s.Solve.Work))
}
