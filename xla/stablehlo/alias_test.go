package stablehlo

import (
	"fmt"
	"strings"
	"testing"
)

// TestAliasesThatGrow reads aliases each of which names the one before twice, so that the last stands for 2^60 parts.
func TestAliasesThatGrow(t *testing.T) {
	for first, next := range map[string]string{
		"!t0 = tensor<f32>\n": "!t%d = tuple<!t%d, !t%d>\n",
		"#t0 = 1 : i32\n":     "#t%d = [#t%d, #t%d]\n",
	} {
		var b strings.Builder
		b.WriteString(first)
		for i := range 60 {
			fmt.Fprintf(&b, next, i+1, i, i)
		}
		b.WriteString("func.func @main(%a: tensor<f32>) { return }\n")
		_, err := Parse(Text{File: "t.mlir", Source: b.String()})
		if err == nil || !strings.Contains(err.Error(), "stands for more than") {
			t.Errorf("%s: got %v, want an error that says for how much the alias stands", first, err)
		}
	}
}
