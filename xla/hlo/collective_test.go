package hlo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// onDevices runs c on a grid; v has the arguments of each device.
func onDevices(t *testing.T, c *Computation, replicas, partitions int64, v ...[]*literal.Literal) []*literal.Literal {
	t.Helper()
	m := NewModule("m", c)
	if err := Verify(m); err != nil {
		t.Fatal(err)
	}
	if v == nil {
		v = make([][]*literal.Literal, replicas*partitions)
	}
	out, err := EvaluateAll(limited(t), m, v, EvalOptions{}, replicas, partitions)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// limited is a context that makes an error of a test that hangs.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// arg32s is one argument: a vector, or with dims an array.
func arg32s(t *testing.T, v []float32, dims ...int64) []*literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return []*literal.Literal{l}
}

func vec32(n int64) shape.Shape { return shape.Array(shape.F32, n) }

func TestAllGatherGolden(t *testing.T) { // row 113
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.AllGather(b.Parameter(0, vec32(2), "p"), 0, 2, CollectiveOptions{})
	})
	for _, l := range onDevices(t, c, 2, 1, arg32s(t, []float32{1, 2.5}), arg32s(t, []float32{3, 5.25})) {
		wantElems(t, "all-gather", l, float32(1), 2.5, 3, 5.25)
	}
}

func TestAllReduceGolden(t *testing.T) { // row 114
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.AllReduce(b.Parameter(0, vec32(2), "p"), scalarComputation(Add, shape.F32), CollectiveOptions{})
	})
	for _, l := range onDevices(t, c, 2, 1, arg32s(t, []float32{1, 2.5}), arg32s(t, []float32{3, 5.25})) {
		wantElems(t, "all-reduce", l, float32(4), 7.75)
	}
}

func TestCrossReplicaSumGolden(t *testing.T) { // row 115
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.Parameter(0, vec32(2), "p"), CollectiveOptions{})
	})
	for _, l := range onDevices(t, c, 2, 1, arg32s(t, []float32{1, 2.5}), arg32s(t, []float32{3, 5.1})) {
		wantElems(t, "sum", l, float32(4), float32(2.5)+float32(5.1))
	}
	or := build(t, "main", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.Parameter(0, predS, "p"), CollectiveOptions{})
	})
	yes, no := []*literal.Literal{literal.Scalar(true)}, []*literal.Literal{literal.Scalar(false)}
	wantElems(t, "or", onDevices(t, or, 3, 1, no, yes, yes)[0], true)
	wantElems(t, "or", onDevices(t, or, 2, 1, no, no)[1], false)
}

func TestReduceScatterGolden(t *testing.T) { // row 118
	c := build(t, "main", func(b *Builder) *Instruction {
		p := b.Parameter(0, vec32(2), "p")
		return b.ReduceScatter(p, scalarComputation(Add, shape.F32), 0, 2, CollectiveOptions{})
	})
	out := onDevices(t, c, 2, 1, arg32s(t, []float32{1, 2.25}), arg32s(t, []float32{3, 5.25}))
	wantElems(t, "first", out[0], float32(4))
	wantElems(t, "second", out[1], float32(7.5))
}

// The document's example: f32[4,16], split 1, concat 0, count 4 gives f32[16,4]. Block k of device d has the number
// 10d+k in every row, so row r of device k's result has 10(r/4)+k.
func TestAllToAllGolden(t *testing.T) { // row 116
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.AllToAll(b.Parameter(0, shape.Array(shape.F32, 4, 16), "p"), 1, 0, 4, CollectiveOptions{})
	})
	if s := c.Root.Shape.String(); s != "f32[16,4]" {
		t.Fatalf("got %s, want f32[16,4]", s)
	}
	args := make([][]*literal.Literal, 4)
	for d := range args {
		v := make([]float32, 64)
		for i := range v {
			v[i] = float32(10*d + i%16/4)
		}
		args[d] = arg32s(t, v, 4, 16)
	}
	for k, l := range onDevices(t, c, 4, 1, args...) {
		for i, got := range elems[float32](t, l) {
			if want := float32(10*(i/16) + k); got != want {
				t.Fatalf("device %d, row %d: got %v, want %v", k, i/4, got, want)
			}
		}
	}
}

