package hlo

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		flops, bytes int64
	}{
		{"elementwise", "ENTRY e { p = f32[8] parameter(0) ROOT r = f32[8] add(p, p) }", 8, 96},
		{"copies have no flops", "ENTRY e { p = f32[8] parameter(0) ROOT r = s32[8] convert(p) }", 0, 64},
		{"dot", "ENTRY e { a = f32[3,5] parameter(0) b = f32[5,7] parameter(1) " +
			"ROOT r = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }", 2 * 3 * 5 * 7,
			4 * (15 + 35 + 21)},
		{"convolution", "ENTRY e { a = f32[1,8,8,4] parameter(0) k = f32[3,3,2,6] parameter(1) ROOT r = f32[1,6,6,6] " +
			"convolution(a, k), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2 }",
			2 * 36 * 6 * 9 * 2, 4 * (256 + 108 + 216)},
		{"fft", "ENTRY e { a = c64[16] parameter(0) ROOT r = c64[16] fft(a), fft_type=FFT, fft_length={16} }",
			5 * 16 * 4, 256},
		{"reshape is free", "ENTRY e { p = f32[8] parameter(0) ROOT r = f32[2,4] reshape(p) }", 0, 0},
	} {
		m, err := Parse([]byte("HloModule m\n"+c.text), c.name)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := m.Cost(nil); got != (Cost{c.flops, c.bytes}) {
			t.Errorf("%s: got %+v, want %d FLOPs and %d bytes", c.name, got, c.flops, c.bytes)
		}
	}
}

func TestCostOfLoops(t *testing.T) {
	m, err := Parse([]byte(`HloModule m
b { p = f32[4] parameter(0) ROOT r = f32[4] add(p, p) }
c { p = f32[4] parameter(0) ROOT r = pred[] constant(false) }
ENTRY e { p = f32[4] parameter(0) ROOT w = f32[4] while(p), condition=c, body=b }`), "loop.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Cost(func(*Instruction) int64 { return 10 }), (Cost{40, 480}); got != want {
		t.Errorf("10 trips: got %+v, want %+v", got, want)
	}
	if got, want := m.Cost(nil), (Cost{4, 48}); got != want {
		t.Errorf("unknown trips: got %+v, want %+v", got, want)
	}
}

// TestWork wants a fusion to have the operations of what is in it, and to move what goes in and comes out.
func TestWork(t *testing.T) {
	m, err := Parse([]byte(`HloModule m
f { x = f32[100] parameter(0)
  y = f32[100] negate(x)
  ROOT z = f32[100] add(y, x) }
ENTRY e { x = f32[100] parameter(0)
  ROOT z = f32[100] fusion(x), kind=kLoop, calls=f }`), "fusion.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Entry.Root.Work(), (Cost{200, 800}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestCostThatDoesNotFit wants functions that call others twice, 70 deep, to count to the greatest number and no further.
func TestCostThatDoesNotFit(t *testing.T) {
	var b strings.Builder
	b.WriteString("HloModule m\nf0 { p = f32[4] parameter(0) ROOT r = f32[4] add(p, p) }\n")
	for i := range 70 {
		fmt.Fprintf(&b, "f%d { p = f32[4] parameter(0) a = f32[4] call(p), to_apply=f%d\n"+
			"ROOT r = f32[4] call(a), to_apply=f%d }\n", i+1, i, i)
	}
	b.WriteString("ENTRY e { p = f32[4] parameter(0) ROOT r = f32[4] call(p), to_apply=f70 }")
	const large = "HloModule m\nENTRY e { a = f32[1048576,1073741824] parameter(0) b = f32[1048576,1073741824] parameter(1)\n" +
		"ROOT c = f32[1048576,1048576] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1} }"
	for text, want := range map[string]Cost{
		b.String(): {math.MaxInt64, math.MaxInt64},
		large:      {math.MaxInt64, 1<<53 + 1<<42},
	} {
		m, err := Parse([]byte(text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Cost(nil); got != want {
			t.Errorf("%.200s: got %+v, want %+v", text, got, want)
		}
	}
}
