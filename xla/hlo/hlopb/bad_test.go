package hlopb

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// build returns a HloModuleProto whose entry has what instructions writes.
func build(instructions ...func(w *writer)) []byte {
	w := &writer{desc: describe("HloModuleProto")}
	w.str("name", "m")
	w.num("entry_computation_id", 1)
	w.sub("computations", func() {
		w.str("name", "e")
		for i, f := range instructions {
			w.sub("instructions", func() {
				w.num("id", int64(i+1))
				f(w)
			})
		}
		w.num("id", 1)
		w.num("root_id", int64(len(instructions)))
	})
	return w.b
}

func parameter(w *writer) {
	w.str("name", "p")
	w.str("opcode", "parameter")
	w.shape("shape", shape.Array(shape.F32, 2))
}

// op writes an instruction of the shape of the parameter.
func op(opcode string, more func(w *writer)) func(w *writer) {
	return func(w *writer) {
		w.str("name", opcode)
		w.str("opcode", opcode)
		w.shape("shape", shape.Array(shape.F32, 2))
		more(w)
	}
}

func operands(ids ...int64) func(w *writer) {
	return func(w *writer) { w.nums("operand_ids", ids) }
}

// TestBad wants a sentence with the path of the field at fault.
func TestBad(t *testing.T) {
	deep := func(w *writer) {
		w.str("opcode", "parameter")
		var b []byte
		for range 300 {
			b = protowire.AppendBytes(protowire.AppendTag([]byte("\x10\x0d"), 4, protowire.BytesType), b)
		}
		w.packed("shape", func() { w.b = append(w.b, b...) })
	}
	sized := func(field string, n int64) func(w *writer) {
		return op("constant", func(w *writer) {
			w.sub("literal", func() {
				w.sub("shape", func() { w.num("element_type", 11); w.nums("dimensions", []int64{n}) })
				w.float(field, 1)
			})
		})
	}
	for _, c := range []struct {
		name string
		src  []byte
		want string
	}{
		{"later operand", build(parameter, op("negate", operands(3)), op("abs", operands(1))),
			"t.pb: computations[0].instructions[1].operand_ids: operand 0 is instruction 3, which does not stand before its user"},
		{"itself", build(parameter, op("negate", operands(2))), "operand 0 is instruction 2"},
		{"no operand", build(parameter, op("negate", operands(9))), "the computation has no instruction 9"},
		{"operand count", build(parameter, op("negate", operands(1, 1))), "computations[0].instructions[1]: t.pb: byte "},
		{"opcode", build(parameter, op("frobnicate", operands(1))), `instructions[1].opcode: unknown opcode "frobnicate"`},
		{"no shape", build(func(w *writer) { w.str("opcode", "parameter") }), "instructions[0].shape: instruction  has no shape"},
		{"deep shape", build(deep), "messages nest deeper than 200"},
		{"huge literal", build(sized("f32s", 1<<40)), "literal.f32s: got 1 values for f32[1099511627776], want 1099511627776"},
		{"overflow", build(op("constant", func(w *writer) {
			w.sub("literal", func() {
				w.sub("shape", func() { w.num("element_type", 11); w.nums("dimensions", []int64{1 << 40, 1 << 40}) })
			})
		})), "literal.shape: an array of shape f32[1099511627776,1099511627776] has no known size"},
		{"element type", build(func(w *writer) { parameter(w); w.sub("shape", func() { w.num("element_type", 99) }) }),
			"instructions[0].shape.element_type: element type 99 is not known"},
		{"calls itself", build(parameter, op("call", func(w *writer) {
			w.nums("operand_ids", []int64{1})
			w.nums("called_computation_ids", []int64{1})
		})), "computations[0]: computation e calls itself, directly or through others"},
		{"calls nothing", build(parameter, op("call", func(w *writer) {
			w.nums("operand_ids", []int64{1})
			w.nums("called_computation_ids", []int64{5})
		})), "called_computation_ids: the module has no computation 5"},
		{"no body", build(parameter, op("while", operands(1))), "called_computation_ids: there is no computation for "},
		{"iota", build(parameter, op("all-gather", func(w *writer) {
			w.nums("operand_ids", []int64{1})
			w.sub("iota_collective_device_list", func() {
				w.num("num_replica_groups", 1<<40)
				w.num("num_devices_per_group", 1<<40)
				w.nums("iota_reshape_dims", []int64{1 << 40, 1 << 40})
			})
		})), "replica_groups: groups "},
		{"enumerator", build(parameter, op("fft", func(w *writer) { w.num("fft_type", 9) })), "fft_type: got 9, which is no FftType"},
		{"predecessor", build(parameter, op("negate", func(w *writer) {
			w.nums("operand_ids", []int64{1})
			w.nums("control_predecessor_ids", []int64{7})
		})), "control_predecessor_ids: there is no instruction 7"},
	} {
		_, err := Parse(c.src, "t.pb")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestBadText wants a sentence with line and column.
func TestBadText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"name: \"m\"\n colour: 3", "t.pbtxt:2:9: HloModuleProto: there is no field colour"},
		{"name: \"m\"\ncomputations { instructions { id: x } }", "t.pbtxt:2:35: HloInstructionProto: id: got \"x\", want a value"},
		{"name: \"m\"\ncomputations { name: \"e\"", "the text ends before the }"},
		{"name: \"m", "the text ends before the quote"},
		{"name: \"m\" id: [1 2]", "want a comma or ] in the list"},
		{"name: \"m\" computations { name 3 }", "got no colon after name"},
		{"name: \"m\" host_program_shape { result {" + strings.Repeat(" tuple_shapes {", 300),
			"messages nest deeper than 200"},
	} {
		_, err := Parse([]byte(c.text), "t.pbtxt")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text[:min(len(c.text), 60)], err, c.want)
		}
	}
}

