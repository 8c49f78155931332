package export

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/halo-xla/halo/internal/testfile"
)

// writer makes containers for tests, field by field as the schema has them.
type writer struct{ *flatbuffers.Builder }

// object writes a table of fields: numbers as they are, offsets of what was written before.
func (w writer) object(fields map[int]any) flatbuffers.UOffsetT {
	w.StartObject(fieldJAXVersion + 1)
	for i, v := range fields {
		switch v := v.(type) {
		case int8:
			w.PrependInt8Slot(i, v, 0)
		case uint16:
			w.PrependUint16Slot(i, v, 0)
		case uint32:
			w.PrependUint32Slot(i, v, 0)
		case flatbuffers.UOffsetT:
			w.PrependUOffsetTSlot(i, v, 0)
		}
	}
	return w.EndObject()
}

func (w writer) list(offsets ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	w.StartVector(4, len(offsets), 4)
	for _, o := range slices.Backward(offsets) {
		w.PrependUOffsetT(o)
	}
	return w.EndVector(len(offsets))
}

func (w writer) texts(list ...string) flatbuffers.UOffsetT {
	var offsets []flatbuffers.UOffsetT
	for _, s := range list {
		offsets = append(offsets, w.CreateString(s))
	}
	return w.list(offsets...)
}

func (w writer) numbers(list ...uint32) flatbuffers.UOffsetT {
	w.StartVector(4, len(list), 4)
	for _, n := range slices.Backward(list) {
		w.PrependUint32(n)
	}
	return w.EndVector(len(list))
}

func (w writer) aval(dtype int8, dims ...string) flatbuffers.UOffsetT {
	return w.object(map[int]any{1: w.texts(dims...), 2: dtype})
}

func (w writer) node(kind int8, keys []string, children ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	fields := map[int]any{0: kind, 1: w.list(children...)}
	if keys != nil {
		fields[2] = w.texts(keys...)
	}
	return w.object(fields)
}

// container is f({"params": {"dense": [leaf, leaf]}}, leaf, scale=leaf) -> leaf, the second input unused.
func container(edit func(w writer, fields map[int]any)) []byte {
	w := writer{flatbuffers.NewBuilder(0)}
	leaf := func() flatbuffers.UOffsetT { return w.node(leafNode, nil) }
	dense := w.node(listNode, nil, leaf(), leaf())
	params := w.node(dictNode, []string{"params"}, w.node(dictNode, []string{"dense"}, dense))
	args := w.node(tupleNode, nil, params, leaf())
	kwargs := w.node(dictNode, []string{"scale"}, leaf())
	mesh := w.object(map[int]any{0: w.numbers(2, 4), 1: w.texts("x", "y")})
	axis := w.object(map[int]any{0: w.texts("x")})
	spec := w.object(map[int]any{0: w.list(axis, w.object(nil))})
	fields := map[int]any{
		fieldFunction: w.CreateString("f"), fieldModule: w.CreateByteVector([]byte("ML\xefR...")),
		fieldInTree: w.node(tupleNode, nil, args, kwargs), fieldOutTree: leaf(),
		fieldUniqueAvals:       w.list(w.aval(10, "b", "8"), w.aval(14), w.aval(27)),
		fieldInAvalNumbers:     w.numbers(0, 1, 2, 1),
		fieldOutAvalNumbers:    w.numbers(0),
		fieldUniqueMeshes:      w.list(mesh),
		fieldUniqueShardings:   w.list(w.object(map[int]any{1: spec, 3: uint32(0)})),
		fieldInShardingNumbers: w.numbers(1, 0, 0, 0),
		fieldPlatforms:         w.texts("cpu", "tpu"), fieldDevices: uint32(8), fieldConvention: uint16(10),
		fieldChecks: w.list(w.object(map[int]any{0: int8(1), 1: w.CreateString("my_call")})),
	}
	w.StartVector(2, 3, 2)
	for _, n := range []uint16{3, 1, 0} {
		w.PrependUint16(n)
	}
	fields[fieldKept] = w.EndVector(3)
	if edit != nil {
		edit(w, fields)
	}
	w.Finish(w.object(fields))
	return w.FinishedBytes()
}

func TestParse(t *testing.T) {
	data := container(nil)
	e, err := Parse(data)
	if err != nil || !Is(data) {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range append(slices.Clone(e.Inputs), e.Outputs...) {
		lines = append(lines, strings.TrimSpace(fmt.Sprint(a.Name, " ", a, " ", a.Sharding)))
	}
	want := []string{"params/dense/0 f32[b,8] mesh(x=2,y=4) (x,None)", "params/dense/1 bf16[]", "arg1 key<fry>[]",
		"scale bf16[]", "result0 f32[b,8]"}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
	got := fmt.Sprintln(e.Function, e.Kept, e.Platforms, e.Devices, e.CallingConvention, e.Checks, string(e.Module))
	if want := "f [0 1 3] [cpu tpu] 8 10 [custom_call:my_call] ML\xefR...\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := e.Inputs[0].Shape(); !s.HasUnbounded() || s.Dims[1] != 8 {
		t.Errorf("got shape %v, want f32[?,8]", s)
	}
}

