package stablehlo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// namesFile is a file whose dialect builtin has count ops, all of one name.
func namesFile(name string, count int) []byte {
	text := append([]byte("builtin\x00"), name+"\x00"...)
	sizes := appendVarint(appendVarint(appendVarint(nil, 2), uint64(len(name)+1)), uint64(len("builtin")+1))
	one := appendFlagged(nil, 1, true)
	ops := slices.Concat(appendVarint(nil, uint64(count)), appendVarint(nil, 0), appendVarint(nil, uint64(count)),
		slices.Repeat(one, count))
	dialects := slices.Concat(appendVarint(nil, 1), appendFlagged(nil, 0, false), ops)
	return slices.Concat([]byte(bytecodeMagic), appendVarint(nil, 6), []byte{0},
		appendSection(nil, sectionStrings, append(sizes, text...)), appendSection(nil, sectionDialects, dialects),
		appendSection(nil, sectionAttrs, nil), appendSection(nil, sectionOffsets, append(appendVarint(nil, 0), 1)),
		appendSection(nil, sectionIR, nil))
}

// TestBytecodeNames wants an op of a file to take no more than its entry, however long its name and however often it
// comes.
func TestBytecodeNames(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{strings.Repeat("a", 100_000), "name of 100000 bytes, want at most 256"},
		{strings.Repeat("a", maxName), "got the end"},
		{"module", "got the end"},
	} {
		data := namesFile(c.name, 100_000)
		testfile.Bounded(t, len(data), 100, func() {
			if _, err := ReadBytecode(data, "f"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("a name of %d bytes: got %v, want %s", len(c.name), err, c.want)
			}
		})
	}
}

// TestBytecodePlaces wants many locations of one long name to be read in memory bounded by the file.
func TestBytecodePlaces(t *testing.T) {
	const ops = 1000
	name := strings.Repeat("layer/", 50_000)
	var text strings.Builder
	text.WriteString("func.func @main(%a: tensor<4xf32>) {\n")
	for i := range ops {
		fmt.Fprintf(&text, "%%b%d = stablehlo.add %%a, %%a : tensor<4xf32>\n", i)
	}
	prog, err := ParseAST(Text{File: "t", Source: text.String() + "return }"})
	if err != nil {
		t.Fatal(err)
	}
	for i, op := range prog.Module.Regions[0].Blocks[0].Ops[0].Regions[0].Blocks[0].Ops[:ops] {
		op.Loc = &Location{Kind: LocFused, Children: []*Location{{Kind: LocName, Name: name}, {Kind: LocFile, Col: i + 1}}}
	}
	data, err := WriteBytecode(prog, BytecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	testfile.Bounded(t, len(data), 16, func() {
		if prog, err = ReadBytecode(data, "t.bc"); err != nil {
			t.Fatal(err)
		}
	})
	op := prog.Module.Regions[0].Blocks[0].Ops[0].Regions[0].Blocks[0].Ops[0]
	if want := fmt.Sprintf("t.bc: %q", name[:maxName]); op.Pos.File != want || op.Loc.Children[0].Name != name {
		t.Errorf("got the position %v, want %s and the whole name in the location", op.Pos, want)
	}
	im := &importer{}
	for i, want := range []bool{true, true, false, false} { // the third has no room any more
		if i == 2 {
			im.placeBytes = maxText - len(name)
		}
		l := &Location{Kind: LocName, Name: name}
		if i == 1 {
			l = op.Loc
		}
		if got := im.metadata(l); (got != nil) != want || im.metadata(l) != got {
			t.Errorf("place %d: got metadata %t, want %t, and the same again", i, got != nil, want)
		}
	}
}

// TestBrokenProperty wants an attribute that cannot be read to be a fault of an op whose properties may be in lists of
// several releases, whichever of the lists comes to it first.
func TestBrokenProperty(t *testing.T) {
	for _, c := range []struct{ op, props string }{
		{"func.call", "\x01"}, // the oldest list: callee
		{"stablehlo.custom_call", "\x01\x01\x01\x01\x01\x01\x01\x01"}, // the older list, in which all but the name are missing
		{"stablehlo.custom_call", "\x01\x01\x01\x01\x01\x01\x01\x01\x01"},
	} {
		f := &bytecode{name: "f", version: versionSegments, rows: map[dialectOp]*bytecodeRow{}}
		f.data = append(appendVarint(nil, 99), c.props...)
		f.attrs = []entry{{dialect: "builtin", coded: true, body: cursor{f: f, end: 1}}}
		dialect, name, _ := cutName(c.op)
		op := &bytecodeOp{registered: true, row: f.row(dialect, name)}
		got := f.properties(op, cursor{f: f, pos: 1, end: len(f.data)})
		if f.err == nil || !strings.HasPrefix(f.err.Error(), "f: byte ") {
			t.Errorf("%s: got %s and %v, want a fault: there is no attribute with the code 99", c.op, joinNamed(got), f.err)
		}
	}
}

// nested is a type of 2^depth parts that take a few bytes of a file.
func nested(depth int) Type {
	var t Type = TokenType{}
	for range depth {
		t = FutureType{[]Type{t, t}}
	}
	return t
}

// TestLongTypes wants types that stand for very much to be compared without writing them out, and many functions that
// cannot be imported because of one to take little memory.
func TestLongTypes(t *testing.T) {
	huge := nested(60)
	for _, same := range []Type{huge, ComplexType{huge}, FuncType{[]Type{huge}, nil}, TupleType{Elems: []Type{huge}}} {
		if !TypesEqual(same, same) {
			t.Error("a type is not the same as itself")
		}
	}
	if TypesEqual(FutureType{[]Type{huge}}, TupleType{Elems: []Type{huge}}) || TypesEqual(nested(3), nested(4)) {
		t.Error("types that differ are the same")
	}
	if !TypesEqual(nested(4), nested(4)) {
		t.Error("types that were made twice are not the same")
	}
	main := "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n"
	text := "tuple<" + strings.Repeat("tensor<f32>, ", 1000) + "tensor<f32>>"
	for i := range 20 {
		main += fmt.Sprintf("func.func private @f%d(%%a: %s) { \"x.y\"(%%a) : (%[2]s) -> ()\n return }\n", i, text)
	}
	im, err := Parse(Text{File: "t", Source: main})
	if err != nil || len(im.Unsupported) != 20 {
		t.Fatalf("got %v, %v, want 20 functions that are not supported", im, err)
	}
	for _, err := range im.Unsupported {
		if n := len(err.Error()); n > maxMessage+100 || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got a message of %d bytes, want %d at most", n, maxMessage+100)
		}
	}
}
