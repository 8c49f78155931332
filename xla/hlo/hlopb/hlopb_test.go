package hlopb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// parse returns the module of a text.
func parse(t testing.TB, text string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "t.hlo")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// roundTrip wants m to be the same text after each of the ways through a file.
func roundTrip(t *testing.T, m *hlo.Module) {
	t.Helper()
	want := m.Text()
	for _, src := range [][]byte{Marshal(m), []byte(MarshalText(m))} {
		again, err := Parse(src, "t.pb")
		if err != nil {
			t.Errorf("%v\n%s", err, want)
			return
		}
		if got := again.Text(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestOps writes and reads the programs of every op.
func TestOps(t *testing.T) {
	n := 0
	testfile.Run(t, "../../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
		n++
		roundTrip(t, parse(t, c.Source()))
	})
	if n < 100 {
		t.Errorf("%d cases, want those of all ops", n)
	}
}

// TestPlaces wants every attribute of every op to have a field, or a text to be kept as.
func TestPlaces(t *testing.T) {
	for op := range hlo.NumOps {
		if op.Info().Attrs == nil {
			continue
		}
		for i, f := range op.Info().Attrs().Fields() {
			p := places()[op][i]
			desc := describe("HloInstructionProto")
			for _, name := range p.way {
				desc = desc.field(name).message
			}
			if p.field != "" {
				desc.field(p.field) // panics if there is none
				continue
			}
			switch f.Ptr.(type) {
			case hlo.Value, **hlo.Computation, *[]*hlo.Computation:
			default:
				if f.MLIR == "" || f.Name != f.MLIR { // those that only StableHLO has
					t.Errorf("%v: attribute %s has no field and cannot be kept as text", op, f.Name)
				}
			}
		}
	}
}

// attributes has what instructions and modules may say besides their op's attributes.
const attributes = `HloModule m, input_output_alias={ {1}: (0, {}, must-alias) }, buffer_donor={ (1, {}) }, ` +
	`entry_computation_layout={(f32[2,3]{0,1}, f32[])->(f32[2,3]{1,0}, f32[2,3]{0,1:T(2,128)S(1)})}, replica_count=2, ` +
	`num_partitions=2, frontend_attributes={a="b"}, alias_passthrough_params=true

FileNames
1 "a'b.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=239 end_line=239 column=0 end_column=6}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }, execution_thread="host"

ENTRY e {
  a = f32[2,3]{0,1} parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, parameter_replication={true}
  b = f32[] parameter(1), sharding={maximal device=3}
  c = f32[2,3] negate(a), metadata={op_type="neg" op_name="a\"b" source_file="m.py" source_line=7}, colour=red
  d = f32[2,3]{1,0} copy(c), backend_config={"n":"5"}, frontend_attributes={x="1",y={"z":"2"}}, control-predecessors={%c}
  r = f32[3] reduce(d, b), dimensions={0}, to_apply=add, backend_config="{\"n\":1}"
  s = f32[4]{0} all-reduce(u), replica_groups=[2,2]<=[2,2]T(1,0), channel_id=1, use_global_device_ids=true, to_apply=add
  ROOT t = (f32[2,3]{1,0}, f32[2,3]{0,1:T(2,128)S(1)}) tuple(d, a), sharding={{replicated}, {devices=[1,2]0,1}}
}
`

// TestAttributes keeps everything that a module says besides its computations.
func TestAttributes(t *testing.T) {
	roundTrip(t, parse(t, strings.Replace(attributes, "all-reduce(u)", "all-reduce(f32[4]{0} constant({1,2,3,4}))", 1)))
	roundTrip(t, parse(t, "HloModule m\nENTRY e { ROOT a = f32[] parameter(0), metadata={} }"))
	for _, sharding := range []string{"{manual}", "{devices=[2,2]0,1,2,3 last_tile_dims={manual, replicated}}",
		"{unknown shard_like 4}", "{replicated metadata={op_name=\"x\"}}", "{something new=3 [4}"} {
		text := "HloModule m\nENTRY e { ROOT a = f32[] parameter(0), sharding={replicated} }"
		m := parse(t, text)
		m.Entry.Root.Common.Sharding = hlo.Raw(sharding)
		again, err := Parse(Marshal(m), "t.pb")
		if err != nil || string(again.Entry.Root.Common.Sharding) != sharding {
			t.Errorf("sharding %s: got %v (%v)", sharding, again, err)
		}
	}
}

// TestMeshGroups reads groups along the axes of a mesh, which JAX 0.12 wrote, with the members that XLA gives them.
func TestMeshGroups(t *testing.T) {
	for _, c := range []struct{ file, text, groups string }{
		{"mesh_order", "mesh['x'=4,'y'=2], device_ids=(0,2,4,6,1,3,5,7) {'y','x'}", "[[0 4 1 5 2 6 3 7]]"},
		{"mesh_part", "mesh['x'=4,'y'=2] {'x':(2)2}", "[[0 2] [1 3] [4 6] [5 7]]"},
	} {
		src, err := os.ReadFile("testdata/" + c.file + ".pb")
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(src, c.file)
		if err != nil {
			t.Fatal(err)
		}
		g := m.Entry.Root.Attrs.(*hlo.AllReduceAttrs).ReplicaGroups
		if g.Iota != c.text || fmt.Sprint(g.Groups) != c.groups {
			t.Errorf("%s: got %s and %v, want %s and %s", c.file, g.Iota, g.Groups, c.text, c.groups)
		}
		roundTrip(t, m)
	}
}

// TestSchedule keeps the order of instructions, whatever order the file has them in.
func TestSchedule(t *testing.T) {
	m := parse(t, "HloModule m, is_scheduled=true\nENTRY e { a = f32[] parameter(0)  b = f32[] negate(a)\n"+
		"  c = f32[] abs(a)  ROOT d = f32[] add(b, c) }")
	roundTrip(t, m)
	b := Marshal(m)
	from := []byte("\x0a\x04\x01\x02\x03\x04")
	if !bytes.Contains(b, from) {
		t.Fatalf("no schedule in %q", b)
	}
	swapped, err := Parse(bytes.Replace(b, from, []byte("\x0a\x04\x01\x03\x02\x04"), 1), "t.pb")
	if err != nil || swapped.Entry.Instructions[1].Name != "c" {
		t.Errorf("got %v (%v), want c before b", swapped, err)
	}
	if _, err = Parse(bytes.Replace(b, from, []byte("\x0a\x04\x01\x03\x03\x04"), 1), "t.pb"); err == nil {
		t.Error("a schedule with an instruction twice is accepted")
	}
}

// TestLiterals keeps the bits of every element type, and of what is made of arrays.
func TestLiterals(t *testing.T) {
	for e := range shape.NumElementTypes {
		if !e.IsArray() {
			continue
		}
		l := literal.Zeros(shape.Array(e, 3, 2))
		for i := range l.Bytes() {
			l.Bytes()[i] = byte(i*37 + 5)
			switch bits := e.Bits(); {
			case e == shape.Pred:
				l.Bytes()[i] = byte(i & 1)
			case bits < 8 && e.IsSigned():
				l.Bytes()[i] = byte(int8(l.Bytes()[i]<<(8-bits)) >> (8 - bits))
			case bits < 8:
				l.Bytes()[i] &= 1<<bits - 1
			}
		}
		for _, layout := range []*shape.Layout{nil, {MinorToMajor: []int64{0, 1}}} {
			w := &writer{desc: describe("HloSnapshot")}
			w.literal("result", literal.NewTuple(l, literal.NewTuple(literal.NewToken())), nil)
			w.literal("arguments", l, layout)
			m := (&decoder{src: w.b}).open(w.desc)
			got := literalOf(m.sub("result"))
			var turned *literal.Literal
			m.subs("arguments", func(a *message) { turned = literalOf(a) })
			if m.err != nil || !bytes.Equal(got.Elems()[0].Bytes(), l.Bytes()) || !bytes.Equal(turned.Bytes(), l.Bytes()) {
				t.Errorf("%v: got %v and %v, want %v (%v)", e, got, turned, l, m.err)
			}
		}
	}
}

// TestNarrowElements reads elements of 4 and 2 bits as newer files have them, one a byte, and as older ones do.
func TestNarrowElements(t *testing.T) {
	for _, c := range []struct {
		t    shape.ElementType
		n    int64
		data string
		want []byte
	}{
		{shape.S4, 5, "\x01\x02\x0d\x04\x05", []byte{1, 2, 0xFD, 4, 5}}, // as jaxlib 0.12 writes 1, 2, -3, 4, 5
		{shape.S4, 5, "\x21\x4d\x05", []byte{1, 2, 0xFD, 4, 5}},
		{shape.U4, 3, "\xfe\x01", []byte{14, 15, 1}},
		{shape.S2, 4, "\x1b", []byte{0xFF, 0xFE, 1, 0}},
		{shape.S2, 6, "\x01\x02\x03\x00\x01\x01", []byte{1, 0xFE, 0xFF, 0, 1, 1}},
	} {
		w := &writer{desc: describe("LiteralProto")}
		w.shape("shape", shape.Array(c.t, c.n))
		w.str(elements[c.t], c.data)
		m := (&decoder{src: w.b}).open(w.desc)
		if l := literalOf(m); m.err != nil || !bytes.Equal(l.Bytes(), c.want) {
			t.Errorf("%v of %q: got %v, want %v (%v)", c.t, c.data, l, c.want, m.err)
		}
	}
}

// TestUnknown keeps fields that nobody knows, in the module, computations, instructions and messages in them.
func TestUnknown(t *testing.T) {
	w := module(parse(t, attributes[strings.Index(attributes, "add {"):strings.Index(attributes, ", execution_thread")]))
	unknown := func(b []byte) []byte { return protowire.AppendString(protowire.AppendTag(b, 4000, 2), "kept") }
	w.sub("computations", func() {
		w.str("name", "two")
		w.num("id", 7)
		w.num("root_id", 1)
		w.sub("instructions", func() {
			w.str("opcode", "parameter")
			w.num("id", 1)
			w.shape("shape", shape.Array(shape.F32))
			w.sub("metadata", func() { w.str("op_name", "x"); w.b = unknown(w.b) })
			w.sub("sparsity_config", func() {})
			w.b = unknown(w.b)
		})
		w.b = unknown(w.b)
	})
	w.b = unknown(w.b)
	m, err := Parse(w.b, "t.pb")
	if err != nil {
		t.Fatal(err)
	}
	again := Marshal(m)
	if n := bytes.Count(again, []byte("kept")); n != 4 {
		t.Errorf("%d of 4 unknown fields are kept", n)
	}
	text := MarshalText(m)
	for _, want := range []string{`4000: "kept"`, "sparsity_config {", `op_name: "x"`} {
		if !strings.Contains(text, want) {
			t.Errorf("text has no %s:\n%s", want, text)
		}
	}
	if third, err := Parse(again, "t.pb"); err != nil || !bytes.Equal(Marshal(third), again) {
		t.Errorf("written again, the file differs (%v)", err)
	}
	if third, err := Parse([]byte(text), "t.pbtxt"); err != nil || !bytes.Equal(Marshal(third), again) {
		t.Errorf("written again after text, the file differs (%v)", err)
	}
}

// TestSnapshot keeps arguments and result, and finds them in each of the messages.
func TestSnapshot(t *testing.T) {
	m := parse(t, "HloModule m\nENTRY e { ROOT a = s32[2] parameter(0) }")
	l, _ := literal.FromSlice([]int32{3, 4})
	b := MarshalSnapshot(&Snapshot{Module: m, Arguments: [][]*literal.Literal{{l}}, Result: l, Platform: "cpu"})
	s, err := ParseSnapshot(b, "t.pb", Options{})
	if err != nil || len(s.Arguments) != 1 || !bytes.Equal(s.Arguments[0][0].Bytes(), l.Bytes()) ||
		!bytes.Equal(s.Result.Bytes(), l.Bytes()) || s.Platform != "cpu" || s.Module.Text() != m.Text() {
		t.Errorf("got %v (%v)", s, err)
	}
	if f, text := Detect([]byte(textForm(describe("HloSnapshot"), b))); f != snapshotProto || !text {
		t.Errorf("text of a snapshot is found to be %s", f)
	}
	w := &writer{desc: describe("HloUnoptimizedSnapshot")}
	w.packed("hlo_module", func() { w.b = append(w.b, Marshal(m)...) })
	if f, _ := Detect(w.b); f != programProto {
		t.Errorf("a module in field 1 is found to be %s", f)
	}
	for range 2 {
		w.sub("partitions", func() { w.literal("arguments", l, nil) })
	}
	if f, _ := Detect([]byte(textForm(w.desc, w.b))); f != unoptimizedSnapshot {
		t.Errorf("text of a snapshot before optimisation is found to be %s", f)
	}
	if s, err := ParseSnapshot(w.b, "t.pb", Options{}); err != nil || len(s.Arguments) != 2 || s.Result != nil {
		t.Errorf("got %v (%v)", s, err)
	}
	wrong := MarshalSnapshot(&Snapshot{Module: m, Arguments: [][]*literal.Literal{{literal.Scalar(int32(1))}}})
	if _, err := ParseSnapshot(wrong, "t.pb", Options{}); err == nil || !strings.Contains(err.Error(), "arguments[0]: got s32[]") {
		t.Errorf("a wrong argument: got %v", err)
	}
}

// fileOf makes a Go descriptor of the schema, so that another implementation can read and write the messages.
func fileOf(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("x.proto"), Package: proto.String("xla"),
		Syntax: proto.String("proto2")}
	types := map[kind]descriptorpb.FieldDescriptorProto_Type{boolKind: 8, floatKind: 2, doubleKind: 1, stringKind: 9,
		bytesKind: 12, enumKind: 3, messageKind: 11}
	numbers := map[string]descriptorpb.FieldDescriptorProto_Type{"int64": 3, "int32": 5, "uint64": 4, "uint32": 13}
	names := map[*messageDesc]string{}
	var all []*messageDesc
	var visit func(m *messageDesc)
	visit = func(m *messageDesc) {
		if names[m] != "" {
			return
		}
		names[m] = strings.ReplaceAll(m.name, ".", "_")
		all = append(all, m)
		for _, f := range m.fields {
			if f.message != nil {
				visit(f.message)
			}
		}
	}
	visit(describe("HloSnapshot"))
	for _, m := range all {
		d := &descriptorpb.DescriptorProto{Name: proto.String(names[m])}
		for _, f := range m.fields {
			fd := &descriptorpb.FieldDescriptorProto{Name: proto.String(f.name), Number: proto.Int32(int32(f.number)),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: types[f.kind].Enum()}
			if n, ok := numbers[f.typ]; ok {
				fd.Type = n.Enum()
			}
			if f.repeated {
				fd.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			}
			if f.message != nil {
				fd.TypeName = proto.String(".xla." + names[f.message])
			}
			d.Field = append(d.Field, fd)
		}
		file.MessageType = append(file.MessageType, d)
	}
	fd, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestOtherImplementation has Google's implementation read what is written, with no field unknown, and reads what it
// writes as text; enumerators are numbers there.
func TestOtherImplementation(t *testing.T) {
	m := parse(t, strings.Replace(attributes, "all-reduce(u)", "all-reduce(f32[4]{0} constant({1,2.5,-inf,4}))", 1))
	d := dynamicpb.NewMessage(fileOf(t).Messages().ByName("HloModuleProto"))
	if err := proto.Unmarshal(Marshal(m), d); err != nil {
		t.Fatal(err)
	}
	noUnknown(t, d)
	text, err := prototext.MarshalOptions{Multiline: true}.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(text, "t.pbtxt")
	if err != nil || again.Text() != m.Text() {
		t.Errorf("got\n%v\nwant\n%v (%v)", again.Text(), m.Text(), err)
	}
	other := dynamicpb.NewMessage(d.Descriptor())
	b, err := proto.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Parse(b, "t.pb"); err != nil || proto.Unmarshal(Marshal(m), other) != nil || !proto.Equal(d, other) {
		t.Errorf("written by another implementation and read: %v, or not equal", err)
	}
}

func noUnknown(t *testing.T, m protoreflect.Message) {
	if len(m.GetUnknown()) > 0 {
		t.Errorf("%s has unknown fields %q", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				noUnknown(t, v.List().Get(i).Message())
			}
		default:
			noUnknown(t, v.Message())
		}
		return true
	})
}

