package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// indexed is a random set of dimension numbers, by gather's names, and the sizes that go with it.
type indexed struct {
	offset, collapsed, batching, startBatching, startMap []int64
	vector                                               int64
	operand, starts, windowed, sizes                     []int64
	index                                                shape.ElementType
}

func newIndexed(r *rand.Rand, most int64) indexed {
	x := indexed{index: indexTypes[r.IntN(len(indexTypes))]}
	rank, batchRank := r.IntN(5), r.IntN(3)
	for range rank {
		x.operand = append(x.operand, 1+r.Int64N(most))
	}
	var batch []int64
	for range batchRank {
		batch = append(batch, 1+r.Int64N(most))
	}
	if r.IntN(15) == 0 && batchRank > 0 {
		batch[0] = 0
	}
	x.sizes = make([]int64, rank)
	var shown []int64
	for d := range x.sizes {
		x.sizes[d] = 1 + r.Int64N(x.operand[d])
		switch r.IntN(4) {
		case 0, 1:
			x.sizes[d] = 1
			x.collapsed = append(x.collapsed, int64(d))
		case 2:
			if len(x.startBatching) < batchRank {
				k := len(x.startBatching)
				x.sizes[d], x.operand[d] = min(1, batch[k]), batch[k]
				x.batching, x.startBatching = append(x.batching, int64(d)), append(x.startBatching, int64(k))
				continue
			}
			fallthrough
		default:
			shown = append(shown, int64(d))
			x.startMap = append(x.startMap, int64(d))
			continue
		}
		x.startMap = append(x.startMap, int64(d))
	}
	r.Shuffle(len(x.startMap), func(i, j int) { x.startMap[i], x.startMap[j] = x.startMap[j], x.startMap[i] })
	x.startMap = x.startMap[:r.IntN(len(x.startMap)+1)]
	x.offset = ascending(r, batchRank+len(shown), len(shown))
	x.place(r, batch, shown)
	return x
}

// place puts the index vectors into the indices and the windows into the windowed array.
func (x *indexed) place(r *rand.Rand, batch, shown []int64) {
	x.vector = int64(r.IntN(len(batch) + 1))
	if len(x.startMap) == 1 && r.IntN(2) == 0 {
		x.vector, x.starts = int64(len(batch)), batch // an index vector is one number
	} else {
		x.starts = slices.Insert(slices.Clone(batch), int(x.vector), int64(len(x.startMap)))
		for i, d := range x.startBatching {
			if d >= x.vector {
				x.startBatching[i]++
			}
		}
	}
	for d := range len(batch) + len(shown) {
		if slices.Contains(x.offset, int64(d)) {
			x.windowed = append(x.windowed, x.sizes[shown[0]])
			shown = shown[1:]
		} else {
			x.windowed, batch = append(x.windowed, batch[0]), batch[1:]
		}
	}
}

func (x *indexed) gather(t shape.ElementType) string {
	attrs := fmt.Sprintf("offset_dims={%s}, collapsed_slice_dims={%s}, start_index_map={%s}, operand_batching_dims={%s}, "+
		"start_indices_batching_dims={%s}, index_vector_dim=%d, slice_sizes={%s}", ints(x.offset), ints(x.collapsed),
		ints(x.startMap), ints(x.batching), ints(x.startBatching), x.vector, ints(x.sizes))
	return one(shape.Array(t, x.windowed...).String(), "gather, "+attrs, shape.Array(t, x.operand...).String(),
		shape.Array(x.index, x.starts...).String())
}

// scatter is the text of a scatter of n arrays by a computation.
func (x *indexed) scatter(computation string, types ...shape.ElementType) string {
	attrs := fmt.Sprintf("update_window_dims={%s}, inserted_window_dims={%s}, scatter_dims_to_operand_dims={%s}, "+
		"input_batching_dims={%s}, scatter_indices_batching_dims={%s}, index_vector_dim=%d, to_apply=f", ints(x.offset),
		ints(x.collapsed), ints(x.startMap), ints(x.batching), ints(x.startBatching), x.vector)
	var inputs, updates, out []string
	for _, t := range types {
		inputs = append(inputs, shape.Array(t, x.operand...).String())
		updates = append(updates, shape.Array(t, x.windowed...).String())
	}
	out = inputs
	args := append(append(inputs, shape.Array(x.index, x.starts...).String()), updates...)
	result := out[0]
	if len(types) > 1 {
		result = "(" + strings.Join(out, ", ") + ")"
	}
	return computation + one(result, "scatter, "+attrs, args...)
}

