package stablehlo

import (
	"fmt"
	"runtime"
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

// TestKeptSplats wants numbers that stand for many in a dictionary that is kept as text to be read once, and to be written
// as those of small arrays are.
func TestKeptSplats(t *testing.T) {
	text := func(size int) string {
		return fmt.Sprintf(`{a = dense<0xFF> : tensor<%[1]dxi8>, b = dense<"0x01"> : tensor<%[1]dxi1>, `+
			`c = dense<"0x0000803F"> : tensor<%[1]dxf32>, d = dense<(1.0, 0x7FC00000)> : tensor<%[1]dxcomplex<f32>>, `+
			`e = dense<300> : tensor<%[1]dxi8>}`, size)
	}
	settledText := func(size int) string {
		m, err := Parse(Text{File: "t.mlir", Source: "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n" +
			"%0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = " + text(size) + "} : " +
			"(tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32> }"})
		if err != nil {
			t.Fatal(err)
		}
		return m.Module.Entry.Root.Common.Config
	}
	small := settledText(100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	large := settledText(200000000)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<24 {
		t.Errorf("%d bytes are allocated", got)
	}
	if want := strings.ReplaceAll(small, "<100x", "<200000000x"); large != want || !strings.Contains(small, "a = dense<-1>") {
		t.Errorf("got\n%s\nwant\n%s", large, want)
	}
}
