package cpu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestRuns holds what "halo ops" says of each op against Compile, which refuses with one sentence what only the
// reference would run, unless that is allowed.
func TestRuns(t *testing.T) {
	for op := hlo.Opcode(0); op < hlo.NumOps; op++ {
		for _, c := range opCases(t, op) {
			m, err := hlo.Parse([]byte(c.Source()), c.File)
			if err != nil || hlo.Verify(m) != nil || hlo.Unsupported(m, nil) != nil {
				continue // a case of an error
			}
			p, err := cpu.New(cpu.Options{}).Compile(context.Background(), m, exec.Options{})
			if err == nil {
				p.Close()
			}
			refused := errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), op.String()+" at ")
			if says := cpu.Runs(op) == "reference"; refused != says {
				t.Errorf("%s:%d: %s: halo ops says %q, Compile says %v", c.File, c.Line, op, cpu.Runs(op), err)
			}
		}
	}
}

// opCases are the cases of an op in testdata.
func opCases(t *testing.T, op hlo.Opcode) []*testfile.Case {
	path := filepath.Join("..", "..", "testdata", "ops", op.String()+".hlo")
	if _, err := os.Stat(path); err != nil {
		return nil // internal/deps wants one of each op
	}
	list, err := testfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
