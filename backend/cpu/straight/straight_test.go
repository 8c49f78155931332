package straight

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
)

// Pointers of a random program: arrays of lanes, one of elements, one lane of memory, numbers, results, and slots.
const (
	arrayX = iota
	arrayY
	arrayNarrow
	splat
	immediate
	immediates = 5
	firstOut   = immediate + immediates
	outs       = 2
	firstSlot  = firstOut + outs
	slots      = 3
)

// special are lanes at the ends of what there is.
func special(lane int) []uint64 {
	list := []uint64{0, 1, 1<<64 - 1, 1 << 63, 1 << 31, 0x7fffffff, 0xffff, 40}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-40, -1e-310, 0.5, -0.5,
		1.5, 2.5, -2.5, 300, 1e9, -1e10, 3e38, 1 << 31, -(1 << 31)} {
		if lane == 4 {
			list = append(list, uint64(math.Float32bits(float32(f))))
		} else {
			list = append(list, math.Float64bits(f))
		}
	}
	return list
}

// lanesOf returns n random lanes, special ones among them.
func lanesOf(r *rand.Rand, lane, n int) []byte {
	var b []byte
	list := special(lane)
	for range n {
		v := r.Uint64()
		switch r.IntN(6) {
		case 0:
			v = list[r.IntN(len(list))]
		case 1, 2, 3:
			v = math.Float64bits(r.NormFloat64() * 10)
			if lane == 4 {
				v = uint64(math.Float32bits(float32(r.NormFloat64() * 10)))
			}
		}
		b = binary.LittleEndian.AppendUint64(b, v)[:len(b)+lane]
	}
	return b
}

// sizes of the elements that the stages load and store; others are lanes.
var sizes = map[string]int{"s8": 1, "u8": 1, "pred": 1, "s16": 2, "u16": 2, "bf16": 2, "f16": 2, "rounded_bf16": 2}

// randomProgram has so many stages that are in names, and the narrow element of its loads and stores, if any.
func randomProgram(r *rand.Rand, names []string, lane, n, count int, from, to string) *pipeline.Program {
	stream := func(slot, size int) pipeline.Stream {
		return pipeline.Stream{Ref: run.Ref{Slot: int32(slot)}, Size: size, Strides: []int64{1}}
	}
	p := &pipeline.Program{Dims: []int64{int64(n)}, Lane: lane, Slots: slots, Task: 1 << 16,
		Inputs:  []pipeline.Stream{stream(0, lane), stream(1, lane), stream(2, max(sizes[from], 1)), stream(3, lane)},
		Outputs: []pipeline.Stream{stream(4, lane), stream(5, lane)}}
	if from == "" {
		p.Inputs[arrayNarrow].Size = lane
	}
	p.Inputs[splat].Kind, p.Inputs[splat].Strides = pipeline.Splat, []int64{0}
	for range immediates {
		list := special(lane)
		v := list[r.IntN(len(list))]
		if lane == 4 {
			v = uint64(uint32(v))
		}
		p.Inputs = append(p.Inputs, pipeline.Stream{Kind: pipeline.Immediate, Value: v})
	}
	add := func(name string, a, b, c int) {
		p.Stages = append(p.Stages, pipeline.Stage{Name: name, A: a, B: b, C: c})
	}
	add("load", arrayX, 0, 0)
	for k := range slots {
		add("store", firstSlot+k, 0, 0)
	}
	operand := func() int {
		for {
			if k := r.IntN(firstSlot + slots); (k < firstOut || k >= firstSlot) && k != arrayNarrow {
				return k
			}
		}
	}
	for range count {
		switch r.IntN(6) {
		case 0:
			add("store", firstSlot+r.IntN(slots), 0, 0)
		case 1:
			if from == "" {
				add("load", operand(), 0, 0)
			} else {
				add("load_"+from, arrayNarrow, 0, 0)
			}
		default:
			p.Stages = append(p.Stages, randomStage(r, names[r.IntN(len(names))], lane, operand, firstSlot)...)
		}
	}
	add("store", firstOut, 0, 0)
	add("load", firstSlot+r.IntN(slots), 0, 0)
	if to == "" {
		add("store", firstOut+1, 0, 0)
	} else {
		p.Outputs[1].Size = sizes[to]
		add("store_"+to, firstOut+1, 0, 0)
	}
	return p
}

