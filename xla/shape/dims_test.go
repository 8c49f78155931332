package shape_test

import (
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestStridesAndProduct(t *testing.T) {
	for _, c := range []struct {
		dims, strides []int64
		product       int64
	}{
		{nil, []int64{}, 1},
		{[]int64{5}, []int64{1}, 5},
		{[]int64{2, 3, 4}, []int64{12, 4, 1}, 24},
		{[]int64{2, 0, 4}, []int64{0, 4, 1}, 0},
	} {
		if got := shape.Strides(c.dims); !slices.Equal(got, c.strides) {
			t.Errorf("Strides(%v): got %v, want %v", c.dims, got, c.strides)
		}
		if got := shape.Product(c.dims); got != c.product {
			t.Errorf("Product(%v): got %d, want %d", c.dims, got, c.product)
		}
	}
}
