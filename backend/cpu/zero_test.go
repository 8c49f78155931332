package cpu_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestFunctionsOfZero wants functions of zeros to have the reference's signs.
func TestFunctionsOfZero(t *testing.T) {
	for op := range hlo.NumOps {
		if info := op.Info(); info.Scalar == nil || info.Scalar.Float == nil || info.Operands != "operand" ||
			op == hlo.Acosh { // which is NaN
			continue
		}
		for _, typ := range []string{"f32", "f64", "f16", "bf16"} {
			text := fmt.Sprintf("ENTRY e { p = %s[40] parameter(0) ROOT y = %[1]s[40] %[2]s(p) }", typ, op)
			m, reference := compiled(t, exec.Reference(), text)
			x := literal.Zeros(m.Entry.Parameters[0].Shape)
			for i := range int(x.Shape().Size()) / 2 {
				x.Bytes()[(2*i+1)*len(x.Bytes())/40-1] = 0x80 // -0
			}
			_, p := compiled(t, cpu.New(cpu.Options{}), text)
			args := []*literal.Literal{x}
			got, want := results(t, p, text, args), results(t, reference, text, args)
			if !bytes.Equal(signs(got), signs(want)) {
				t.Errorf("%s of %s: got %v, want %v", op, typ, got, want)
			}
		}
	}
}

// signs are the bytes of an array of floats that have the signs.
func signs(l *literal.Literal) (list []byte) {
	width := l.Shape().Type.Bytes()
	for i := width - 1; i < len(l.Bytes()); i += width {
		list = append(list, l.Bytes()[i]>>7)
	}
	return list
}