// randomStage returns a stage, and what has to come before it. Its slots are those from one on.
func randomStage(r *rand.Rand, name string, lane int, operand func() int, slot int) (list []pipeline.Stage) {
	add := func(name string, a, b, c int) { list = append(list, pipeline.Stage{Name: name, A: a, B: b, C: c}) }
	a, b, c := operand(), operand(), 0
	_, isUnary := unary[name]
	switch {
	case name == "f_short":
		a = []int{-8, 8, -16, 16}[r.IntN(4)]
	case isUnary:
		a = 1 + r.IntN(8*lane-1)
	case name == "mix":
		a, b = slot+r.IntN(slots), 1+r.IntN(8*lane-1)
	case name == "add_to":
		a = slot + r.IntN(slots)
	case shifts[name] != nil:
		b = 8 * lane
	case quotients[name] != nil:
		a, b = splat+r.IntN(1+immediates), r.IntN(8*lane)
	case strings.HasPrefix(name, "where_"), strings.HasPrefix(name, "unless_"):
		c = operand()
	case strings.HasSuffix(name, "_k"):
		b = splat + r.IntN(1+immediates)
	case name == "quotient":
		return nil // it takes an inverse, too
	}
	if strings.HasPrefix(name, "select") { // by a mask
		add("lt_f", operand(), 0, 0)
	}
	if name == "select_true" || name == "select_false" {
		a = slot
		add("store", a, 0, 0)
		add("load", operand(), 0, 0)
	}
	add(name, a, b, c)
	return list
}

// family is the stages on floats or on bits. They do not go together here: of two NaN either may be the result, and
// their bits differ.
type family struct {
	names    []string
	isFloat  bool
	from, to []string
}

// ofBits are stages on the bits of floats.
var ofBits = []string{"key_f", "s_f", "u_f", "one_f"}

// families lists the stages with a recipe for such lanes at a level, but those that load and store.
func families(lane int, level run.ISA) [2]family {
	f := [2]family{{isFloat: true, from: []string{"bf16", "f16", "s16"}, to: []string{"rounded_bf16", "pred"}},
		{from: []string{"s8", "u8", "s16", "u16", "pred"}, to: []string{"s8", "u8", "s16", "u16", "bf16", "pred"}}}
	for _, name := range slices.Sorted(maps.Keys(recipes)) {
		if !pipeline.HasFor(lane, name) || !canCall(name, level) || name == "end" || strings.HasPrefix(name, "load") ||
			strings.HasPrefix(name, "store") || strings.HasPrefix(name, "acc_") {
			continue
		}
		isFloat := (strings.Contains(name, "_f") || strings.Contains(name, "f_s") || name == "round_bf16" ||
			strings.Contains(name, "select") || isCall(name)) && !slices.Contains(ofBits, name)
		if isFloat {
			f[0].names = append(f[0].names, name)
		} else {
			f[1].names = append(f[1].names, name)
		}
	}
	return f
}

// canCall reports whether a stage is no function, or one that code at a level can call.
func canCall(name string, level run.ISA) bool {
	return !isCall(name) || pipeline.Call(name, level, 4) != nil
}

func isCall(name string) bool { return slices.Contains(calls1, name) || slices.Contains(calls2, name) }

// ofWide are stages on lanes of eight bytes that AVX-512 alone has.
var ofWide = []string{"mul", "abs_s", "max_s", "min_s", "max_u", "min_u", "sar", "sari"}

// atLevels runs a test at each level that code is made for, where the machine has it.
func atLevels(t *testing.T, test func(t *testing.T, level run.ISA)) {
	for _, level := range slices.Sorted(maps.Keys(widths)) {
		t.Run(level.String(), func(t *testing.T) {
			runtest.Level(t, level)
			test(t, level)
		})
	}
}

// TestMake wants of random programs the bits that their stages have: of single stages and of long lists, of whole
// blocks and others, into the caches and past them.
func TestMake(t *testing.T) {
	atLevels(t, func(t *testing.T, level run.ISA) {
		r := rand.New(rand.NewPCG(11, 7))
		for _, lane := range []int{4, 8} {
			for _, f := range families(lane, level) {
				testFamily(t, r, f, lane, level)
			}
		}
	})
}

func testFamily(t *testing.T, r *rand.Rand, f family, lane int, level run.ISA) {
	done := map[string]bool{}
	for i := range 1600 {
		names, count, from, to := f.names, 1+r.IntN(40), "", ""
		if i < 10*len(names) {
			names, count = names[i/10:i/10+1], 3
		}
		if isCall(names[0]) {
			names, count = []string{names[0], "add_f", "sub_mul_f", "neg_f", "max_f", "square_f"}, 12
		}
		n := []int{64, 512, 1000, 4096}[r.IntN(4)]
		if i%800 == 799 {
			n = 1<<20 + 16
		}
		if lane == 4 && i%2 == 0 {
			from, to = f.from[r.IntN(len(f.from))], f.to[r.IntN(len(f.to))]
		}
		p := randomProgram(r, names, lane, n, count, from, to)
		if made := Make(p, level); made.Plain != nil {
			for _, s := range p.Stages {
				done[s.Name] = true
			}
			compare(t, r, p, made, n, f.isFloat)
		}
		if t.Failed() {
			t.Fatalf("lane %d, %d places: %v %v", lane, n, p.Stages, p.Inputs[immediate:])
		}
	}
	for _, name := range f.names {
		wide := level == run.AVX512 && slices.Contains(ofWide, name)
		if !done[name] && (lane == 4 || wide) && name != "quotient" {
			t.Errorf("nothing was made of %s with lanes of %d bytes", name, lane)
		}
	}
}