// Split before concat, concat before split, and the same, against the definition.
func TestAllToAllDimensions(t *testing.T) {
	s := shape.Array(shape.F32, 2, 4, 6)
	at := func(d, i, j, k int64) float32 { return float32(1000*d + 100*i + 10*j + k) }
	args := make([][]*literal.Literal, 2)
	for d := range args {
		var v []float32
		for i := range int64(48) {
			v = append(v, at(int64(d), i/24, i/6%4, i%6))
		}
		args[d] = arg32s(t, v, 2, 4, 6)
	}
	for split := range int64(3) {
		for concat := range int64(3) {
			c := build(t, "main", func(b *Builder) *Instruction {
				return b.AllToAll(b.Parameter(0, s, "p"), split, concat, 2, CollectiveOptions{})
			})
			for me, l := range onDevices(t, c, 2, 1, args...) {
				block := []int64{2, 4, 6} // the sizes of what one device sends
				block[split] /= 2
				dims := l.Shape().Dims
				for n, got := range elems[float32](t, l) {
					x := []int64{int64(n) / (dims[1] * dims[2]), int64(n) / dims[2] % dims[1], int64(n) % dims[2]}
					from := x[concat] / block[concat]
					x[concat] %= block[concat]
					x[split] += int64(me) * block[split]
					if want := at(from, x[0], x[1], x[2]); got != want {
						t.Fatalf("split %d concat %d: device %d element %d: got %v, want %v", split, concat, me, n, got, want)
					}
				}
			}
		}
	}
}

// Every collective on one device is the identity.
func TestCollectivesAlone(t *testing.T) { // section 3.11
	c := build(t, "main", func(b *Builder) *Instruction {
		p, o := b.Parameter(0, vec32(2), "p"), CollectiveOptions{}
		add := scalarComputation(Add, shape.F32)
		zero := ConstantR1(b, int32(0))
		return b.Tuple(b.AllGather(p, 0, 1, o), b.AllReduce(p, add, o), b.CrossReplicaSum(p, o), b.AllToAll(p, 0, 0, 1, o),
			b.CollectivePermute(p, [][2]int64{{0, 0}}, o), b.ReduceScatter(p, add, 0, 1, o), b.CollectiveBroadcast(p, o),
			b.GetTupleElement(b.AllToAllTuple([]*Instruction{p}, o), 0), b.CollectiveReduce(p, add, o),
			b.RaggedAllToAll(p, p, zero, ConstantR1(b, int32(2)), zero, ConstantR1(b, int32(2)), o))
	})
	for i, l := range run(t, c, arg32s(t, []float32{3, 4})...).Elems() {
		wantElems(t, fmt.Sprint("result ", i), l, float32(3), 4)
	}
	ids := build(t, "main", func(b *Builder) *Instruction {
		none := b.CollectivePermute(b.ReplicaId(), nil, CollectiveOptions{})
		return b.Tuple(b.ReplicaId(), b.PartitionId(), none)
	})
	for _, l := range run(t, ids).Elems() {
		wantElems(t, "id", l, uint32(0))
	}
}

