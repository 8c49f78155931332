package hlo

import "github.com/halo-xla/halo/xla/shape"

// permuteBlock is how many neighbours of the source a transpose copies before it moves on: a cache line or two of them.
const permuteBlock = 16

// permute returns the array src, of sizes dims, with its dimensions in another order, row-major; src itself if nothing
// moves.
func permute[T any](src []T, dims, order []int64) []T {
	strides := shape.Strides(dims)
	var sizes, steps []int64 // of the result, without dimensions of size 1
	for _, d := range order {
		if dims[d] != 1 {
			sizes, steps = append(sizes, dims[d]), append(steps, strides[d])
		}
	}
	if len(src) == 0 || isRowMajor(sizes, steps) {
		return src
	}
	out := make([]T, len(src))
	last := len(sizes) - 1
	if steps[last] == 1 {
		n := int(sizes[last])
		for i, o := range offsets(sizes[:last], steps[:last]) {
			copy(out[i*n:(i+1)*n], src[o:o+n])
		}
		return out
	}
	for d, s := range steps[:last] {
		if s == 1 {
			transpose(out, src, sizes, steps, d)
		}
	}
	return out
}

func isRowMajor(sizes, steps []int64) bool {
	want := shape.Strides(sizes)
	for d, s := range steps {
		if s != want[d] {
			return false
		}
	}
	return true
}

// transpose fills out, whose dimension d is the last one of src, in blocks along it.
func transpose[T any](out, src []T, sizes, steps []int64, d int) {
	last := len(sizes) - 1
	to := shape.Strides(sizes)
	rest, restTo := offsets(skip(sizes, d, last), skip(steps, d, last)), offsets(skip(sizes, d, last), skip(to, d, last))
	rows, columns := int(sizes[d]), int(sizes[last])
	rowTo, columnFrom := int(to[d]), int(steps[last])
	for i, from := range rest {
		for first := 0; first < rows; first += permuteBlock {
			n := min(permuteBlock, rows-first)
			for c := range columns {
				x := src[from+c*columnFrom+first:][:n]
				o := restTo[i] + first*rowTo + c
				for k, v := range x {
					out[o+k*rowTo] = v
				}
			}
		}
	}
}

// skip returns v without elements i and j.
func skip(v []int64, i, j int) []int64 {
	var out []int64
	for k, x := range v {
		if k != i && k != j {
			out = append(out, x)
		}
	}
	return out
}