// near makes indices that mostly are in bounds of small arrays.
func near(r *rand.Rand, index shape.ElementType, most int) func(i int, s shape.Shape) *literal.Literal {
	return func(_ int, s shape.Shape) *literal.Literal {
		if s.Type != index {
			return anyBits(r, s)
		}
		l, width := literal.Zeros(s), s.Type.Bytes()
		for k := 0; k < len(l.Bytes()); k += width {
			l.Bytes()[k] = byte(r.IntN(most))
			if width > 1 {
				l.Bytes()[k+1] = byte(r.IntN(most) >> 8)
			}
			if r.IntN(30) == 0 {
				l.Bytes()[k+width-1] = byte(r.Uint32())
			}
		}
		return l
	}
}

// TestGather gathers with random dimension numbers, from small arrays of every type.
func TestGather(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for range 12 {
			x := newIndexed(r, 5)
			same(t, r, x.gather(typ), near(r, x.index, 5))
		}
	}
}

// TestGatherOfLarge gathers rows, columns, windows and single elements in several tasks.
func TestGatherOfLarge(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct{ text, indices string }{
		{"f32[50000,16]", "f32[300,16] gather, offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}|s32[50000]|f32[300,16]"},
		{"f32[200000]", "f32[200000] gather, offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}|s32[200000]|f32[300]"},
		{"f32[1048605]", "gather, offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}|s32[1048605]|f32[300]"},
		{"bf16[200,3000]", "bf16 gather, offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={200,1}|u16[3000]|bf16[200,300]"},
		{"f64[200,300,7]", "gather, offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={200,1,7}|s64[300]|f64[200,300,9]"},
		{"u8[3,500,1000]", "gather, offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={500,1000}|s32[3,2]|u8[520,1001]"},
		{"c128[100,300]", "gather, offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}|s32[100,300]|c128[100,400]"},
	} {
		parts := strings.Split(c.indices, "|")
		op := parts[0][strings.Index(parts[0], "gather"):]
		index := parts[1][:strings.Index(parts[1], "[")]
		typ, _ := shape.TypeByName(index)
		same(t, r, one(c.text, op, parts[2], parts[1]), near(r, typ, 256))
	}
}

// TestGatherOfElements gathers single elements of every width, some before and some behind the array, in groups and what
// is left of them; from a near array, and from one whose elements are asked for ahead.
func TestGatherOfElements(t *testing.T) {
	r := newRand(t)
	for _, of := range []shape.ElementType{shape.S8, shape.BF16, shape.F32, shape.F64, shape.C128} {
		for _, n := range []int{300, 9 << 19 / of.Bytes()} {
			text := fmt.Sprintf("ENTRY e { x = %s[%d] parameter(0) i = s32[533] parameter(1)", of, n) +
				wrapped("s32[533]", 0, n) + fmt.Sprintf("v = s32[533,1] reshape(w) ROOT g = %s[533] gather(x, v), ", of) +
				"offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1} }"
			for _, indices := range []func(*rand.Rand, shape.Shape) *literal.Literal{anyBits, fromEnd} {
				same(t, r, text, func(i int, s shape.Shape) *literal.Literal {
					if i == 1 {
						return indices(r, s)
					}
					return anyBits(r, s)
				})
			}
		}
	}
}

// TestGatherOfRows gathers rows of every length that has a loop of its own and of lengths beside them, more than are
// asked for ahead, and rows of parts that lie as one piece in one of both arrays only.
func TestGatherOfRows(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{2, 3, 4, 5, 8, 16, 17, 32, 64, 65, 100, 512, 513} {
		for _, of := range []string{"u8", "f32", "f64"} {
			for _, whole := range []int{n, n + 1} {
				op := fmt.Sprintf("gather, offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "+
					"index_vector_dim=1, slice_sizes={1,%d}", n)
				same(t, r, one(fmt.Sprintf("%s[70,%d]", of, n), op, fmt.Sprintf("%s[30,%d]", of, whole), "s32[70,2]"),
					near(r, shape.S32, 30))
				op = fmt.Sprintf("gather, offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, "+
					"index_vector_dim=1, slice_sizes={1,2,%d}", n)
				same(t, r, one(fmt.Sprintf("%s[70,2,%d]", of, n), op, fmt.Sprintf("%s[30,3,%d]", of, whole), "s32[70]"),
					near(r, shape.S32, 30))
			}
		}
	}
}
