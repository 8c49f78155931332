package hlo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// constantText is a program that is nearly all one constant of n random elements.
func constantText(element string, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	fmt.Fprintf(&b, "HloModule m\nENTRY e {\n  ROOT c = %s[%d,8]{1,0} constant({", element, n/8)
	for i := range n / 8 {
		b.WriteString([]string{"", ","}[min(i, 1)] + " { ")
		for j := range 8 {
			if j > 0 {
				b.WriteString(", ")
			}
			if element[0] == 's' {
				fmt.Fprint(&b, r.Int32())
			} else {
				fmt.Fprint(&b, float32(r.NormFloat64()))
			}
		}
		b.WriteString(" }")
	}
	b.WriteString("})\n}\n")
	return []byte(b.String())
}

// programText is a program of many small instructions.
func programText(n int) []byte {
	var b strings.Builder
	b.WriteString("HloModule m\nENTRY e {\n  %p.0 = f32[128,256]{1,0} parameter(0)\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%add.%d = f32[128,256]{1,0} add(%%p.0, %%p.0), metadata={op_type=\"Add\" op_name=\"jit(f)/add\" "+
			"source_file=\"a.py\" source_line=%d}\n", i, i)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"f32", constantText("f32", 1<<18)},
		{"bf16", constantText("bf16", 1<<18)},
		{"s32", constantText("s32", 1<<18)},
		{"instructions", programText(1 << 14)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(c.text, "b.hlo"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, element := range []string{"f32", "bf16", "s32"} {
		b.Run(element, func(b *testing.B) {
			m, err := Parse(constantText(element, 1<<18), "b.hlo")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(m.Text())))
			for b.Loop() {
				_ = m.Text()
			}
		})
	}
}
