package exec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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
