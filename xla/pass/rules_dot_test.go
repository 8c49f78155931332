package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestOuterProduct wants of dots of one term, which become products, the bits that the dots have.
func TestOuterProduct(t *testing.T) {
	const n = 600
	for _, c := range []struct {
		x, y, result, attrs string
		dims                [2][]int64
	}{
		{"%d,1", "1,%d", "%d,%d", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", [2][]int64{{n, 1}, {1, n}}},
		{"1,%d", "%d,1", "%d,%d", "lhs_contracting_dims={0}, rhs_contracting_dims={1}", [2][]int64{{1, n}, {n, 1}}},
		{"1,%d,2", "%d,1,1", "%d,2,%d,1", "lhs_contracting_dims={0}, rhs_contracting_dims={2}",
			[2][]int64{{1, n, 2}, {n, 1, 1}}},
		{"%d,%d", "%d,%d", "%d,%d", "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}", [2][]int64{{n, n}, {n, n}}},
		{"%d,20,1", "30,1,%d", "%d,20,30",
			"lhs_batch_dims={0}, rhs_batch_dims={2}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
			[2][]int64{{n, 20, 1}, {30, 1, n}}},
	} {
		for _, e := range []shape.ElementType{shape.F32, shape.F64} {
			dims := strings.ReplaceAll(fmt.Sprintf("x = T[%s] parameter(0)\n y = T[%s] parameter(1)\n ROOT d = T[%s] dot(x, y), %s",
				c.x, c.y, c.result, c.attrs), "%d", fmt.Sprint(n))
			text := "HloModule m\nENTRY e {\n " + strings.ReplaceAll(dims, "T[", e.String()+"[") + "\n}\n"
			testOuterProduct(t, text, []*literal.Literal{filledWith(e, c.dims[0]), filledWith(e, c.dims[1])})
		}
	}
}

// filledWith is an array of special values, again and again.
func filledWith(t shape.ElementType, dims []int64) *literal.Literal {
	s := shape.Array(t, dims...)
	w, n := literal.Wide{Class: shape.FloatClass}, int64(1)
	for _, d := range dims {
		n *= d
	}
	for i := range n {
		w.F = append(w.F, specials[(i+i/int64(len(specials)))%int64(len(specials))])
	}
	return literal.FromWide(s, literal.ConvertWide(w, shape.F64, t))
}

func testOuterProduct(t *testing.T, text string, args []*literal.Literal) {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "m")
	if err != nil {
		t.Fatal(err)
	}
	after, err := Run(t.Context(), m, []Pass{Simplify()}, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(after.Text(), " dot(") {
		t.Errorf("it is still a dot:\n%s", after.Text())
	}
	var results [2]*literal.Literal
	for i, m := range []*hlo.Module{m, after} {
		if results[i], err = hlo.Evaluate(t.Context(), m, args, hlo.EvalOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := difference(results[1], results[0], literal.Tolerance{}); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
}