// TestMakeExtremes wants the bits that stages have of maxima and minima with numbers, zeros of both signs among them.
func TestMakeExtremes(t *testing.T) { atLevels(t, testExtremes) }

func testExtremes(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, lane := range []int{4, 8} {
		for _, v := range special(lane) {
			for _, name := range []string{"max_f", "min_f"} {
				p := randomProgram(r, []string{name}, lane, 4096, 0, "", "")
				p.Inputs[immediate].Value = v & (1<<(8*lane) - 1)
				p.Stages = []pipeline.Stage{{Name: "load", A: arrayX}, {Name: name, A: immediate},
					{Name: "store", A: firstSlot}, {Name: "load", A: arrayY}, {Name: name, A: immediate}, {Name: "neg_f"},
					{Name: "store", A: firstOut}, {Name: "load", A: firstSlot}, {Name: "store", A: firstOut + 1}}
				made := Make(p, level)
				if made.Plain == nil {
					t.Fatal("nothing was made")
				}
				if compare(t, r, p, made, 4096, true); t.Failed() {
					t.Fatalf("%s of %d bytes with %#x", name, lane, v)
				}
			}
		}
	}
}

// TestMakeBeside wants the bits that stages have of long lists that need few registers, four vectors of which go side by
// side.
func TestMakeBeside(t *testing.T) { atLevels(t, testBeside) }

func testBeside(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(4, 9))
	names, beside := []string{"mix", "rotate", "add", "xor", "wrap_u", "max_s"}, 0
	for range 200 {
		n := []int{1, 8, 31, 64, 1000, 4096}[r.IntN(6)]
		p := randomProgram(r, names, 4, n, 40, "", "")
		if made := Make(p, level); made.Unit == widths[level] {
			beside++
			compare(t, r, p, made, n, false)
		}
	}
	if beside < 30 {
		t.Errorf("%d lists of 200 go side by side by fours", beside)
	}
}

// TestMakeMasks wants what stages have of a choice by a comparison that comes before a function is called.
func TestMakeMasks(t *testing.T) { atLevels(t, testMakeMasks) }

func testMakeMasks(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(6, 2))
	p := randomProgram(r, []string{"tanh"}, 4, 1000, 0, "", "")
	p.Stages = []pipeline.Stage{{Name: "load", A: arrayX}, {Name: "lt_f", A: arrayY}, {Name: "store", A: firstSlot},
		{Name: "load", A: arrayX}, {Name: "tanh"}, {Name: "add_f", A: arrayY}, {Name: "neg_f"},
		{Name: "store", A: firstSlot + 1}, {Name: "load", A: firstSlot}, {Name: "select", A: firstSlot + 1, B: arrayY},
		{Name: "store", A: firstOut}, {Name: "load", A: firstSlot + 1}, {Name: "store", A: firstOut + 1}}
	made := Make(p, level)
	if made.Plain == nil {
		t.Fatal("nothing was made")
	}
	compare(t, r, p, made, 1000, true)
}

// TestMakePointers wants what stages have of more pointers than have registers of their own.
func TestMakePointers(t *testing.T) { atLevels(t, testPointers) }

