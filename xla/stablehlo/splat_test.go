package stablehlo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// TestSplats wants constants of one element to take little memory in all, whatever their sizes, and lists in attributes
// too.
func TestSplats(t *testing.T) {
	var b strings.Builder
	b.WriteString("func.func @main(%a: tensor<65536xf32>) -> tensor<65536xf32> {\n")
	last := "a"
	for i := range 200 {
		fmt.Fprintf(&b, "%%c%d = stablehlo.constant dense<%d.5> : tensor<65536xf32>\n", i, i)
		fmt.Fprintf(&b, "%%s%d = stablehlo.add %%%s, %%c%d : tensor<65536xf32>\n", i, last, i)
		last = fmt.Sprint("s", i)
	}
	b.WriteString("return %" + last + " : tensor<65536xf32> }")
	im, err := Parse(Text{File: "f", Source: b.String()})
	if err != nil {
		t.Fatal(err)
	}
	constants, size, broadcasts := 0, 0, 0
	for _, in := range im.Module.Entry.Instructions {
		switch a := in.Attrs.(type) {
		case *hlo.ConstantAttrs:
			constants++
			size += len(a.Literal.Bytes())
		case *hlo.BroadcastAttrs:
			broadcasts++
		}
	}
	if constants != 200 || broadcasts != 200-maxSplats/(4<<16) || size > maxSplats+4*200 {
		t.Errorf("%d constants of %d bytes, %d broadcasts", constants, size, broadcasts)
	}
	_, err = Parse(Text{File: "f", Source: `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.transpose"(%a) {permutation = dense<0> : tensor<100000000xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`})
	if err == nil || !strings.Contains(err.Error(), "want a list of integers") {
		t.Errorf("got %v, want that the list is refused", err)
	}
}
