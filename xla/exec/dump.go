package exec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// improve runs the machine's passes on m.
func (b *backend) improve(ctx context.Context, m *hlo.Module, o Options) (*hlo.Module, error) {
	d := dumper{dir: o.DumpTo}
	if err := d.module("input", m); err != nil {
		return nil, err
	}
	after := func(_ int, p pass.Pass, m *hlo.Module, changed bool) error {
		if !changed {
			return nil
		}
		return d.module(p.Name, m)
	}
	return pass.Run(ctx, m, b.machine.Passes(), pass.Options{Verify: o.Verify, After: after})
}

// dumper writes the stages of a compile to a folder, numbered; "" is none.
type dumper struct {
	dir   string
	count int
}

// module writes m as text that can be read back.
func (d *dumper) module(name string, m *hlo.Module) error {
	if d.dir == "" {
		return nil
	}
	d.count++
	return writeFile(d.dir, fmt.Sprintf("%02d.%s.hlo", d.count-1, name), m.Text())
}

func writeFile(dir, name, text string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
}

// dump writes the steps and where their values lie.
func (p *program) dump() error {
	if p.options.DumpTo == "" {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "arena %d bytes, peak %d bytes, %d bytes live at most\n", p.arenaBytes, p.peakBytes, p.livenessBytes)
	p.body.write(&b, p.slots, "")
	return writeFile(p.options.DumpTo, "assignment.txt", b.String())
}

func (b *block) write(w *strings.Builder, slots []slot, indent string) {
	for _, st := range b.steps {
		fmt.Fprintf(w, "%s%s", indent, st.label())
		for _, u := range st.uses() {
			what := "reads"
			if u.Write {
				what = "writes"
			}
			fmt.Fprintf(w, ", %s %s", what, slots[u.Slice.Slot].place(u.Slice))
		}
		w.WriteString("\n")
		if n, ok := st.thunk.(nested); ok {
			for i, inner := range n.blocks() {
				fmt.Fprintf(w, "%s  part %d:\n", indent, i)
				inner.write(w, slots, indent+"    ")
			}
		}
	}
}

var kindNames = [...]string{"arena", "parameter", "result", "constant", "box"}

// place says where a slice of the slot lies: the region, and the bytes from and to.
func (s slot) place(part Slice) string {
	switch s.kind {
	case temporary:
		if s.host != NoSlot {
			return fmt.Sprintf("memory of slot %d[%d:%d]", s.host, s.offset+part.Offset,
				s.offset+part.Offset+part.Size)
		}
		return fmt.Sprintf("arena[%d:%d]", s.offset+part.Offset, s.offset+part.Offset+part.Size)
	case parameter, result:
		return fmt.Sprintf("%s %d[%d:%d]", kindNames[s.kind], s.index, part.Offset, part.Offset+part.Size)
	}
	return fmt.Sprintf("%s[%d:%d]", kindNames[s.kind], part.Offset, part.Offset+part.Size)
}
