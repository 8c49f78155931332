package hlo

import (
	"reflect"
	"strings"
	"testing"
)

// valueCases: text, what it is, and the canonical text if it differs.
var valueCases = []struct {
	text, canonical string
	want            Value
}{
	{"{3}", "", ptr(OneDim(3))},
	{"3", "{3}", ptr(OneDim(3))},
	{"2", "", &Optional{2, true}},
	{"{2}", "", &OptionalDim{2, true}},
	{"{0}", "", &OptionalDim{0, true}},
	{"{{0,1},{1,0}}", "", &Pairs{{0, 1}, {1, 0}}},
	{"{ {0, 1}, {1, 0} }", "{{0,1},{1,0}}", &Pairs{{0, 1}, {1, 0}}},
	{"{}", "", ptr(Pairs(nil))},
	{"EQ", "", ptr(Eq)},
	{"LT", "", ptr(Lt)},
	{"TOTALORDER", "", ptr(TotalOrder)},
	{"TOTAL", "TOTALORDER", ptr(TotalOrder)},
	{"PARTIAL", "", ptr(DefaultComparison)},
	{"PARTIALORDER", "", ptr(DefaultComparison)},
	{"SIGNED", "", ptr(SignedComparison)},
	{"rng_uniform", "", ptr(RngUniform)},
	{"NORMAL", "rng_normal", ptr(RngNormal)},
	{"rng_bernoulli", "", ptr(RngBernoulli)},
	{"rng_three_fry", "", ptr(RngThreeFry)},
	{"PHILOX", "rng_philox", ptr(RngPhilox)},
	{"IRFFT", "", ptr(IRFFT)},
	{"fft", "FFT", ptr(FFT)},
	{"ADJOINT", "", ptr(Adjoint)},
	{"NO_TRANSPOSE", "", ptr(NoTranspose)},
	{"API_VERSION_TYPED_FFI", "", ptr(APITypedFFI)},
	{"STATUS_RETURNING", "API_VERSION_STATUS_RETURNING", ptr(APIStatusReturning)},
	{"{high,highest}", "", &Precision{HighPrecision, HighestPrecision}},
	{"{DEFAULT, HIGH}", "{default,high}", &Precision{DefaultPrecision, HighPrecision}},
	{"{size=3x3 stride=2x2 pad=1_1x0_0}", "", &Window{{3, 2, 1, 1, 1, 1, false}, {3, 2, 0, 0, 1, 1, false}}},
	{"{size=2x1 pad=-1_3x0_-2 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0}", "",
		&Window{{2, 1, -1, 3, 1, 2, true}, {1, 1, 0, -2, 2, 1, false}}},
	{"{}", "", ptr(Window(nil))},
	{"{pad=0_1 size=4 stride=1}", "{size=4 pad=0_1}", &Window{{4, 1, 0, 1, 1, 1, false}}},
	{"0_1x2_-1", "", &Padding{{0, 1, 0}, {2, -1, 0}}},
	{"0_1_0x2_-1_3", "", &Padding{{0, 1, 0}, {2, -1, 3}}},
	{"0_1_0x2_3_0", "0_1x2_3", &Padding{{0, 1, 0}, {2, 3, 0}}},
	{"", "", &Padding{}},
	{"{[0:4:2], [1:3:1]}", "", &SliceDims{{0, 4, 2}, {1, 3, 1}}},
	{"{[0:4],[1:3:1]}", "{[0:4], [1:3]}", &SliceDims{{0, 4, 1}, {1, 3, 1}}},
	{"{}", "", &SliceDims{}},
	{"b01f_01io->b01f", "", &DimLabels{InputFeature: 3, InputSpatial: []int64{1, 2}, KernelInput: 2, KernelOutput: 3,
		KernelSpatial: []int64{0, 1}, OutputFeature: 3, OutputSpatial: []int64{1, 2}}},
	{"bf10_oi10->1bf0", "", &DimLabels{InputBatch: 0, InputFeature: 1, InputSpatial: []int64{3, 2}, KernelInput: 1,
		KernelOutput: 0, KernelSpatial: []int64{3, 2}, OutputBatch: 1, OutputFeature: 2, OutputSpatial: []int64{3, 0}}},
	{"bf_io->fb", "", &DimLabels{InputFeature: 1, KernelOutput: 1, OutputBatch: 1}},
	{"b?f0_0io->bf0?", "", &DimLabels{InputFeature: 2, InputSpatial: []int64{3}, InputUnknown: []int64{1}, KernelInput: 1,
		KernelOutput: 2, KernelSpatial: []int64{0}, OutputFeature: 1, OutputSpatial: []int64{2}, OutputUnknown: []int64{3}}},
	{"{{0,1},{2,3}}", "", &ReplicaGroups{Groups: [][]int64{{0, 1}, {2, 3}}}},
	{"{}", "", &ReplicaGroups{}},
	{"[2,2]<=[4]", "", &ReplicaGroups{[][]int64{{0, 1}, {2, 3}}, "[2,2]<=[4]"}},
	{"[4,2]<=[2,4]T(1,0)", "", &ReplicaGroups{[][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, "[4,2]<=[2,4]T(1,0)"}},
	{"[2,4]<=[2,2,2]T(1,0,2)", "", &ReplicaGroups{[][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}}, "[2,4]<=[2,2,2]T(1,0,2)"}},
	{"mesh['x'=2,'y'=4] {'x'}", "", &ReplicaGroups{[][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, "mesh['x'=2,'y'=4] {'x'}"}},
	{"mesh['x'=2,'y'=4] {'y'}", "", &ReplicaGroups{[][]int64{{0, 1, 2, 3}, {4, 5, 6, 7}}, "mesh['x'=2,'y'=4] {'y'}"}},
	{"mesh['x'=2,'y'=4] {'y':(1)2}", "", &ReplicaGroups{[][]int64{{0, 2}, {1, 3}, {4, 6}, {5, 7}},
		"mesh['x'=2,'y'=4] {'y':(1)2}"}},
	{"mesh['x'=2,'y'=4] {'x','y':(2)2}", "", &ReplicaGroups{[][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}},
		"mesh['x'=2,'y'=4] {'x','y':(2)2}"}},
	{"mesh['x'=4,'y'=2] {'y','x'}", "", &ReplicaGroups{[][]int64{{0, 2, 4, 6, 1, 3, 5, 7}}, "mesh['x'=4,'y'=2] {'y','x'}"}},
	{"mesh['x'=2,'y'=2], device_ids=(3,1,2,0) {'x'}", "", &ReplicaGroups{[][]int64{{3, 2}, {1, 0}},
		"mesh['x'=2,'y'=2], device_ids=(3,1,2,0) {'x'}"}},
	{"mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'x'}", "", &ReplicaGroups{[][]int64{{0, 1}, {2, 3}},
		"mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'x'}"}},
	{"mesh['a'=8] {'a':(1)2,'a':(4)2}", "", &ReplicaGroups{[][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}},
		"mesh['a'=8] {'a':(1)2,'a':(4)2}"}},
}