// All modes of forming groups: each device brings its number and gets the numbers of its group in order.
func TestGroupModes(t *testing.T) { // section 3.11
	gathered := func(b *Builder, o CollectiveOptions, n int64) *Instruction {
		p := ConstantR0(b, uint32(2))
		id := b.add(Add, nil, shape.Shape{}, b.add(Multiply, nil, shape.Shape{}, b.ReplicaId(), p), b.PartitionId())
		return b.AllGather(b.add(Reshape, &ReshapeAttrs{}, shape.Array(shape.U32, 1), id), 0, n, o)
	}
	iota, err := IotaReplicaGroups([]int64{2, 2}, []int64{2, 2}, []int{1, 0})
	if err != nil || iota.Iota != "[2,2]<=[2,2]T(1,0)" {
		t.Fatalf("got %v, %v", iota, err)
	}
	for _, tc := range []struct {
		name string
		o    CollectiveOptions
		n    int64
		want [][]uint32
	}{
		{"replicas", CollectiveOptions{}, 2, [][]uint32{{0, 2}, {1, 3}, {0, 2}, {1, 3}}},
		{"replicas reversed", CollectiveOptions{ReplicaGroups: Groups([]int64{1, 0})}, 2,
			[][]uint32{{2, 0}, {3, 1}, {2, 0}, {3, 1}}},
		{"both", CollectiveOptions{ReplicaGroups: Groups([]int64{0, 1}), ChannelID: 1}, 4,
			[][]uint32{{0, 2, 1, 3}, {0, 2, 1, 3}, {0, 2, 1, 3}, {0, 2, 1, 3}}},
		{"partitions", CollectiveOptions{ReplicaGroups: Groups([]int64{0}, []int64{1}), ChannelID: 1}, 2,
			[][]uint32{{0, 1}, {0, 1}, {2, 3}, {2, 3}}},
		{"devices", CollectiveOptions{ReplicaGroups: Groups([]int64{3, 0}, []int64{1, 2}), ChannelID: 1,
			UseGlobalDeviceIDs: true}, 2, [][]uint32{{3, 0}, {1, 2}, {1, 2}, {3, 0}}},
		{"iota", CollectiveOptions{ReplicaGroups: iota, ChannelID: 1, UseGlobalDeviceIDs: true}, 2,
			[][]uint32{{0, 2}, {1, 3}, {0, 2}, {1, 3}}},
	} {
		c := build(t, "main", func(b *Builder) *Instruction { return gathered(b, tc.o, tc.n) })
		for d, l := range onDevices(t, c, 2, 2) {
			wantElems(t, fmt.Sprintf("%s on device %d", tc.name, d), l, tc.want[d]...)
		}
	}
	cross := build(t, "main", func(b *Builder) *Instruction { // all-to-all groups partitions when it has a channel
		return b.AllToAll(b.Parameter(0, vec32(2), "p"), 0, 0, 2, CollectiveOptions{ChannelID: 1})
	})
	out := onDevices(t, cross, 2, 2, arg32s(t, []float32{0, 1}), arg32s(t, []float32{2, 3}), arg32s(t, []float32{4, 5}),
		arg32s(t, []float32{6, 7}))
	for d, want := range [][]float32{{0, 2}, {1, 3}, {4, 6}, {5, 7}} {
		wantElems(t, "across partitions", out[d], want...)
	}
}

// A computation that no fast path knows, whose result depends on the order: 2x+y folds {1, 10, 100} to 2(2+10)+100.
func TestAllReduceOrder(t *testing.T) {
	fold := build(t, "fold", func(b *Builder) *Instruction {
		x, y := b.Parameter(0, f32S, "x"), b.Parameter(1, f32S, "y")
		return b.add(Add, nil, shape.Shape{}, b.add(Add, nil, shape.Shape{}, x, x), y)
	})
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.AllReduce(b.Parameter(0, vec32(1), "p"), fold, CollectiveOptions{ReplicaGroups: Groups([]int64{1, 0, 2})})
	})
	for range 20 {
		out := onDevices(t, c, 3, 1, arg32s(t, []float32{10}), arg32s(t, []float32{1}), arg32s(t, []float32{100}))
		for _, l := range out {
			wantElems(t, "fold", l, float32(124))
		}
	}
}

// The variadic forms, and a reduction in a wider type than the operand's.
func TestVariadicCollectives(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		p, q := b.Parameter(0, vec32(2), "p"), b.Parameter(1, vec32(4), "q")
		add, o := scalarComputation(Add, shape.F32), CollectiveOptions{}
		wide := b.AllReduce(p, scalarComputation(Add, shape.F64), o)
		if wide.Shape.String() != "f64[2]" {
			t.Errorf("got %v, want f64[2]", wide.Shape)
		}
		pair := b.Tuple(p, q)
		return b.Tuple(
			b.GetTupleElement(b.AllReduce(pair, add, o), 1),
			b.GetTupleElement(b.AllGather(pair, 0, 2, o), 0),
			b.GetTupleElement(b.ReduceScatter(pair, add, 0, 2, o), 1),
			b.GetTupleElement(b.MultiCollectivePermute([]*Instruction{p, q}, [][2]int64{{0, 1}}, o), 0),
			b.GetTupleElement(b.AllToAllTuple([]*Instruction{p, p}, o), 1))
	})
	args := func(x float32) []*literal.Literal {
		return append(arg32s(t, []float32{x, x + 1}), arg32s(t, []float32{x, x, 2 * x, 3 * x})...)
	}
	out := onDevices(t, c, 2, 1, args(1), args(10))[1].Elems()
	wantElems(t, "all-reduce", out[0], float32(11), 11, 22, 33)
	wantElems(t, "all-gather", out[1], float32(1), 2, 10, 11)
	wantElems(t, "reduce-scatter", out[2], float32(22), 33)
	wantElems(t, "collective-permute", out[3], float32(1), 2)
	wantElems(t, "all-to-all", out[4], float32(10), 11)
}

