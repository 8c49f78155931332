package cpu_test

import (
	"fmt"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// turnPrograms are loops whose state is read elsewhere than it is written: one array, two that change places, and one
// beside an array that is written in place.
var turnPrograms = map[string][2]string{
	"one": {"f32[130,130]", `x = f32[130,130] get-tuple-element(s), index=2
  a = f32[128,128] slice(x), slice={[0:128], [1:129]}
  b = f32[128,128] slice(x), slice={[2:130], [0:128]}
  c = f32[128,128] subtract(a, b)
  z = f32[] constant(1)
  p = f32[130,130] pad(c, z), padding=1_1x1_1
  ROOT t = (s32[], s32[], f32[130,130]) tuple(j, n, p)`},
	"two": {"f32[130,130], f32[130,130]", `x = f32[130,130] get-tuple-element(s), index=2
  y = f32[130,130] get-tuple-element(s), index=3
  a = f32[130,130] reverse(x), dimensions={1}
  b = f32[130,130] subtract(a, y)
  ROOT t = (s32[], s32[], f32[130,130], f32[130,130]) tuple(j, n, y, b)`},
	"in place": {"f32[130,130], f32[130,130]", `x = f32[130,130] get-tuple-element(s), index=2
  y = f32[130,130] get-tuple-element(s), index=3
  a = f32[130,130] reverse(x), dimensions={0}
  b = f32[130,130] add(a, a)
  u = f32[1,130] slice(x), slice={[5:6], [0:130]}
  k = s32[] constant(0)
  w = f32[130,130] dynamic-update-slice(y, u, i, k)
  ROOT t = (s32[], s32[], f32[130,130], f32[130,130]) tuple(j, n, b, w)`},
}

// TestTurns wants the reference's bits of loops of no round, of an odd number and of an even one.
func TestTurns(t *testing.T) {
	for name, c := range turnPrograms {
		t.Run(name, func(t *testing.T) {
			state := "(s32[], s32[], " + c[0] + ")"
			text := fmt.Sprintf(`more { s = %[1]s parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1 ROOT l = pred[] compare(i, n), direction=LT }
round { s = %[1]s parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=1
  o = s32[] constant(1) j = s32[] add(i, o) %[2]s }
ENTRY e { s = %[1]s parameter(0) ROOT w = %[1]s while(s), condition=more, body=round }`, state, c[1])
			for rounds := range int32(6) {
				same(t, newRand(t), text, func(_ int, s shape.Shape) *literal.Literal {
					elems := []*literal.Literal{literal.Scalar(int32(0)), literal.Scalar(rounds)}
					for _, e := range s.Elems[2:] {
						elems = append(elems, repeating(t, e))
					}
					return literal.NewTuple(elems...)
				})
			}
		})
	}
}
