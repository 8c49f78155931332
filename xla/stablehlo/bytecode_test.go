package stablehlo

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// artifacts returns the files of bytecode in testdata. They were written by the StableHLO library of jaxlib 0.12.0.1 from
// the text beside them: for the version of VHLO that the name says, or "raw", as bytecode of StableHLO itself.
func artifacts(t testing.TB) []string {
	files, err := filepath.Glob("testdata/bytecode/*.bc")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bytecode in testdata (%v)", err)
	}
	return files
}

func readFile(t testing.TB, name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// textBeside reads the text from which an artifact was made.
func textBeside(t testing.TB, artifact string) *Imported {
	base, _, _ := strings.Cut(filepath.Base(artifact), ".")
	name := filepath.Join(filepath.Dir(artifact), base+".mlir")
	im, err := Parse(Text{File: name, Source: string(readFile(t, name))})
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// TestArtifacts wants what another library wrote to be what its text is.
func TestArtifacts(t *testing.T) {
	for _, file := range artifacts(t) {
		got, err := ParseBytecode(readFile(t, file), file)
		if err != nil {
			t.Error(err)
			continue
		}
		if d := differ(bareText(got.Module), bareText(textBeside(t, file).Module)); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

var writtenVersions = []VHLOVersion{{0, 9, 0}, {0, 10, 0}, {0, 12, 0}, {0, 14, 0}, {0, 15, 0}, {0, 20, 0}, {1, 0, 0},
	{1, 1, 0}, {1, 5, 0}, {1, 6, 0}, {1, 9, 0}, {1, 10, 0}, {1, 12, 0}, {1, 18, 0}, {1, 20, 0}}

// TestWrittenVersions writes a program for every version at which something changed.
func TestWrittenVersions(t *testing.T) {
	for _, name := range []string{"since_0_9", "dynamic", "quantized"} {
		prog, err := ParseAST(versionedText(t, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := Import(prog)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range writtenVersions {
			if name == "quantized" && v.before(VHLOVersion{0, 18, 0}) {
				continue
			}
			data, err := WriteBytecode(prog, BytecodeOptions{Target: v})
			if err != nil {
				t.Errorf("%s for %s: %v", name, v, err)
				continue
			}
			got, err := ParseBytecode(data, v.String())
			if err != nil {
				t.Errorf("%s for %s: %v", name, v, err)
				continue
			}
			if d := differ(bareText(got.Module), bareText(want.Module)); d != "" {
				t.Errorf("%s for %s: %s", name, v, d)
			}
		}
	}
}

// quantizedText has types with one scale and with one for each index.
const quantizedText = `func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  %2 = stablehlo.uniform_quantize %1 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8<0:200>:f32:0, {0.5:3, 0.25}>>
  %3 = stablehlo.uniform_dequantize %2
    : (tensor<2x3x!quant.uniform<u8<0:200>:f32:0, {0.5:3, 0.25}>>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}`

func versionedText(t testing.TB, name string) Text {
	if name == "quantized" {
		return Text{File: name, Source: quantizedText}
	}
	return Text{File: name, Source: string(readFile(t, "testdata/bytecode/"+name+".mlir"))}
}

// TestNeededVersion says which version a program needs, and what older ones lack.
func TestNeededVersion(t *testing.T) {
	const head = "func.func @main(%a: tensor<4xf32>, %i: tensor<i2>, %t: !stablehlo.token) -> "
	for _, c := range []struct{ body, needs, lacks string }{
		{"tensor<4xf32> { return %a : tensor<4xf32> }", "1.2.0", "type i2"},
		{"tensor<4xf32> { %0 = stablehlo.tan %a : tensor<4xf32> return %0 : tensor<4xf32> }", "1.4.0", "op stablehlo.tan"},
		{"tensor<4xf32> { %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = " +
			"#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32> return %0 : tensor<4xf32> }", "1.9.0",
			"attribute result_accuracy of stablehlo.exponential"},
		{"tensor<4xf32> { %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {a = 1}} : " +
			"(tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }", "1.3.0", "a dictionary as backend_config"},
	} {
		prog, err := ParseAST(Text{File: "t", Source: head + c.body})
		if err != nil {
			t.Fatal(err)
		}
		data, err := WriteBytecode(prog, BytecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data[:40]), "StableHLO_v"+c.needs) {
			t.Errorf("%s: got %q, want version %s", c.body, data[:30], c.needs)
		}
		_, err = WriteBytecode(prog, BytecodeOptions{Target: VHLOVersion{1, 1, 0}})
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.lacks+" needs VHLO") &&
			!strings.Contains(err.Error(), " needs VHLO "+c.needs) {
			t.Errorf("%s: got %v, want that 1.1.0 lacks %s", c.body, err, c.lacks)
		}
	}
}

// TestUpgrades turns attributes of old ops into those of today.
func TestUpgrades(t *testing.T) {
	list := func(v ...int64) Attr { return numbers(v) }
	for _, c := range []struct {
		op, want string
		attrs    attrList
	}{
		{"gather_v1", "dimension_numbers = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>",
			attrList{property("offset_dims", list(1)), property("collapsed_slice_dims", list()),
				property("index_vector_dim", number64(1))}},
		{"scatter_v2", "scatter_dimension_numbers = #stablehlo.scatter<input_batching_dims = [0]>",
			attrList{property("input_batching_dims", list(0))}},
		{"all_reduce_v1", "use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>",
			attrList{property("channel_id", number64(3)), property("use_global_device_ids", BoolAttr(true))}},
		{"all_gather_v2", "", attrList{property("channel_id", number64(0)),
			property("use_global_device_ids", BoolAttr(false))}},
		{"collective_broadcast_v2", "", attrList{property("has_dynamic_root", BoolAttr(false))}},
		{"send_v1", "channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>",
			attrList{property("channel_id", number64(0)), property("channel_type", number64(2))}},
		{"recv_v2", "channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>", attrList{
			property("channel_id", number64(1)), property("channel_type", number64(3)),
			property("source_target_pairs", list())}},
		{"dot_general_v2", "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1]>", attrList{
			property("lhs_contracting_dimensions", list(1)), property("lhs_precision_type", TypeAttr{NoneType{}})}},
		{"dynamic_conv_v1", "dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0>", attrList{
			property("padding", list(0)), property("input_batch_dimension", number64(0))}},
		{"dot_v1", "", attrList{property("precision_config", ArrayAttr{})}},
		{"exponential_v2", "", attrList{property("result_accuracy", vhloDefaults["result_accuracy"])}},
		{"custom_call_v1", "called_computations = [@f]", attrList{property("backend_config", StringAttr("")),
			property("called_computations", ArrayAttr{StringAttr("f")}), property("operand_layouts", ArrayAttr{}),
			property("result_layouts", ArrayAttr{}), property("has_side_effect", BoolAttr(false))}},
		{"composite_v1", "decomposition = @g", attrList{property("decomposition", StringAttr("g")),
			property("composite_attributes", DictAttr{})}},
		{"call_v1", "callee = @g", attrList{property("callee", StringAttr("g"))}},
		{"compare_v1", "", attrList{property("compare_type", word("comparison_type", "NOTYPE"))}},
		{"func_v1", "", attrList{property("sym_visibility", StringAttr("")), property("arg_attrs", ArrayAttr{})}},
		{"infeed_v1", "", attrList{property("layout", ArrayAttr{})}},
		{"dynamic_broadcast_in_dim_v1", "", attrList{property("known_expanding_dimensions", list())}},
		{"reverse_v1", "dimensions = array<i64: 2, 0>", attrList{property("dimensions", &DenseAttr{Kind: DenseBytes,
			Data: []byte{2, 15: 0}, Type: &TensorType{Dims: []int64{2}, Elem: IntType{Width: 64}}})}},
	} {
		l := slices.Clone(c.attrs)
		vhloRow(c.op).upgrade(&l)
		if got := joinNamed(l); got != c.want {
			t.Errorf("%s: got %s, want %s", c.op, got, c.want)
		}
	}
}

// TestBytecodePositions says where errors in bytecode are: at a file, a name, or an offset.
func TestBytecodePositions(t *testing.T) {
	file := &Location{Kind: LocFile, File: "model.py", Line: 12, Col: 3}
	for _, c := range []struct {
		loc  *Location
		want string
	}{
		{file, "model.py:12:3: stablehlo.add"},
		{&Location{Kind: LocName, Name: "jit(f)/add", Children: []*Location{file}}, "model.py:12:3: stablehlo.add"},
		{&Location{Kind: LocCallSite, Children: []*Location{{Kind: LocName, Name: "x"}, file}}, "model.py:12:3: "},
		{&Location{Kind: LocFused, Children: []*Location{{}, {Kind: LocName, Name: "layer"}}}, `m.bc: "layer": byte `},
		{nil, "m.bc: byte "},
	} {
		prog, err := ParseAST(Text{File: "t", Source: "func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) {\n" +
			"%0 = \"stablehlo.add\"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>\nreturn }"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := prog.Module.Block(0)
		if err != nil {
			t.Fatal(err)
		}
		f.Ops[0].Regions[0].Blocks[0].Ops[0].Loc = c.loc
		data, err := WriteBytecode(prog, BytecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ParseBytecode(data, "m.bc"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s...", err, c.want)
		}
	}
}

// TestVarints writes and reads numbers of every length.
func TestVarints(t *testing.T) {
	numbers := []uint64{0, 1, math.MaxUint64, math.MaxInt64}
	for shift := range 64 {
		numbers = append(numbers, 1<<shift, 1<<shift-1, 1<<shift+1)
	}
	for _, v := range numbers {
		data := appendSigned(appendFlagged(appendVarint(nil, v), v>>1, v&1 != 0), int64(v))
		f := &bytecode{data: data}
		c := cursor{f: f, end: len(data)}
		got, flagged, flag, signed := c.varint(), uint64(0), false, int64(0)
		flagged, flag = c.flagged()
		signed = c.signed()
		if f.err != nil || got != v || flagged != v>>1 || flag != (v&1 != 0) || signed != int64(v) || c.left() != 0 {
			t.Errorf("%#x: got %#x, %#x, %v, %#x, %v", v, got, flagged, flag, signed, f.err)
		}
	}
}

// TestBadBytecode wants files that are cut off, or have a wrong byte, to be refused with a place, or to be programs.
func TestBadBytecode(t *testing.T) {
	for i, file := range artifacts(t) {
		data := readFile(t, file)
		for n := i % 16; n < len(data); n += 16 {
			if _, err := ReadBytecode(data[:n], "cut"); err == nil {
				t.Errorf("%s: no error for its first %d bytes", file, n)
			} else if e, ok := err.(*Error); !ok || e.Pos.File == "" {
				t.Errorf("%s: error without a place: %v", file, err)
			}
			for _, x := range [...]byte{1, 0xFF, data[n] ^ 2, data[n] + 2} {
				wrong := slices.Clone(data)
				wrong[n] = x
				ParseBytecode(wrong, "wrong")
			}
		}
	}
}

// TestBadBytecodeMessages names the faults of files.
func TestBadBytecodeMessages(t *testing.T) {
	head := append([]byte(bytecodeMagic), appendVarint(nil, 6)...)
	head = append(head, 0)
	section := func(id byte, body ...byte) []byte { return appendSection(nil, id, body) }
	join := func(parts ...[]byte) []byte { return slices.Concat(append([][]byte{head}, parts...)...) }
	huge := appendVarint(nil, math.MaxUint64)
	strings1 := section(sectionStrings, append(appendVarint(appendVarint(nil, 1), 8), "builtin\x00"...)...)
	dialects := section(sectionDialects, slices.Concat(appendVarint(nil, 1), appendFlagged(nil, 0, false),
		appendVarint(nil, 0))...)
	// One attribute: an array that holds itself.
	cycle := section(sectionAttrs, slices.Concat(appendVarint(nil, 0), appendVarint(nil, 1), appendVarint(nil, 0))...)
	offsets := section(sectionOffsets, slices.Concat(appendVarint(nil, 1), appendVarint(nil, 0), appendVarint(nil, 0),
		appendVarint(nil, 1), appendFlagged(nil, 3, true))...)
	op := section(sectionDialects, slices.Concat(appendVarint(nil, 1), appendFlagged(nil, 0, false), appendVarint(nil, 1),
		appendVarint(nil, 0), appendVarint(nil, 1), appendFlagged(nil, 0, true))...)
	ir := section(sectionIR, slices.Concat(appendFlagged(nil, 1, false), appendVarint(nil, 0), []byte{0},
		appendVarint(nil, 0))...)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("module {}"), `f: byte 0: no MLIR bytecode: it begins with "modu"`},
		{append([]byte(bytecodeMagic), appendVarint(nil, 7)...), "f: byte 5: bytecode version 7: 0 to 6 are known"},
		{[]byte(bytecodeMagic + "\x0dxyz"), "f: byte 5: name of the producer has no end"},
		{join(section(30)), "f: byte 6: section 30 is unknown"},
		{join(strings1, strings1), "f: byte 18: section 0 stands twice"},
		{join(strings1), "section 1 is missing"},
		{join([]byte{sectionStrings}, huge), "length 18446744073709551615 goes beyond the 0 bytes left"},
		{join([]byte{sectionStrings | 0x80, 1, 7}), "alignment 3 is no power of two"},
		{join(section(sectionStrings, huge...), dialects, cycle, offsets, ir), "number of strings is 18446744073709551615"},
		{join(strings1, op, cycle, offsets, ir), "attribute or type holds itself"},
		{join(strings1, dialects, cycle, offsets, ir), "kind 0 of an op: there are 0"},
	} {
		_, err := ReadBytecode(c.data, "f")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f: byte ") {
			t.Errorf("%x: got %v, want %s", c.data, err, c.want)
		}
	}
}

// TestBytecodeMemory reads files of nothing but the smallest ops, regions or blocks, which is where the tree is largest
// for its file, and a file whose counts lie.
func TestBytecodeMemory(t *testing.T) {
	const n = 100_000
	head := slices.Concat([]byte(bytecodeMagic), appendVarint(nil, 6), []byte{0},
		appendSection(nil, sectionStrings, slices.Concat(appendVarint(nil, 1), appendVarint(nil, 8), []byte("builtin\x00"))),
		appendSection(nil, sectionDialects, slices.Concat(appendVarint(nil, 1), appendFlagged(nil, 0, false),
			appendVarint(nil, 1), appendVarint(nil, 0), appendVarint(nil, 1), appendFlagged(nil, 0, true))),
		appendSection(nil, sectionAttrs, appendVarint(nil, 15)),
		appendSection(nil, sectionOffsets, slices.Concat(appendVarint(nil, 1), appendVarint(nil, 0), appendVarint(nil, 0),
			appendVarint(nil, 1), appendFlagged(nil, 1, true))))
	op := slices.Concat(appendVarint(nil, 0), []byte{0}, appendVarint(nil, 0))
	withRegions := slices.Concat(appendVarint(nil, 0), []byte{hasRegions}, appendVarint(nil, 0))
	empty := appendVarint(nil, 0)
	for name, ir := range map[string][]byte{
		"ops":     append(appendFlagged(nil, n, false), bytes.Repeat(op, n)...),
		"regions": slices.Concat(appendFlagged(nil, 1, false), withRegions, appendFlagged(nil, n, false), bytes.Repeat(empty, n)),
		"blocks": slices.Concat(appendFlagged(nil, 1, false), withRegions, appendFlagged(nil, 1, false), appendVarint(nil, n),
			empty, bytes.Repeat(empty, n)),
		"lies": slices.Concat(appendFlagged(nil, 1, false), withRegions, appendFlagged(nil, 1<<40, false)),
	} {
		data := append(slices.Clone(head), appendSection(nil, sectionIR, ir)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ReadBytecode(data, name)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(1<<16+100*len(data)) {
			t.Errorf("%s: %d bytes took %d bytes of memory, want at most a hundred for each", name, len(data), used)
		}
		const budget = 1 << 20
		runtime.ReadMemStats(&before)
		_, err := newBytecode(data, name, budget).program()
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > budget+uint64(1<<16+4*len(data)) {
			t.Errorf("%s: %d bytes took %d bytes of memory, want %d at most besides", name, len(data), used, budget)
		}
		if err == nil || name != "lies" && !strings.Contains(err.Error(), "more memory than the bound") {
			t.Errorf("%s: got %v, want that it takes more memory than the bound", name, err)
		}
	}
}

// TestBytecodeParts wants an attribute that stands for very many others to be refused.
func TestBytecodeParts(t *testing.T) {
	var attrs codedTable
	n := attrs.number(builtinDialect, appendVarint(nil, 7))
	for range 60 {
		n = attrs.number(builtinDialect, appendList(appendVarint(nil, 0), []uint64{n, n}))
	}
	f := &bytecode{name: "f"}
	for _, a := range attrs.list {
		start := len(f.data)
		f.data = append(f.data, a.head...)
		f.attrs = append(f.attrs, entry{dialect: "builtin", coded: true, body: cursor{f: f, pos: start, end: len(f.data)}})
	}
	f.attr(&cursor{f: f}, n)
	if f.err == nil || !strings.Contains(f.err.Error(), "stands for more than") {
		t.Errorf("got %v, want that it stands for too much", f.err)
	}
}

// FuzzReadBytecode wants no file to bring the reader down, and what it reads to be written and read again.
func FuzzReadBytecode(f *testing.F) {
	for _, file := range artifacts(f) {
		f.Add(readFile(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		var prog *Program
		var err error
		testfile.Bounded(t, len(data), 256, func() { prog, err = ReadBytecode(data, "fuzz") })
		if err != nil {
			return
		}
		again, err := WriteBytecode(prog, BytecodeOptions{})
		if err != nil {
			return
		}
		if _, err := ReadBytecode(again, "again"); err != nil {
			t.Errorf("written: %v", err)
		}
	})
}

// FuzzParseBytecode wants what is made of bytecode to be right by the rules of HLO. Constants of one element are spelled
// out up to splatLimit, the cap on their memory.
func FuzzParseBytecode(f *testing.F) {
	testfile.Seeds(f, "testdata/bytecode/*.bc")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		var im *Imported
		var err error
		testfile.Bounded(t, len(data), 16*splatLimit, func() { im, err = ParseBytecode(data, "fuzz") })
		if err != nil || im.Module == nil {
			return
		}
		im.Module.Config.NumReplicas, im.Module.Config.NumPartitions = 0, 0 // Verify alone knows which devices there are
		if err := hlo.Verify(im.Module); err != nil {
			t.Fatalf("%v, in\n%s", err, im.Module.Text())
		}
	})
}

// BenchmarkBytecodeConstants loads a program with 100 MB of constants.
func BenchmarkBytecodeConstants(b *testing.B) {
	const constants, size = 25, 1 << 20
	body := &Block{}
	t := &TensorType{Dims: []int64{size}, Elem: FloatType{"f32"}}
	var last *Value
	for i := range constants {
		data := make([]byte, 4*size)
		data[i] = 1
		last = &Value{Type: t}
		body.Ops = append(body.Ops, &Op{Name: "stablehlo.constant", Results: []*Value{last}, Attrs: []NamedAttr{
			property("value", &DenseAttr{Kind: DenseBytes, Data: data, Type: t})}})
	}
	benchmarkBytecode(b, body, last, constants*4*size)
}

// BenchmarkBytecodeOps loads a program of 100 000 ops.
func BenchmarkBytecodeOps(b *testing.B) {
	const ops = 100_000
	body := &Block{}
	t := &TensorType{Dims: []int64{4, 4}, Elem: FloatType{"f32"}}
	last := &Value{Type: t}
	body.Args = []*Value{last}
	for i := range ops {
		next := &Value{Type: t}
		op := &Op{Name: "stablehlo.add", Operands: []*Value{last, last}, Results: []*Value{next}}
		if i%4 == 0 {
			op = &Op{Name: "stablehlo.transpose", Operands: []*Value{last}, Results: []*Value{next},
				Attrs: []NamedAttr{property("permutation", numbers([]int64{1, 0}))}}
		}
		op.Loc = &Location{Kind: LocFile, File: "model.py", Line: i%1000 + 1, Col: 1}
		body.Ops = append(body.Ops, op)
		last = next
	}
	benchmarkBytecode(b, body, last, 0)
	b.ReportMetric(ops*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// benchmarkBytecode reads a function of the given body into a verified module and reports the memory that takes.
func benchmarkBytecode(b *testing.B, body *Block, result *Value, constantBytes int) {
	body.Ops = append(body.Ops, &Op{Name: "func.return", Operands: []*Value{result}})
	f := &Op{Name: "func.func", Regions: []*Region{{Blocks: []*Block{body}}}, Attrs: []NamedAttr{
		property("sym_name", StringAttr("main")),
		property("function_type", TypeAttr{FuncType{typesOf(body.Args), []Type{result.Type}}})}}
	module := &Op{Name: "builtin.module", Regions: []*Region{{Blocks: []*Block{{Ops: []*Op{f}}}}}}
	data, err := WriteBytecode(&Program{Module: module}, BytecodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		in, err := ParseBytecode(data, "bench")
		if err == nil {
			err = hlo.Verify(in.Module)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if constantBytes > 0 {
		perLoad := float64(after.TotalAlloc-before.TotalAlloc) / float64(b.N)
		b.ReportMetric(perLoad/float64(constantBytes), "memory/constants")
	}
}

// ExampleParseBytecode reads a program that JAX could have written.
func ExampleParseBytecode() {
	prog, err := ParseAST(Text{File: "f.mlir", Source: `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}`})
	if err != nil {
		panic(err)
	}
	data, err := WriteBytecode(prog, BytecodeOptions{})
	if err != nil {
		panic(err)
	}
	im, err := ParseBytecode(data, "f.mlir.bc")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(data[5:21]), im.Module.Entry.Root.Shape)
	// Output: StableHLO_v1.0.0 f32[2]
}