func TestCollectivePermuteInPlace(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		in, out := b.Parameter(0, shape.Array(shape.F32, 2, 3), "in"), b.Parameter(1, shape.Array(shape.F32, 2, 3), "out")
		at := func(i, j int32) *Instruction { return b.Tuple(ConstantR0(b, i), ConstantR0(b, j)) }
		pairs, sizes := [][2]int64{{0, 1}}, [][]int64{{1, 2}}
		return b.CollectivePermuteInPlace(in, out, at(1, 1), at(0, 5), pairs, sizes, CollectiveOptions{})
	})
	args := append(arg32s(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), arg32s(t, []float32{-1, -2, -3, -4, -5, -6}, 2, 3)...)
	out := onDevices(t, c, 2, 1, args, args)
	wantElems(t, "no target", out[0], float32(-1), -2, -3, -4, -5, -6)
	wantElems(t, "target", out[1], float32(-1), 5, 6, -4, -5, -6) // the column 5 is clamped to 1
}

// Loops with collectives inside: the trip count is the same everywhere, and the sum travels round after round.
func TestCollectivesInControlFlow(t *testing.T) {
	state := shape.TupleOf(s32S, f32S)
	cond := build(t, "cond", func(b *Builder) *Instruction {
		p := b.Parameter(0, state, "p")
		n := b.GetTupleElement(p, 0)
		return b.add(Compare, &CompareAttrs{Direction: Lt}, shape.Shape{}, n, ConstantR0(b, int32(5)))
	})
	branch := build(t, "branch", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.Parameter(0, f32S, "x"), CollectiveOptions{})
	})
	body := build(t, "body", func(b *Builder) *Instruction {
		p := b.Parameter(0, state, "p")
		n := b.add(Add, nil, shape.Shape{}, b.GetTupleElement(p, 0), ConstantR0(b, int32(1)))
		x := b.GetTupleElement(p, 1)
		return b.Tuple(n, b.Conditional(ConstantR0(b, true), x, branch, x, identity(t, f32S)))
	})
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.GetTupleElement(b.While(cond, body, b.Tuple(ConstantR0(b, int32(0)), b.Parameter(0, f32S, "x"))), 1)
	})
	one := []*literal.Literal{literal.Scalar(float32(1))}
	for _, l := range onDevices(t, c, 3, 1, one, one, one) {
		wantElems(t, "3 to the 5", l, float32(243))
	}
}