func ptr[T any](v T) *T { return &v }

func TestValues(t *testing.T) {
	for _, c := range valueCases {
		if c.canonical == "" && !strings.HasPrefix(c.text, "PARTIAL") {
			c.canonical = c.text
		}
		got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface().(Value)
		if err := got.ParseText(c.text); err != nil {
			t.Errorf("%T %s: %v", c.want, c.text, err)
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T %s: got %+v, want %+v", c.want, c.text, got, c.want)
		}
		if text := string(got.AppendText(nil)); text != c.canonical {
			t.Errorf("%T %s: printed %s, want %s", c.want, c.text, text, c.canonical)
		}
	}
}

func TestValueErrors(t *testing.T) {
	for _, c := range []struct {
		v          Value
		text, want string
	}{
		{new(OneDim), "{1,2}", "want an integer"},
		{new(OneDim), "{}", "want an integer"},
		{new(Optional), "99999999999999999999", "want an integer from"},
		{new(Pairs), "{{0,1,2}}", "want pairs"},
		{new(Pairs), "{{0,1}{1,0}}", "commas"},
		{new(Pairs), "{{0,1},}", "commas"},
		{new(Pairs), "{0,1}", "list of lists"},
		{new(Direction), "LQ", "one of EQ, NE, GE, GT, LE, LT"},
		{new(Direction), "", "one of"},
		{new(ComparisonType), "ORDER", "FLOAT, TOTALORDER, SIGNED, UNSIGNED"},
		{new(Distribution), "rng_poisson", "rng_uniform"},
		{new(Precision), "{low}", "default, high, highest"},
		{new(Precision), "high", "want a list"},
		{new(Window), "{size=3x3 stride=2}", "stride has 1 dimensions, want 2"},
		{new(Window), "{size=3 size=3}", "twice"},
		{new(Window), "{colour=3}", "want size, stride"},
		{new(Window), "{size}", "name=value"},
		{new(Window), "{size=3 pad=1}", "low_high"},
		{new(Window), "{size=3 rhs_reversal=2}", "0 or 1"},
		{new(Window), "size=3", "want {size"},
		{new(Window), "{size=3x3 stride=1x0}", "window stride: "},
		{new(Window), "{size=3 rhs_dilate=0}", "window rhs_dilate: "},
		{new(Padding), "1", "low_high"},
		{new(Padding), "1_2_3_4", "low_high"},
		{new(Padding), "1_x", "integer"},
		{new(SliceDims), "{[0:1:2:3]}", "start:limit"},
		{new(SliceDims), "{[0:4:0]}", "stride is 0"},
		{new(SliceDims), "{0:4}", "[start:limit]"},
		{new(SliceDims), "{[0:4]", "want {[start"},
		{new(SliceDims), "{[0:4][0:1]}", "commas"},
		{new(DimLabels), "b01f", "want labels such as"},
		{new(DimLabels), "b01f_01io->b0f", "same number"},
		{new(DimLabels), "bb_io->bf", "twice"},
		{new(DimLabels), "b1f_0io->b0f", "no spatial dimension 0"},
		{new(DimLabels), "bx_io->bf", "'x'"},
		{new(DimLabels), "b0_io->bf", "no b or no f"},
		{new(ReplicaGroups), "{0,1}", "list of lists"},
		{new(ReplicaGroups), "[2,2]", "such as"},
		{new(ReplicaGroups), "[2,2]<=[5]", "of 4 ids, got 5"},
		{new(ReplicaGroups), "[4]<=[4]", "number and size"},
		{new(ReplicaGroups), "[2,2]<=[2,2]T(0,0)", "permutation"},
		{new(ReplicaGroups), "[1000000000,1000000000]<=[1000000000,1000000000]", "at most 1048576"},
		{new(ReplicaGroups), "[0,4]<=[0]", "sizes from 1"},
		{new(ReplicaGroups), "mesh['x'=2]", "such as mesh"},
		{new(ReplicaGroups), "mesh['x'=0] {'x'}", "'name'=size"},
		{new(ReplicaGroups), "mesh['x'=1048576,'y'=2] {'x'}", "at most 1048576 ids"},
		{new(ReplicaGroups), "mesh['x'=2], replicated {'x'}", "got replicated, want device_ids"},
		{new(ReplicaGroups), "[2,2]<=[4]1,0", "want T("},
		{new(ReplicaGroups), "mesh['x'=2] {'y'}", "want an axis of the mesh"},
		{new(ReplicaGroups), "mesh['x'=4] {'x':(3)2}", "divides 4"},
		{new(ReplicaGroups), "mesh['x'=8] {'x':(1)4,'x':(2)2}", "overlap"},
		{new(ReplicaGroups), "mesh['x'=8] {'x','x'}", "overlap"},
		{new(ReplicaGroups), "mesh['x'=2], device_ids=(0) {'x'}", "got 1 devices, want 2"},
		{new(TransposeA), "NONE", "NO_TRANSPOSE"},
		{new(APIVersion), "5", "API_VERSION_TYPED_FFI"},
		{new(FftType), "DCT", "IRFFT"},
		{new(RandomAlgorithm), "mersenne", "rng_philox"},
	} {
		err := c.v.ParseText(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %s: got %v, want an error with %q", c.v, c.text, err, c.want)
		}
	}
}