// TestText reads what other writers of the text format may do.
func TestText(t *testing.T) {
	for _, text := range []string{
		`name: "m" computations { name: "e" id: 1 root_id: 2 instructions { opcode: "parameter" id: 2 shape { element_type: F32 ` +
			`dimensions: [2, 3] layout { minor_to_major: 1 minor_to_major: 0 } } } } entry_computation_id: 1`,
		"# a comment\nname: 'm' computations: < name: \"\\145\" id: 0x1, root_id: 2; instructions: [< opcode: \"param\" 'eter' " +
			"id: 2 shape: { element_type: 11 dimensions: 2 dimensions: 3 layout { minor_to_major: [1, 0] } } >] >\n" +
			"entry_computation_id: 1 # the end",
	} {
		m, err := Parse([]byte(text), "t.pbtxt")
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if got, want := m.Entry.Name+" "+strings.Join(ops(m), " "), "e parameterf32[2,3]{1,0}"; got != want {
			t.Errorf("got %s, want %s\n%s", got, want, text)
		}
	}
}

// TestCut cuts and changes a file at every byte: the answer is a program or an error.
func TestCut(t *testing.T) {
	src := Marshal(parse(t, strings.Replace(attributes, "all-reduce(u)", "all-reduce(f32[4]{0} constant({1,2,3,4}))", 1)))
	for i := range src {
		Parse(src[:i], "t.pb")
		for _, c := range []byte{0, 1, 0x7F, 0x80, 0xFF, src[i] + 1, src[i] ^ 4} {
			changed := append([]byte(nil), src...)
			changed[i] = c
			if m, err := Parse(changed, "t.pb"); err == nil {
				m.Text()
			}
		}
	}
}

// TestRemoved reads ops that XLA has no more as those that mean the same.
func TestRemoved(t *testing.T) {
	tuple := shape.TupleOf(shape.Array(shape.F32, 2))
	pred := func(w *writer) {
		w.str("opcode", "constant")
		w.shape("shape", shape.Array(shape.Pred))
		w.literal("literal", literal.Scalar(true), nil)
	}
	made := func(opcode string, s shape.Shape, ids ...int64) func(w *writer) {
		return func(w *writer) {
			w.str("name", opcode)
			w.str("opcode", opcode)
			w.shape("shape", s)
			w.nums("operand_ids", ids)
		}
	}
	src := build(parameter, pred, made("tuple", tuple, 1), made("tuple-select", tuple, 2, 3, 3),
		made("cross-replica-sum", shape.Array(shape.F32, 2), 1), made("generate-token", shape.TokenShape()),
		made("trace", shape.TupleOf(), 1))
	m, err := Parse(src, "t.pb")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range m.Entry.Instructions {
		got = append(got, in.Op.String())
	}
	if want := "parameter constant tuple conditional all-reduce after-all tuple"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if err := hlo.Verify(m); err != nil {
		t.Error(err)
	}
	roundTrip(t, m)
}

// TestLenient wants operands of two float types to be refused, and widened where that is wished.
func TestLenient(t *testing.T) {
	parameter := func(n int64, typ shape.ElementType) func(w *writer) {
		return func(w *writer) {
			w.str("name", fmt.Sprint("p", n))
			w.str("opcode", "parameter")
			w.shape("shape", shape.Array(typ, 4))
			w.num("parameter_number", n)
		}
	}
	add := func(w *writer) {
		w.str("name", "sum")
		w.str("opcode", "add")
		w.shape("shape", shape.Array(shape.F32, 4))
		w.nums("operand_ids", []int64{1, 2})
	}
	src := build(parameter(0, shape.F32), parameter(1, shape.BF16), add)
	if _, err := ParseSnapshot(src, "t.pb", Options{}); err == nil || !strings.Contains(err.Error(), "bf16") {
		t.Errorf("got %v, want that the types differ", err)
	}
	s, err := ParseSnapshot(src, "t.pb", Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Verify(s.Module); err != nil {
		t.Error(err)
	}
	if text := s.Module.Text(); !strings.Contains(text, " convert(%p1)") {
		t.Errorf("got no conversion of p1:\n%s", text)
	}
	roundTrip(t, s.Module)
}