func TestCollectiveErrors(t *testing.T) {
	add := scalarComputation(Add, shape.F32)
	groups := func(g ...[]int64) CollectiveOptions { return CollectiveOptions{ReplicaGroups: Groups(g...)} }
	none := CollectiveOptions{}
	two := groups([]int64{0, 1})
	global := CollectiveOptions{UseGlobalDeviceIDs: true}
	for _, tc := range []struct {
		name, want string
		f          func(b *Builder, p *Instruction) // p is f32[6,2]
	}{
		{"gather dimension", "dimension 2 is out of range", func(b *Builder, p *Instruction) { b.AllGather(p, 2, 2, none) }},
		{"gather negative", "dimension -1 is out of range", func(b *Builder, p *Instruction) { b.AllGather(p, -1, 2, none) }},
		{"gather no shards", "shard count is 0", func(b *Builder, p *Instruction) { b.AllGather(p, 0, 0, none) }},
		{"gather shards", "shard count is 3, and the groups have 2 ids", func(b *Builder, p *Instruction) {
			b.AllGather(p, 0, 3, two)
		}},
		{"unequal groups", "group 1 has 1 ids, want 2 as group 0", func(b *Builder, p *Instruction) {
			b.AllGather(p, 0, 2, groups([]int64{0, 1}, []int64{2}))
		}},
		{"empty group", "group 0 is empty", func(b *Builder, p *Instruction) { b.AllReduce(p, add, groups([]int64{})) }},
		{"id twice", "replica 1 is in the groups twice", func(b *Builder, p *Instruction) {
			b.AllReduce(p, add, groups([]int64{0, 1}, []int64{2, 1}))
		}},
		{"id missing", "names replica 3, want one of 0 to 2: each of 3 ids is to be in one group", func(b *Builder, p *Instruction) {
			b.AllReduce(p, add, groups([]int64{0, 1, 3}))
		}},
		{"negative id", "names replica -1", func(b *Builder, p *Instruction) { b.AllReduce(p, add, groups([]int64{-1, 0})) }},
		{"global without channel", "without a channel_id", func(b *Builder, p *Instruction) { b.AllReduce(p, add, global) }},
		{"global without groups", "replica_groups are empty", func(b *Builder, p *Instruction) {
			b.AllReduce(p, add, CollectiveOptions{UseGlobalDeviceIDs: true, ChannelID: 1})
		}},
		{"no operands", "there are no operands", func(b *Builder, p *Instruction) { b.AllReduceTuple(nil, add, none) }},
		{"empty tuple", "got the empty tuple", func(b *Builder, p *Instruction) { b.AllReduce(b.Tuple(), add, none) }},
		{"no computation", "computation is missing", func(b *Builder, p *Instruction) { b.AllReduce(p, nil, none) }},
		{"computation of one", "takes 1 parameters, want 2", func(b *Builder, p *Instruction) {
			b.AllReduce(p, identity(t, f32S), none)
		}},
		{"computation type", "reduces s32, want f32 as operand 0 or a wider type", func(b *Builder, p *Instruction) {
			b.AllReduce(p, scalarComputation(Add, shape.S32), none)
		}},
		{"computation narrower", "reduces f16, want f32", func(b *Builder, p *Instruction) {
			b.AllReduce(p, scalarComputation(Add, shape.F16), none)
		}},
		{"computation of tuples", "returns (f32[]), want a scalar", func(b *Builder, p *Instruction) {
			b.AllReduce(p, build(t, "c", func(b *Builder) *Instruction {
				b.Parameter(1, f32S, "y")
				return b.Tuple(b.Parameter(0, f32S, "x"))
			}), none)
		}},
		{"all-to-all rest", "dimension 0 of f32[6,2] does not divide in 4 equal blocks", func(b *Builder, p *Instruction) {
			b.AllToAll(p, 0, 1, 4, none)
		}},
		{"all-to-all split", "dimension 2 is out", func(b *Builder, p *Instruction) { b.AllToAll(p, 2, 0, 2, none) }},
		{"all-to-all concat", "dimension 2 is out", func(b *Builder, p *Instruction) { b.AllToAll(p, 0, 2, 2, none) }},
		{"all-to-all dynamic", "want no bounded dynamic dimension", func(b *Builder, p *Instruction) {
			s := shape.Shape{Type: shape.F32, Dims: []int64{4}, Dynamic: []bool{true}}
			b.AllToAll(b.Parameter(1, s, "d"), 0, 0, 2, none)
		}},
		{"all-to-all tuple", "got 1 operands, want 2, one a member", func(b *Builder, p *Instruction) {
			b.AllToAllTuple([]*Instruction{p}, two)
		}},
		{"all-to-all shapes", "operand 1 is f32[], want f32[6,2] as operand 0", func(b *Builder, p *Instruction) {
			b.AllToAllTuple([]*Instruction{p, ConstantR0(b, float32(1))}, none)
		}},
		{"permute source", "replica 0 is the source of two pairs", func(b *Builder, p *Instruction) {
			b.CollectivePermute(p, [][2]int64{{0, 1}, {0, 2}}, none)
		}},
		{"permute target", "replica 1 is the target of two pairs", func(b *Builder, p *Instruction) {
			b.CollectivePermute(p, [][2]int64{{0, 1}, {2, 1}}, none)
		}},
		{"permute negative", "names replica -1", func(b *Builder, p *Instruction) {
			b.CollectivePermute(p, [][2]int64{{-1, 1}}, none)
		}},
		{"scatter rest", "dimension 0 of f32[6,2] does not divide in", func(b *Builder, p *Instruction) {
			b.ReduceScatter(p, add, 0, 4, none)
		}},
		{"scatter dimension", "dimension 2 is out of range", func(b *Builder, p *Instruction) {
			b.ReduceScatter(p, add, 2, 2, none)
		}},
		{"scatter shards", "shard count is 3, and the groups have 2 ids", func(b *Builder, p *Instruction) {
			b.ReduceScatter(p, add, 0, 3, two)
		}},
		{"sum of a tuple", "want an array", func(b *Builder, p *Instruction) { b.CrossReplicaSum(b.Tuple(p), none) }},
		{"ragged offsets", "3 offsets, want a multiple of the group's size 2", func(b *Builder, p *Instruction) {
			x := ConstantR1(b, int32(0), 0, 0)
			b.RaggedAllToAll(p, p, x, x, x, x, two)
		}},
		{"ragged rows", "want the same sizes after dimension 0", func(b *Builder, p *Instruction) {
			x := ConstantR1(b, int32(0), 0)
			b.RaggedAllToAll(p, ConstantR2(b, []float32{1}), x, x, x, x, two)
		}},
		{"roots", "the roots are s32[2], want s32[1]", func(b *Builder, p *Instruction) {
			b.CollectiveBroadcastFrom([]*Instruction{p}, ConstantR1(b, int32(0), 0), two)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantError(t, tc.name, buildError(t, func(b *Builder) {
				tc.f(b, b.Parameter(0, shape.Array(shape.F32, 6, 2), "p"))
			}), tc.want)
		})
	}
}

