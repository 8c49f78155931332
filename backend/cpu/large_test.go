package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// largePrograms have outputs that go past the caches: whole blocks and a rest, rows with and without a rest, an output
// over its input, two outputs, lanes of 64 bits, elements that are converted, over their inputs and from narrower ones,
// and parts of complex numbers.
var largePrograms = map[string]string{
	"blocks": "ENTRY e { x = f32[2100013] parameter(0) ROOT y = f32[2100013] add(x, x) }",
	"place":  "ENTRY e { x = f32[2100013] parameter(0) y = f32[2100013] add(x, x) ROOT z = f32[2100013] negate(y) }",
	"two": `ENTRY e { x = f32[2100013] parameter(0) y = f32[2100013] add(x, x)
  z = s32[2100013] bitcast-convert(y) ROOT t = (f32[2100013], s32[2100013]) tuple(y, z) }`,
	"wide": "ENTRY e { x = u64[1050007] parameter(0) ROOT y = u64[1050007] multiply(x, x) }",
	"half": "ENTRY e { x = bf16[4200011] parameter(0) ROOT y = bf16[4200011] negate(x) }",
	"widened": `ENTRY e { x = s8[8400011] parameter(0) y = s32[8400011] convert(x) z = s32[8400011] multiply(y, y)
  ROOT w = s16[8400011] convert(z) }`,
	"complex": `ENTRY e { x = f32[1050008] parameter(0) z = c64[1050008] complex(x, x) y = c64[1050008] multiply(z, z)
  ROOT w = c64[1050008] add(y, z) }`,
	"wide complex": `ENTRY e { x = f64[530007] parameter(0) z = c128[530007] complex(x, x)
  y = c128[530007] multiply(z, z) ROOT w = c128[530007] add(y, z) }`,
	"rows": `m { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY e { x = f32[2049,1040] parameter(0) i = f32[] constant(-inf) r = f32[2049] reduce(x, i), dimensions={1}, to_apply=m
  b = f32[2049,1040] broadcast(r), dimensions={0} ROOT y = f32[2049,1040] subtract(x, b) }`,
	"odd rows": `m { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY e { x = f32[2101,1001] parameter(0) i = f32[] constant(-inf) r = f32[2101] reduce(x, i), dimensions={1}, to_apply=m
  b = f32[2101,1001] broadcast(r), dimensions={0} ROOT y = f32[2101,1001] subtract(x, b) }`,
}

// TestLargeOutputs wants the reference's bits of outputs of 8 MB and more.
func TestLargeOutputs(t *testing.T) {
	for name, text := range largePrograms {
		t.Run(name, func(t *testing.T) {
			same(t, newRand(t), text, func(_ int, s shape.Shape) *literal.Literal { return repeating(t, s) })
		})
	}
}

// TestLargeOutputOfMany has so many results that their numbers do not fit in a word's bits, of which the first goes past
// the caches and the last must not.
func TestLargeOutputOfMany(t *testing.T) {
	text, shapes, names := "ENTRY e { x = f32[N] parameter(0) y = bf16[N] convert(x)\n", "bf16[N]", "y"
	for k := range 31 {
		text += fmt.Sprintf("c%d = f32[] constant(%[1]d) b%[1]d = f32[N] broadcast(c%[1]d), dimensions={}\n"+
			"p%[1]d = pred[N] compare(x, b%[1]d), direction=GT\n", k)
		shapes, names = shapes+", pred[N]", names+fmt.Sprintf(", p%d", k)
	}
	text += fmt.Sprintf("z = c64[N] complex(x, x) ROOT t = (%s, c64[N]) tuple(%s, z) }", shapes, names)
	same(t, newRand(t), strings.ReplaceAll(text, "N]", "4194304]"), func(_ int, s shape.Shape) *literal.Literal {
		return repeating(t, s)
	})
}

// repeating is an array of numbers that repeat after a while.
func repeating(t *testing.T, s shape.Shape) *literal.Literal {
	data := make([]int32, s.Size())
	for i := range data {
		data[i] = int32(i*7919) % 10007
	}
	l, err := literal.FromSlice(data, s.Dims...)
	if err == nil {
		l, err = literal.Convert(l, s.Type)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}
