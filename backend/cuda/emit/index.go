package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// index is a place in an array of sizes of: its row-major number or its coordinates, whichever is known.
type index struct {
	flat string
	dims []string
	of   []int64
}

// key tells indices apart.
func (ix index) key() string {
	if ix.dims != nil {
		return strings.Join(ix.dims, ",")
	}
	return "@" + ix.flat
}

// scalar is the index of a scalar.
func scalar() index { return index{flat: "0", dims: []string{}} }

// at is the index of coordinates.
func at(of []int64, dims []string) index { return index{dims: dims, of: of} }

// integer returns a constant of the type of indices, unless the expression is a number or a name.
func (b *body) integer(expression string) string { return b.let(b.ix, expression) }

func num(n int64) string { return strconv.FormatInt(n, 10) }

// number returns the number that a text is.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// plus and times write sums and products, what is known being computed.
func plus(x, y string) string {
	m, xok := number(x)
	n, yok := number(y)
	switch {
	case xok && yok:
		return num(m + n)
	case xok && m == 0:
		return y
	case yok && n == 0:
		return x
	case yok && n < 0:
		return fmt.Sprintf("%s - %d", x, -n)
	}
	return x + " + " + y
}

func times(x string, n int64) string {
	m, ok := number(x)
	switch {
	case ok:
		return num(m * n)
	case n == 1:
		return x
	case n == 0:
		return "0"
	}
	return fmt.Sprintf("%s * %d", group(x), n)
}

// over and modulo divide a number that is not negative by n.
func over(x string, n int64) string {
	if m, ok := number(x); ok {
		return num(m / n)
	}
	if n == 1 {
		return x
	}
	return fmt.Sprintf("%s / %d", group(x), n)
}

func modulo(x string, n int64) string {
	if m, ok := number(x); ok {
		return num(m % n)
	}
	if n == 1 {
		return "0"
	}
	return fmt.Sprintf("%s %% %d", group(x), n)
}

// group puts parentheses around what is more than a name.
func group(x string) string {
	if isName(x) {
		return x
	}
	return "(" + x + ")"
}

// flat returns the row-major number of ix.
func (b *body) flat(ix index) string {
	if ix.flat != "" {
		return ix.flat
	}
	sum := "0"
	for i, s := range shape.Strides(ix.of) {
		if ix.of[i] != 1 {
			sum = plus(sum, times(ix.dims[i], s))
		}
	}
	return b.integer(sum)
}

// coordinates returns those of ix.
func (b *body) coordinates(ix index) []string {
	if ix.dims != nil || len(ix.of) == 0 {
		return ix.dims
	}
	out, rest := make([]string, len(ix.of)), ix.flat
	for i := len(ix.of) - 1; i >= 0; i-- {
		n := ix.of[i]
		if n == 1 {
			out[i] = "0"
			continue
		}
		if shape.Product(ix.of[:i]) == 1 {
			out[i], rest = rest, "0"
			continue
		}
		out[i] = b.integer(modulo(rest, n))
		rest = b.integer(over(rest, n))
	}
	return out
}

// as is ix seen as the index of an array of other sizes and as many elements.
func (b *body) as(ix index, of []int64) index {
	if slices.Equal(ix.of, of) {
		return ix
	}
	if ix.flat == "" && onesApart(ix.of, of) {
		return at(of, spread(ix, of))
	}
	return index{flat: b.flat(ix), of: of}
}

// onesApart reports whether two lists of sizes are the same but for ones.
func onesApart(x, y []int64) bool {
	one := func(n int64) bool { return n == 1 }
	return slices.Equal(slices.DeleteFunc(slices.Clone(x), one), slices.DeleteFunc(slices.Clone(y), one))
}

// spread gives the coordinates of ix to the dimensions of other sizes that differ by ones.
func spread(ix index, of []int64) []string {
	var list []string
	for i, d := range ix.dims {
		if ix.of[i] != 1 {
			list = append(list, d)
		}
	}
	out := make([]string, len(of))
	for i, n := range of {
		out[i] = "0"
		if n != 1 {
			out[i], list = list[0], list[1:]
		}
	}
	return out
}