// TestCorpusAnswers reads the programs that are there as proto and as text, and wants the same operations.
func TestCorpusAnswers(t *testing.T) {
	root := testfile.Conformance(t)
	files, _ := filepath.Glob(filepath.Join(root, "producers", "*", "module.pb"))
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(strings.TrimSuffix(file, "pb") + "hlo")
		if err != nil || bytes.Contains(text, []byte("{...}")) {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(src, file)
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := hlo.Parse(text, file)
		if err != nil {
			t.Error(err)
			continue
		}
		n++
		if got, want := ops(m), ops(want); !slices.Equal(got, want) {
			t.Errorf("%s: got %s, want as the text has %s", file, got, want)
		}
	}
	if n < 10 {
		t.Errorf("%d programs are there as proto and as text", n)
	}
}

// ops are the operations of m with their shapes.
func ops(m *hlo.Module) (list []string) {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			list = append(list, in.Op.String()+in.Shape.Text())
		}
	}
	slices.Sort(list)
	return list
}

// TestMemory wants files of small parts to take memory in proportion.
func TestMemory(t *testing.T) {
	repeat := func(part string) []byte { return bytes.Repeat([]byte(part), 1<<14) }
	head := "\x0a\x01m\x12\x01e"
	for name, src := range map[string][]byte{
		"computations": append([]byte(head), repeat("\x1a\x00")...),
		"numbers":      append([]byte(head), repeat("\x28\x01")...),
		"unknown":      append([]byte(head), repeat("\xa0\xf4\x01\x01")...),
		"text":         append([]byte(`name: "m" entry_computation_id: 1 `), repeat("id: 1 ")...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Parse(src, name)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(1<<16+100*len(src)) {
			t.Errorf("%s: %d bytes took %d bytes of memory", name, len(src), used)
		}
	}
}