func testPointers(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(3, 8))
	p := &pipeline.Program{Dims: []int64{1000}, Lane: 4, Task: 1 << 16, Slots: 1}
	for k := range 12 {
		p.Inputs = append(p.Inputs, pipeline.Stream{Ref: run.Ref{Slot: int32(k)}, Size: 4, Strides: []int64{1}})
	}
	p.Outputs = []pipeline.Stream{{Ref: run.Ref{Slot: 12}, Size: 4, Strides: []int64{1}}}
	p.Stages = []pipeline.Stage{{Name: "load", A: 11}, {Name: "fused_f", A: 9, B: 10}, {Name: "logistic"},
		{Name: "where_lt_f", A: 7, B: 8, C: 6}, {Name: "store", A: 13}, {Name: "load", A: 5}, {Name: "lt_f", A: 4},
		{Name: "select", A: 3, B: 2}, {Name: "add_mul_f", A: 1, B: 0}, {Name: "mul_f", A: 13}, {Name: "store", A: 12}}
	if !canCall("logistic", level) {
		p.Stages[2].Name = "sqrt_f"
	}
	made := Make(p, level)
	if made.Plain == nil {
		t.Fatal("nothing was made")
	}
	var arrays, results [][]byte
	for range p.Inputs {
		arrays = append(arrays, lanesOf(r, 4, 1000))
	}
	for _, m := range []pipeline.Made{{}, made} {
		q, result := *p, aligned(4000)
		q.Made = m
		runtest.Execute(t, 1, runtest.Slots(append(slices.Clone(arrays), result)...), q.Record(level))
		oneNaN(result, 4)
		results = append(results, result)
	}
	if k := differs(results[1], results[0], 4); k >= 0 {
		t.Errorf("element %d is %x, stages have %x", k/4, results[1][k:k+4], results[0][k:k+4])
	}
}

// TestMakeNone wants nothing for lanes of a byte, of which this package knows no instructions.
func TestMakeNone(t *testing.T) {
	p := &pipeline.Program{Dims: []int64{512}, Lane: 1, Inputs: []pipeline.Stream{{Size: 1, Strides: []int64{1}}},
		Outputs: []pipeline.Stream{{Size: 1}}, Task: 512,
		Stages: []pipeline.Stage{{Name: "load", A: 0}, {Name: "and", A: 0}, {Name: "store", A: 1}}}
	if made := Make(p, run.AVX2); made.Plain != nil || made.Past != nil {
		t.Error("it makes code for lanes of a byte")
	}
	if p.Lane = 4; Make(p, run.NEON).Plain != nil {
		t.Error("it makes code for a level that it does not know")
	}
}

// compare runs a program by its stages and by what was made of them.
func compare(t *testing.T, r *rand.Rand, p *pipeline.Program, made pipeline.Made, n int, isFloat bool) {
	t.Helper()
	arrays := [][]byte{lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, 1)}
	var want [outs][]byte
	over := r.IntN(5) // the first result lies over array 0 or 1, or over none
	for _, m := range []pipeline.Made{{}, made} {
		q := *p
		q.Made = m
		list := make([][]byte, len(arrays))
		for i, a := range arrays {
			list[i] = append(aligned(len(a))[:0], a...)
		}
		for i := range outs {
			list = append(list, aligned(n*p.Outputs[i].Size))
		}
		if over < arrayNarrow {
			list[len(arrays)] = list[over]
		}
		runtest.Execute(t, 1, runtest.Slots(list...), q.Record(made.Level))
		for i, b := range list[len(arrays):] {
			if isFloat {
				oneNaN(b, p.Outputs[i].Size)
			}
			if m.Plain == nil {
				want[i] = b
			} else if k := differs(b, want[i], p.Outputs[i].Size); k >= 0 {
				t.Errorf("result %d: element %d is %x, stages have %x", i, k/p.Outputs[i].Size,
					b[k:k+p.Outputs[i].Size], want[i][k:k+p.Outputs[i].Size])
			}
		}
	}
}

// differs returns where the first element that differs begins, or -1.
func differs(a, b []byte, size int) int {
	for k := 0; k < len(a); k += size {
		if !bytes.Equal(a[k:k+size], b[k:k+size]) {
			return k
		}
	}
	return -1
}

// oneNaN makes all NaN of floats of so many bytes one.
func oneNaN(b []byte, size int) {
	for k := 0; k+size <= len(b); k += size {
		var isNaN bool
		switch e := b[k : k+size]; size {
		case 2:
			v := math.Float32frombits(uint32(binary.LittleEndian.Uint16(e)) << 16)
			isNaN = v != v
		case 4:
			v := math.Float32frombits(binary.LittleEndian.Uint32(e))
			isNaN = v != v
		case 8:
			v := math.Float64frombits(binary.LittleEndian.Uint64(e))
			isNaN = v != v
		}
		if isNaN {
			copy(b[k:k+size], bytes.Repeat([]byte{0xff}, size))
		}
	}
}

// aligned returns memory that begins where a cache line does.
func aligned(bytes int) []byte {
	b := make([]byte, bytes+64)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64
	return b[skip : int(skip)+bytes]
}

// BenchmarkMake is what a program of so many stages takes to be made.
func BenchmarkMake(b *testing.B) {
	for _, count := range []int{8, 32, 128} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			r := rand.New(rand.NewPCG(11, 7))
			p := randomProgram(r, []string{"add_f", "mul_f", "sub_f", "add_mul_f"}, 4, 64, count, "", "")
			for b.Loop() {
				Make(p, run.Level())
			}
		})
	}
}