// TestNames wants the fields of named tuples and ordered dictionaries in the names of their leaves, and no name twice
// where a dictionary has a key like an argument's number.
func TestNames(t *testing.T) {
	data := container(func(w writer, f map[int]any) {
		leaf := w.node(leafNode, nil)
		custom := func(auxiliary string, children ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
			return w.object(map[int]any{0: int8(customNode), 1: w.list(children...),
				4: w.CreateByteVector([]byte(auxiliary))})
		}
		state := custom(`["h", "c"]`, leaf, leaf)
		odd := w.node(tupleNode, nil, custom(`["h"]`, leaf, leaf), custom(`[1]`, leaf), custom("\x80", leaf), custom(`["a"`, leaf))
		named := w.node(dictNode, []string{"arg1", "state"}, leaf, state)
		f[fieldInTree] = w.node(tupleNode, nil, w.node(tupleNode, nil, named, leaf), w.node(dictNode, nil))
		f[fieldInAvalNumbers] = w.numbers(1, 1, 1, 1)
		f[fieldOutTree], f[fieldOutAvalNumbers] = odd, w.numbers(1, 1, 1, 1, 1)
	})
	e, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range append(slices.Clone(e.Inputs), e.Outputs...) {
		names = append(names, a.Name)
	}
	want := []string{"arg0/arg1", "state/h", "state/c", "arg1", "result0/0", "result0/1", "result1/0", "result2/0", "result3/0"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for words, edit := range map[string]func(w writer, f map[int]any){
		"are no program":    func(w writer, f map[int]any) { f[fieldModule] = w.CreateByteVector([]byte("ELF")) },
		"want less than 3":  func(w writer, f map[int]any) { f[fieldInAvalNumbers] = w.numbers(0, 1, 2, 3) },
		"has 4 leaves, but": func(w writer, f map[int]any) { f[fieldInAvalNumbers] = w.numbers(0, 1) },
		"tree: missing":     func(_ writer, f map[int]any) { delete(f, fieldInTree) },
		"export: vjp: mlir_module_serialized: 0 bytes": func(w writer, f map[int]any) { f[fieldVJP] = w.object(nil) },
		"kind of node 9":        func(w writer, f map[int]any) { f[fieldInTree] = w.node(9, nil) },
		"1 keys and 0 values":   func(w writer, f map[int]any) { f[fieldOutTree] = w.node(dictNode, []string{"k"}) },
		"sharding number 2":     func(w writer, f map[int]any) { f[fieldInShardingNumbers] = w.numbers(2) },
		"module_kept_var_idx: ": func(w writer, f map[int]any) { f[fieldInTree] = w.node(noneNode, nil); delete(f, fieldInAvalNumbers) },
	} {
		if _, err := Parse(container(edit)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("got %v, want %q", err, words)
		}
	}
}

// TestSharedNodes: a tree whose tables are shared has 2^40 leaves in a few bytes.
func TestSharedNodes(t *testing.T) {
	data := container(func(w writer, f map[int]any) {
		n := w.node(leafNode, nil)
		for range 40 {
			n = w.node(tupleNode, nil, n, n)
		}
		f[fieldInTree] = n
	})
	if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), "more nodes than") {
		t.Errorf("got %v, want that there are too many nodes", err)
	}
}

var place = regexp.MustCompile(`^jax.export: table at byte \d+, field \d+: `)

func TestCutAndChanged(t *testing.T) {
	data := container(nil)
	for n := range data {
		if _, err := Parse(data[:n]); err == nil || errors.Is(err, errDamaged) && !place.MatchString(err.Error()) {
			t.Errorf("the first %d bytes: got %v, want the table and the field at fault", n, err)
		}
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			changed := slices.Clone(data)
			changed[n] = b
			if e, err := Parse(changed); err == nil && e == nil {
				t.Fatalf("byte %d as %d: got nothing and no error", n, b)
			}
		}
	}
}

// FuzzParse wants no panic, no file to be taken that Is refuses, and bounded memory.
func FuzzParse(f *testing.F) {
	f.Add(container(nil))
	testfile.Seeds(f, "testdata/*.jax_export")
	f.Fuzz(func(t *testing.T, data []byte) {
		var e *Exported
		var err error
		testfile.Bounded(t, len(data), 64, func() { e, err = Parse(data) })
		if err == nil && !Is(data) {
			t.Errorf("parsed as %v, but Is says that it is no container", e)
		}
	})
}

func ExampleParse() {
	e, err := Parse(container(nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Function, e.Inputs[0].Name, e.Inputs[0], e.Platforms)
	// Output: f params/dense/0 f32[b,8] [cpu tpu]
}

// TestSharedTexts: many offsets to one long text stand for the square of the file.
func TestSharedTexts(t *testing.T) {
	data := container(func(w writer, f map[int]any) {
		long := w.CreateString(strings.Repeat("x", 10_000))
		f[fieldPlatforms] = w.list(slices.Repeat([]flatbuffers.UOffsetT{long}, 10_000)...)
	})
	testfile.Bounded(t, len(data), 2*maxExpansion, func() {
		if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), "more than 32 bytes for each") {
			t.Errorf("got %v, want that it stands for too much", err)
		}
	})
}