// What only the grid can show: each program is right by itself.
func TestDeviceErrors(t *testing.T) {
	p := func(b *Builder) *Instruction { return b.Parameter(0, vec32(2), "p") }
	sum := func(o CollectiveOptions) *Computation {
		return build(t, "sum", func(b *Builder) *Instruction { return b.CrossReplicaSum(p(b), o) })
	}
	gather := build(t, "gather", func(b *Builder) *Instruction { return b.AllGather(p(b), 0, 2, CollectiveOptions{}) })
	idle := build(t, "idle", func(b *Builder) *Instruction { return p(b) })
	divides := build(t, "fails", func(b *Builder) *Instruction {
		return b.CustomCall("nobody", []*Instruction{p(b)}, vec32(2), CustomCallOptions{})
	})
	twice := build(t, "twice", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.CrossReplicaSum(p(b), CollectiveOptions{}), CollectiveOptions{})
	})
	recv := build(t, "recv", func(b *Builder) *Instruction {
		p(b)
		return b.Recv(vec32(2), ChannelHandle{Handle: 7})
	})
	loop := build(t, "loop", func(b *Builder) *Instruction {
		yes := build(t, "yes", func(b *Builder) *Instruction { p(b); return ConstantR0(b, true) })
		return b.While(yes, identity(t, vec32(2)), p(b))
	})
	plain := sum(CollectiveOptions{})
	for _, tc := range []struct {
		name     string
		programs []*Computation // of replicas
		is       error
		want     []string
	}{
		{"one does not come", []*Computation{plain, idle}, collective.ErrDeadlock,
			[]string{"device 0 (replica 0) waits in all-reduce", "of group {0,1} for device 1 (replica 1), which has ended"}},
		{"one comes once less", []*Computation{plain, twice, twice}, collective.ErrDeadlock, []string{"for device 0"}},
		{"different ops", []*Computation{plain, gather}, collective.ErrMismatch,
			[]string{"all-reduce", "all-gather", "f32[2]"}},
		{"different channels", []*Computation{sum(CollectiveOptions{ReplicaGroups: Groups([]int64{0, 1})}),
			sum(CollectiveOptions{ReplicaGroups: Groups([]int64{0, 1}), ChannelID: 3})}, collective.ErrMismatch,
			[]string{"channel 0", "channel 3"}},
		{"a device fails", []*Computation{plain, divides}, errors.ErrUnsupported,
			[]string{"device 1 (replica 1): ", "nobody"}},
		{"a device fails beside a loop", []*Computation{loop, divides}, errors.ErrUnsupported,
			[]string{"device 1 (replica 1): "}},
		{"in no group", []*Computation{sum(CollectiveOptions{ReplicaGroups: Groups([]int64{0})}),
			sum(CollectiveOptions{ReplicaGroups: Groups([]int64{0})})}, nil, []string{"device 1 (replica 1) is in no group"}},
		{"too few replicas", []*Computation{sum(CollectiveOptions{ReplicaGroups: Groups([]int64{0, 1})})}, nil,
			[]string{"group {0,1} names replica 1, want one of 0 to 0"}},
		{"shards", []*Computation{gather, gather, gather}, nil, []string{"the group has 3 devices"}},
		{"nobody sends", []*Computation{recv, idle}, collective.ErrDeadlock, []string{"waits in recv-done", "on channel 7"}},
		{"nobody sends to itself", []*Computation{recv}, collective.ErrDeadlock, []string{"on channel 7"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var programs [][]*Computation
			var args [][]*literal.Literal
			for _, c := range tc.programs {
				programs, args = append(programs, []*Computation{c}), append(args, arg32s(t, []float32{1, 2}))
			}
			_, err := EvaluateGrid(limited(t), programs, args, EvalOptions{})
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("got %v, want %v", err, tc.is)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want %q in it", err, w)
				}
			}
		})
	}
}

