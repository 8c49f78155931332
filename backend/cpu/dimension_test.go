package cpu_test

import (
	"context"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/literal"
)

// The whole array stays, and sizes that are no sizes are refused.
func TestSetDimensionSize(t *testing.T) {
	const text = `
ENTRY e {
  a = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  n = s32[] parameter(0)
  ROOT r = f32[2,3] set-dimension-size(a, n), dimensions={1}
}`
	for _, n := range []int32{0, 2, 3} {
		agree(t, program{text: text, args: []*literal.Literal{literal.Scalar(n)}})
	}
	p := program{text: text}
	program, err := cpu.New(cpu.Options{}).Compile(context.Background(), parsed(t, text), p.o)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, n := range []int32{-1, 4} {
		_, err := program.Run(context.Background(), [][]*literal.Literal{{literal.Scalar(n)}}, p.run)
		if err == nil || !strings.Contains(err.Error(), "size of dimension 1 at run time") {
			t.Errorf("size %d: got %v", n, err)
		}
	}
}
