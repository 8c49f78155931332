package hlo

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestBuilderGenerations: forms of signatures that only one generation of the builder had.
func TestBuilderGenerations(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *Builder) *Instruction
		want  string
	}{
		{"DynamicSlice by a vector, 2017", func(b *Builder) *Instruction {
			x := ConstantR2(b, []int32{0, 1, 2}, []int32{3, 4, 5})
			return b.DynamicSlice(x, just(ConstantR1[int32](b, 1, 9)), dims(1, 2)) // 9 clamps to 1
		}, "s32[1,2] { { 4, 5 } }"},
		{"DynamicUpdateSlice by a vector, 2017", func(b *Builder) *Instruction {
			x := ConstantR1[int32](b, 0, 1, 2, 3)
			return b.DynamicUpdateSlice(x, ConstantR1[int32](b, 8, 9), just(ConstantR1[int32](b, -1)))
		}, "s32[4] {8, 9, 2, 3}"},
		{"Sort(operand), 2017", func(b *Builder) *Instruction {
			return b.Sort(just(ConstantR2(b, []float32{3, 1, 2}, []float32{0, -1, 5})), nil, -1, false)
		}, "f32[2,3] { { 1, 2, 3 }, { -1, 0, 5 } }"},
		{"Slice without strides, 2017", func(b *Builder) *Instruction {
			return b.Slice(ConstantR1[int32](b, 0, 1, 2, 3), dims(1), dims(3), nil)
		}, "s32[2] {1, 2}"},
		{"Reshape(operand, dimensions, new_sizes), 2017", func(b *Builder) *Instruction {
			return b.ReshapeInOrder(ConstantR2(b, []int32{1, 2, 3}, []int32{4, 5, 6}), dims(1, 0), dims(6))
		}, "s32[6] {1, 4, 2, 5, 3, 6}"},
		{"Iota(type, size), 2021", func(b *Builder) *Instruction {
			return b.IotaVector(shape.S32, 3)
		}, "s32[3] {0, 1, 2}"},
		{"ConstantR1(length, value)", func(b *Builder) *Instruction {
			return b.Broadcast(ConstantR0[int32](b, 7), dims(2))
		}, "s32[2] {7, 7}"},
		{"Map with a scalar operand", func(b *Builder) *Instruction {
			x, y := ConstantR1[float32](b, 1, 2), ConstantR0[float32](b, 10)
			return b.Map([]*Instruction{x, y}, numBinary(t, Subtract, shape.F32), dims(0))
		}, "f32[2] {-9, -8}"},
		{"Map with a static scalar, 2017", func(b *Builder) *Instruction {
			x, y := ConstantR1[float32](b, 1, 2), ConstantR0[float32](b, 10)
			return b.Map(just(x), numBinary(t, Subtract, shape.F32), dims(0), y)
		}, "f32[2] {-9, -8}"},
		{"Map with a static array, 2017", func(b *Builder) *Instruction {
			pick := build(t, "pick", func(b *Builder) *Instruction { // table[i] + x
				i, x := b.Parameter(0, s32S, "i"), b.Parameter(1, f32S, "x")
				table := b.Parameter(2, vec32(3), "table")
				return b.Add(b.Reshape(b.DynamicSlice(table, just(i), dims(1)), nil), x)
			})
			i := ConstantR2(b, []int32{2, 0}, []int32{1, 1})
			x := ConstantR2(b, []float32{1, 2}, []float32{3, 4})
			return b.Map([]*Instruction{i, x}, pick, dims(0, 1), ConstantR1[float32](b, 100, 200, 300))
		}, "f32[2,2] { { 301, 102 }, { 203, 204 } }"},
		{"Map over nothing with a static array", func(b *Builder) *Instruction {
			second := build(t, "second", func(b *Builder) *Instruction {
				b.Parameter(0, f32S, "x")
				return b.Reshape(b.Slice(b.Parameter(1, vec32(3), "table"), dims(1), dims(2), nil), nil)
			})
			x := ConstantFromArray(b, []float32{}, 0, 2)
			return b.Map(just(x), second, dims(0, 1), ConstantR1[float32](b, 1, 2, 3))
		}, "f32[0,2] {  }"},
		{"Trace, 2017", func(b *Builder) *Instruction {
			return b.Trace("tag", ConstantR0[int32](b, 5))
		}, "s32[] 5"},
		{"ConvGeneral, channels last", func(b *Builder) *Instruction {
			x := ConstantFromArray(b, []float32{1, 2, 3, 4}, 1, 2, 2) // batch, space, feature
			k := ConstantFromArray(b, []float32{10, 1}, 1, 2, 1)      // space, input, output feature
			l := DimLabels{
				InputBatch: 0, InputSpatial: dims(1), InputFeature: 2, KernelSpatial: dims(0), KernelInput: 1,
				KernelOutput: 2, OutputBatch: 0, OutputSpatial: dims(1), OutputFeature: 2,
			}
			return b.ConvGeneral(x, k, dims(1), [][2]int64{{1, 0}}, l)
		}, "f32[1,3,1] { { {0}, {12}, {34} } }"},
	} {
		if got := evalBuilt(t, c.build); got.String() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}

