package emit

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// large are programs of more elements than integers of 32 bits count, or than a grid has blocks in its second dimension,
// and whether there are kernels for them.
var large = []struct {
	name, text string
	refused    bool
}{
	{"a scatter of wide windows", `h { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[90,2500000] parameter(0)  i = s32[40,1] parameter(1)  u = f32[40,2500000] parameter(2)
  ROOT r = f32[90,2500000] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`, false},
	{"a sort by a key", `c { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e { x = s8[2147483648] parameter(0)  ROOT r = s8[2147483648] sort(x), dimensions={0}, to_apply=c }`, false},
	{"a longer one", `c { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e { x = s8[2147483649] parameter(0)  ROOT r = s8[2147483649] sort(x), dimensions={0}, to_apply=c }`, true},
	{"a sort by a comparison", `c { a = s8[] parameter(0)  b = s8[] parameter(1)  d = s8[] multiply(a, b)  ROOT l = pred[] compare(a, d), direction=LT }
ENTRY e { x = s8[2147483649] parameter(0)  ROOT r = s8[2147483649] sort(x), dimensions={0}, to_apply=c }`, true},
	{"a running sum", `h { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[3000000000] parameter(0)  z = f32[] constant(0)
  ROOT r = f32[3000000000] reduce-window(x, z), window={size=3000000000 pad=2999999999_0}, to_apply=h }`, false},
	{"a sum", `h { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[3,3000000000] parameter(0)  z = f32[] constant(0)
  ROOT r = f32[3] reduce(x, z), dimensions={1}, to_apply=h }`, false},
	{"a dot of a long line", `ENTRY e { x = f32[3000000000] parameter(0)  y = f32[3000000000] parameter(1)
  ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }`, false},
	{"a dot of many lines", `ENTRY e { x = f32[100000000,64] parameter(0)  y = f32[64] parameter(1)
  ROOT r = f32[100000000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`, false},
}

// TestLarge wants kernels for large arrays to fit on a device, and to count in 64 bits.
func TestLarge(t *testing.T) {
	for _, c := range large {
		m, err := hlo.Parse([]byte("HloModule m\n"+c.text), "m.hlo")
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e, err := Lower(m.Entry.Root)
		if c.refused != errors.Is(err, errors.ErrUnsupported) || err != nil && !c.refused {
			t.Errorf("%s: %v, want refused %v", c.name, err, c.refused)
		}
		if err != nil {
			continue
		}
		for _, s := range e.Steps {
			if s.Kernel != nil {
				checkLarge(t, c.name, s.Kernel)
			}
		}
	}
}

var numeral = regexp.MustCompile(`\b[0-9]{10,}\b`)

// checkLarge finds what a kernel declares with 32 bits from larger numbers.
func checkLarge(t *testing.T, name string, k *Kernel) {
	for line := range strings.SplitSeq(k.Source, "\n") {
		if !strings.Contains(line, "s32 ") {
			continue
		}
		for _, text := range numeral.FindAllString(line, -1) {
			if n, err := strconv.ParseInt(text, 10, 64); err != nil || n >= 1<<31 {
				t.Errorf("%s: %s: 32 bits for %s: %s", name, k.Name, text, line)
			}
		}
	}
}