func TestGridErrors(t *testing.T) {
	c := identity(t, s32S)
	one := []*literal.Literal{literal.Scalar(int32(1))}
	m := NewModule("m", c)
	for _, tc := range []struct {
		name, want string
		err        func() error
	}{
		{"too many", "at most", func() error {
			_, err := EvaluateAll(context.Background(), m, nil, EvalOptions{}, 1<<40, 1<<40)
			return err
		}},
		{"arguments", "got arguments for 1 devices, want 2", func() error {
			_, err := EvaluateAll(context.Background(), m, [][]*literal.Literal{one}, EvalOptions{}, 2, 1)
			return err
		}},
		{"argument", "device 1 (partition 1): identity: got 0 arguments, want 1", func() error {
			_, err := EvaluateAll(context.Background(), m, [][]*literal.Literal{one, nil}, EvalOptions{}, 1, 2)
			return err
		}},
		{"rows", "replica 1 has 2 partitions, want 1", func() error {
			_, err := EvaluateGrid(context.Background(), [][]*Computation{{c}, {c, c}}, nil, EvalOptions{})
			return err
		}},
		{"no devices", "has no devices", func() error {
			_, err := EvaluateGrid(context.Background(), nil, nil, EvalOptions{})
			return err
		}},
	} {
		if err := tc.err(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

// A context that ends while one device loops and the other waits names the device that did not come.
func TestDevicesAreCancelled(t *testing.T) {
	wait := build(t, "sum", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.Parameter(0, predS, "p"), CollectiveOptions{})
	})
	loop := build(t, "loop", func(b *Builder) *Instruction {
		yes := build(t, "yes", func(b *Builder) *Instruction { b.Parameter(0, predS, "p"); return ConstantR0(b, true) })
		return b.While(yes, identity(t, predS), b.Parameter(0, predS, "p"))
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	arg := []*literal.Literal{literal.Scalar(true)}
	_, err := EvaluateGrid(ctx, [][]*Computation{{wait}, {loop}}, [][]*literal.Literal{arg, arg}, EvalOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestPermuteTeam compares whom the pairs of a permute link with a device, and who sends to whom, with what comes of
// going through the pairs until nothing changes.
func TestPermuteTeam(t *testing.T) {
	const n = 9
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		from, to := r.Perm(n), r.Perm(n)
		pairs := make([][2]int64, r.IntN(n+1))
		for i := range pairs {
			pairs[i] = [2]int64{int64(from[i]), int64(to[i])}
		}
		in := &Instruction{Op: CollectivePermute, Attrs: &CollectivePermuteAttrs{SourceTargetPairs: pairs}}
		for d := range n {
			linked := make([]bool, n)
			linked[d] = true
			for range n {
				for _, p := range pairs {
					both := linked[p[0]] || linked[p[1]]
					linked[p[0]], linked[p[1]] = both, both
				}
			}
			var group []int
			for other, here := range linked {
				if here {
					group = append(group, other)
				}
			}
			team, err := Place{Grid: collective.Grid{Replicas: n}, Device: d}.Team(in)
			if err != nil || !slices.Equal(team.Group, group) {
				t.Fatalf("device %d of %v: got %v, %v, want %v", d, pairs, team.Group, err, group)
			}
			for i, a := range group {
				for k, b := range group {
					sends := slices.Contains(pairs, [2]int64{int64(a), int64(b)})
					if team.Needs(i, k) != sends || b == d && sends != (team.Source == i) {
						t.Errorf("device %d of %v: %d sends to %d: got %v, and the source %d", d, pairs, a, b, !sends, team.Source)
					}
				}
			}
		}
	}
}