func TestParameterReplication(t *testing.T) {
	b := NewBuilder("test")
	pair := shape.TupleOf(f32S, shape.TupleOf(s32S))
	p := b.Parameter(0, pair, "p", true, false)
	if got := p.Attrs.(*ParameterAttrs).Replication; !slices.Equal(got, []bool{true, false}) {
		t.Errorf("got %v, want true and false", got)
	}
	wantBuildError(t, "got 1 flags of replication, want 2", func(b *Builder) *Instruction {
		return b.Parameter(0, pair, "p", true)
	})
}

func TestIsConstant(t *testing.T) {
	random := build(t, "random", func(b *Builder) *Instruction {
		x := b.Parameter(0, f32S, "x")
		return b.RngUniform(x, x, f32S)
	})
	for _, c := range []struct {
		name       string
		parameters int64
		build      func(b *Builder) *Instruction
		want       bool
	}{
		{"sum of constants", 0, func(b *Builder) *Instruction {
			return b.Add(ConstantR0[float32](b, 1), ConstantR0[float32](b, 2))
		}, true},
		{"parameter", 0, func(b *Builder) *Instruction { return b.Neg(b.Parameter(0, f32S, "x")) }, false},
		{"parameter that is given", 1, func(b *Builder) *Instruction { return b.Neg(b.Parameter(0, f32S, "x")) }, true},
		{"parameter beside", 0, func(b *Builder) *Instruction {
			b.Parameter(0, f32S, "x")
			return ConstantR0[float32](b, 1)
		}, true},
		{"parameter that is used later", 0, func(b *Builder) *Instruction {
			c := ConstantR0[float32](b, 1)
			b.Add(c, b.Parameter(0, f32S, "x"))
			return c
		}, true},
		{"random number", 0, func(b *Builder) *Instruction {
			x := ConstantR0[float32](b, 1)
			return b.Sub(b.RngNormal(x, x, f32S), x)
		}, false},
		{"random number in a call", 0, func(b *Builder) *Instruction {
			return b.Call(random, ConstantR0[float32](b, 1))
		}, false},
		{"call", 0, func(b *Builder) *Instruction { return b.Call(identity(t, f32S), ConstantR0[float32](b, 1)) }, true},
		{"replica", 0, func(b *Builder) *Instruction { return b.ReplicaId() }, false},
		{"infeed", 0, func(b *Builder) *Instruction { return b.Infeed(f32S, "") }, false},
		{"of another builder", 0, func(b *Builder) *Instruction {
			return ConstantR0[float32](NewBuilder("other"), 1)
		}, false},
		{"after a fault", 0, func(b *Builder) *Instruction {
			c := ConstantR0[float32](b, 1)
			b.Not(c)
			return c
		}, false},
	} {
		b := NewBuilder("test")
		if got := b.IsConstant(c.build(b), c.parameters); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}

func TestComputeConstant(t *testing.T) {
	ctx, b := context.Background(), NewBuilder("test")
	x := b.Parameter(0, shape.Array(shape.S32, 2, 2), "x")
	y := b.Parameter(1, s32S, "y")
	double := b.Add(x, x)
	result := b.Add(double, y)
	arg, err := literal.FromSlice([]int32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.ComputeConstant(ctx, double, shape.MakeLayout(0, 1), arg)
	if err != nil {
		t.Fatal(err)
	}
	const want = "s32[2,2] { { 2, 4 }, { 6, 8 } }"
	if got.RowMajor().String() != want || got.Bytes()[4] != 6 {
		t.Errorf("got %v with bytes %v, want %s in columns", got.RowMajor(), got.Bytes(), want)
	}
	for _, c := range []struct {
		name string
		of   *Instruction
		args []*literal.Literal
		want string
	}{
		{"a parameter that is not given", result, []*literal.Literal{arg}, "is not constant"},
		{"a parameter of another shape", double, []*literal.Literal{literal.Scalar(int32(1))},
			"the value of parameter 0 is s32[], want s32[2,2]"},
	} {
		_, err := b.ComputeConstant(ctx, c.of, nil, c.args...)
		if err == nil {
			t.Fatalf("%s: got no error", c.name)
		}
		wantError(t, c.name, err.Error(), c.want)
	}
	// The builder is as it was.
	c, err := b.Build(result)
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "after it", run(t, c, arg, literal.Scalar(int32(100))), int32(102), 104, 106, 108)
	b.Not(ConstantR0[float32](b, 1))
	if _, err := b.ComputeConstant(ctx, double, nil, arg); err == nil || err != b.Err() {
		t.Errorf("got %v after a fault, want %v", err, b.Err())
	}
}

func TestBitGenerators(t *testing.T) {
	u64 := func(b *Builder, v uint64) *Instruction { return ConstantR0(b, v) }
	got := evalBuilt(t, func(b *Builder) *Instruction {
		bits := shape.Array(shape.U32, 5)
		v, s := b.ThreeFryBitGenerator(u64(b, 1), u64(b, 2), bits)
		w, p := b.PhiloxBitGenerator(u64(b, 1), ConstantR1[uint64](b, 2, 3), bits)
		return b.Tuple(v, s, w, p)
	}).Elems()
	// Vectors of the generators with these keys and counters.
	wantElems(t, "ThreeFry", got[0], uint32(0x0296e954), 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3)
	wantElems(t, "its state", got[1], uint64(5))
	wantElems(t, "Philox", got[2], uint32(0xf045e74a), 0x517630e6, 0x1d8af405, 0xb5e59a96, 0x05545ceb)
	wantElems(t, "its state", got[3], uint64(4), 3)
	wantBuildError(t, "got key u64[] and state u64[], want u64[] and u64[2]", func(b *Builder) *Instruction {
		v, _ := b.PhiloxBitGenerator(u64(b, 1), u64(b, 2), shape.Array(shape.U32, 5))
		return v
	})
}

func TestFloatingPointDistributions(t *testing.T) {
	uniform := func(et shape.ElementType, n int64) []float64 {
		l := evalBuilt(t, func(b *Builder) *Instruction {
			low := b.ConstantLiteral(literal.ScalarOf(et, -1))
			high := b.ConstantLiteral(literal.ScalarOf(et, 3))
			v, _ := b.UniformFloatingPointDistribution(ConstantR0[uint64](b, 1), ConstantR0[uint64](b, 2),
				RngThreeFry, low, high, shape.Array(et, n))
			return v
		})
		return literal.ConvertWide(l.Wide(), et, shape.F64).F
	}
	// The top mantissa bits of the vector in TestBitGenerators, over 2 to their number, times 4 minus 1.
	for _, c := range []struct {
		t    shape.ElementType
		want []float64
	}{
		{shape.BF16, []float64{116./32 - 1, 106./32 - 1, 73./32 - 1, 40./32 - 1}},
		{shape.F16, []float64{933./256 - 1, 852./256 - 1}},
		{shape.F32, []float64{0x14b74/float64(1<<21) - 1, 0x4017ea/float64(1<<21) - 1}},
	} {
		got := uniform(c.t, 5)[:len(c.want)]
		for i, want := range c.want {
			if math.Abs(got[i]-want) > math.Exp2(-float64(c.t.MantissaBits())) {
				t.Errorf("%v: got %v, want %v", c.t, got, c.want)
				break
			}
		}
	}
	if got, want := uniform(shape.F64, 2)[0], 0x802fd53b0296e/float64(1<<50)-1; math.Abs(got-want) > 0x1p-51 {
		t.Errorf("f64: got %v, want %v", got, want)
	}
	normal := evalBuilt(t, func(b *Builder) *Instruction {
		v, _ := b.NormalFloatingPointDistribution(ConstantR0[uint64](b, 1), ConstantR0[uint64](b, 2), RngThreeFry,
			shape.Array(shape.F32, 3, 1))
		return v
	})
	// Of four uniform numbers, the first two with the last two.
	u := []float64{0x0296e954 / 0x1p32, 0x802fd53b / 0x1p32, 0xed3492d3 / 0x1p32, 0xdf435003 / 0x1p32}
	r0, r1 := math.Sqrt(-2*math.Log(u[0])), math.Sqrt(-2*math.Log(u[1]))
	want := []float64{r0 * math.Sin(2*math.Pi*u[2]), r1 * math.Sin(2*math.Pi*u[3]), r0 * math.Cos(2*math.Pi*u[2])}
	for i, v := range elems[float32](t, normal) {
		if math.Abs(float64(v)-want[i]) > 1e-4 {
			t.Errorf("normal %d: got %v, want %v", i, v, want[i])
		}
	}
	wantBuildError(t, "got s32[2], want an array of f16", func(b *Builder) *Instruction {
		x := ConstantR0[uint64](b, 1)
		v, _ := b.UniformFloatingPointDistribution(x, x, RngThreeFry, x, x, shape.Array(shape.S32, 2))
		return v
	})
}

// TestDynamicConvs: a convolution of 5 numbers at most, in truth 4, with a kernel of 3 and strides of 2 under SAME
// padding, and its gradients. Padding of 4 is 0 and 1, of 5 it would be 1 and 1.
func TestDynamicConvs(t *testing.T) {
	l := DefaultConvDimensionNumbers(1)
	cropped := func(b *Builder, size int32, v ...float32) *Instruction {
		x := ConstantFromArray(b, v, 1, 1, int64(len(v)))
		return b.SetDimensionSize(x, ConstantR0(b, size), 2)
	}
	input := func(b *Builder) *Instruction { return cropped(b, 4, 1, 2, 3, 4, 1000) }
	gradient := func(b *Builder) *Instruction { return cropped(b, 2, 1, 2, 1000) }
	kernel := func(b *Builder) *Instruction { return ConstantFromArray(b, []float32{1, 10, 100}, 1, 1, 3) }
	reversed := func(b *Builder) *Instruction { return ConstantFromArray(b, []float32{100, 10, 1}, 1, 1, 3) }
	static := [][2]int64{{1, 1}}
	for _, c := range []struct {
		name  string
		build func(b *Builder) *Instruction
		want  string
	}{
		{"forward", func(b *Builder) *Instruction {
			return b.DynamicConvForward(input(b), kernel(b), dims(2), static, nil, nil, l, SamePadding)
		}, "f32[1,1,2] { { { 321, 43 } } }"},
		{"forward, valid", func(b *Builder) *Instruction {
			return b.DynamicConvForward(input(b), kernel(b), dims(2), nil, nil, nil, l, ValidPadding)
		}, "f32[1,1,1] { { {321} } }"},
		{"forward, static", func(b *Builder) *Instruction {
			x := ConstantFromArray(b, []float32{1, 2, 3}, 1, 1, 3)
			return b.DynamicConvForward(x, kernel(b), dims(2), static, nil, nil, l, SamePadding)
		}, "f32[1,1,2] { { { 210, 32 } } }"},
		{"input gradient", func(b *Builder) *Instruction {
			sizes := ConstantR1[int32](b, 1, 1, 4)
			return b.DynamicConvInputGrad(sizes, gradient(b), reversed(b), dims(1), static, dims(2), nil, l, SamePadding)
		}, "f32[1,1,4] { { { 1, 10, 102, 20 } } }"},
		{"input gradient, valid", func(b *Builder) *Instruction { // of 6 numbers; the last is in no window
			sizes := ConstantR1[int32](b, 1, 1, 6)
			return b.DynamicConvInputGrad(sizes, gradient(b), reversed(b), dims(1), static, dims(2), nil, l, ValidPadding)
		}, "f32[1,1,6] { { { 1, 10, 102, 20, 200, 0 } } }"},
		{"kernel gradient", func(b *Builder) *Instruction {
			return b.DynamicConvKernelGrad(input(b), gradient(b), dims(1), static, nil, dims(2), l, SamePadding)
		}, "f32[1,1,3] { { { 7, 10, 3 } } }"},
	} {
		if got := evalBuilt(t, c.build); got.String() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
	for want, f := range map[string]func(b *Builder) *Instruction{
		"element types differ": func(b *Builder) *Instruction {
			k := ConstantFromArray(b, []int32{1}, 1, 1, 1)
			return b.DynamicConvForward(input(b), k, dims(2), static, nil, nil, l, SamePadding)
		},
		"input sizes: got s32[2], want integers of size [3]": func(b *Builder) *Instruction {
			sizes := ConstantR1[int32](b, 1, 4)
			return b.DynamicConvInputGrad(sizes, gradient(b), kernel(b), nil, static, nil, nil, l, SamePadding)
		},
		"padding: got 1 pairs, want 0": func(b *Builder) *Instruction {
			return b.DynamicConvKernelGrad(input(b), kernel(b), nil, static, nil, nil, DimLabels{}, SamePadding)
		},
	} {
		wantBuildError(t, want, f)
	}
}

// TestSendAndRecvOfHLO: the forms that split transfers, here with work between start and done. Rows 86 to 89.
func TestSendAndRecvOfHLO(t *testing.T) {
	first := build(t, "first", func(b *Builder) *Instruction {
		x := ConstantR0[int32](b, 5)
		send := b.CreateSend(x, b.CreateToken(), 1, false)
		nine := b.Add(x, ConstantR0[int32](b, 4))
		return b.Tuple(nine, b.CreateSendDone(send))
	})
	second := build(t, "second", func(b *Builder) *Instruction {
		recv := b.CreateRecv(s32S, b.CreateToken(), 1, false)
		one := ConstantR0[int32](b, 1)
		return b.Add(b.GetTupleElement(b.CreateRecvDone(recv), 0), one)
	})
	out, err := EvaluateGrid(limited(t), [][]*Computation{{first, second}}, make([][]*literal.Literal, 2), EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "sender", out[0].Elems()[0], int32(9))
	wantElems(t, "receiver", out[1], int32(6))
	wantBuildError(t, "send", func(b *Builder) *Instruction { return b.CreateSendDone(b.CreateToken()) })
	wantBuildError(t, "recv", func(b *Builder) *Instruction { return b.CreateRecvDone(b.CreateToken()) })
}

// TestAllGatherOfTwo: row 113.
func TestAllGatherOfTwo(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		x := b.Parameter(0, vec32(1), "x")
		return b.AllGatherTuple([]*Instruction{x, b.Neg(x)}, 0, 2, CollectiveOptions{})
	})
	for _, l := range onDevices(t, c, 2, 1, arg32s(t, []float32{1}), arg32s(t, []float32{2})) {
		wantElems(t, "first", l.Elems()[0], float32(1), 2)
		wantElems(t, "second", l.Elems()[1], float32(-1), -2)
	}
}

// TestCustomCallForms: what the forms of custom calls hand to the function. Row 90.
func TestCustomCallForms(t *testing.T) {
	double := build(t, "double", func(b *Builder) *Instruction {
		x := b.Parameter(0, f32S, "x")
		return b.Add(x, x)
	})
	h := handlers{"f": func(ctx context.Context, call *Instruction, args []*literal.Literal) (*literal.Literal, error) {
		a := call.Attrs.(*CustomCallAttrs)
		if len(a.Window) == 1 && a.Window[0].Size == 3 && a.DimLabels.KernelOutput == 0 && a.DimLabels.KernelInput == 1 {
			return literal.Scalar(float32(len(a.OperandLayouts))), nil
		}
		return Evaluate(ctx, NewModule("f", a.ToApply), args, EvalOptions{})
	}}
	c := build(t, "main", func(b *Builder) *Instruction {
		x := ConstantR0[float32](b, 4)
		computation := b.CustomCallWithComputation("f", just(x), double, f32S, CustomCallOptions{})
		window := Window{{Size: 3}}
		conv := b.CustomCallWithConvDnums("f", just(x), laid(f32S), []shape.Shape{laid(f32S)}, window,
			DefaultConvDimensionNumbers(1), CustomCallOptions{})
		return b.Tuple(computation, conv)
	})
	out, err := Evaluate(context.Background(), NewModule("m", c), nil, EvalOptions{Handlers: h})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "with a computation", out.Elems()[0], float32(8))
	wantElems(t, "with a convolution's numbers", out.Elems()[1], float32(1))
}
