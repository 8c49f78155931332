package stablehlo

import (
	"errors"
	"fmt"
)

// BytecodeOptions say how WriteBytecode writes.
type BytecodeOptions struct {
	// Target is the version of VHLO to write. The zero version stands for the oldest from 1.0.0 on that can hold the
	// program.
	Target VHLOVersion
}

// WriteBytecode writes a program of StableHLO, CHLO and func as a portable artifact: bytecode of VHLO, which JAX and
// whatever else has the StableHLO library reads. Locations are written, names of values are not.
//
// It fails with errors.ErrUnsupported for ops, types and attributes that VHLO lacks, or has not yet in the version
// that is wanted.
func WriteBytecode(p *Program, o BytecodeOptions) ([]byte, error) {
	target, fixed := o.Target, o.Target != VHLOVersion{}
	if !fixed {
		target = VHLOVersion{1, 0, 0}
	}
	if target.before(OldestVHLO) || NewestVHLO.before(target) {
		return nil, fmt.Errorf("VHLO version: got %s, want %s to %s", target, OldestVHLO, NewestVHLO)
	}
	for {
		w := &bytecodeWriter{target: target, needs: target, version: target.bytecode(), prog: p,
			values: map[*Value]uint64{}, dense: map[*DenseAttr]uint64{}, tensors: map[*TensorType]uint64{},
			locations: map[*Location]uint64{}, props: &codedTable{}}
		data, err := w.write(p)
		switch {
		case err != nil:
			return nil, err
		case !target.before(w.needs):
			return data, nil
		case fixed:
			return nil, &Error{Pos: w.needsAt.Pos, Op: w.needsAt.Name, Err: errors.ErrUnsupported, Msg: fmt.Sprintf(
				"%s: %s needs VHLO %s, %s is to be written", w.needsAt.Signature(), w.needsWhat, w.needs, target)}
		}
		target = w.needs
	}
}

// The dialects of an artifact, by number.
const (
	builtinDialect = iota
	vhloDialect
	sdyDialect
	chloDialect
)

var artifactDialects = []string{builtinDialect: "builtin", vhloDialect: "vhlo", sdyDialect: "sdy", chloDialect: "chlo"}

// bytecodeWriter writes one artifact.
type bytecodeWriter struct {
	target       VHLOVersion
	needs        VHLOVersion // the version that holds all that was written
	needsWhat    string      // what needs it
	needsAt      *Op
	version      uint64 // of bytecode
	prog         *Program
	at           *Op // that is being written
	err          error
	strings      stringTable
	attrs        codedTable
	types        codedTable
	ops          codedTable // names, head is the number of the string
	props        *codedTable
	dialects     []uint64 // numbers in the file, by those above
	dialectNames []string // that are used
	dense        map[*DenseAttr]uint64
	tensors      map[*TensorType]uint64
	locations    map[*Location]uint64
	values       map[*Value]uint64
	next, end    uint64 // numbers of the next value, and behind the last of the open regions
}

// fail records the first fault, at the op that is being written.
func (w *bytecodeWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = w.at.Errorf(format, args...)
	}
}

// lack records that VHLO has no such thing.
func (w *bytecodeWriter) lack(format string, args ...any) {
	w.fail("%s: %v", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// need says that what is written was not there before a version.
func (w *bytecodeWriter) need(major, minor int, what string) {
	if v := (VHLOVersion{major, minor, 0}); w.needs.before(v) {
		w.needs, w.needsWhat, w.needsAt = v, what, w.at
	}
}

// has reports whether the target has what came with a version.
func (w *bytecodeWriter) has(major, minor int) bool {
	return !w.target.before(VHLOVersion{major, minor, 0})
}

// write writes the whole file.
func (w *bytecodeWriter) write(p *Program) ([]byte, error) {
	w.at = p.Module
	ir := appendFlagged(nil, 1, false)
	ir = w.op(ir, p.Module)
	if w.err != nil {
		return nil, w.err
	}
	w.numberDialects()
	dialects := w.dialectSection()
	offsets, size := w.offsetSection()
	head := append([]byte(bytecodeMagic), appendVarint(nil, w.version)...)
	head = append(append(head, "StableHLO_v"+w.target.String()...), 0)
	head = appendSection(head, sectionDialects, dialects)
	head = appendSection(head, sectionOffsets, offsets)
	head = appendVarint(append(head, sectionAttrs), uint64(size))
	tail := appendSection(nil, sectionIR, ir)
	tail = w.strings.appendTo(tail)
	if w.version >= versionProperties {
		tail = appendSection(tail, sectionProperties, w.propertySection())
	}
	data := make([]byte, 0, len(head)+size+len(tail))
	data = append(data, head...)
	for _, t := range [...]*codedTable{&w.attrs, &w.types} {
		for _, c := range t.list {
			data = append(append(data, c.head...), c.blob...)
		}
	}
	return append(data, tail...), nil
}

// numberDialects gives numbers to the dialects that are used.
func (w *bytecodeWriter) numberDialects() {
	used := [...]bool{builtinDialect: true, vhloDialect: true, chloDialect: false}
	for _, t := range [...]*codedTable{&w.attrs, &w.types, &w.ops} {
		for _, c := range t.list {
			used[c.dialect] = true
		}
	}
	w.dialects = make([]uint64, len(used))
	for d, is := range used {
		if is {
			w.dialects[d] = uint64(len(w.dialectNames))
			w.dialectNames = append(w.dialectNames, artifactDialects[d])
		}
	}
}

// dialectSection holds the names of dialects and ops.
func (w *bytecodeWriter) dialectSection() []byte {
	b := appendVarint(nil, uint64(len(w.dialectNames)))
	for _, name := range w.dialectNames {
		if n := w.strings.number(name); w.version >= versionDialects {
			b = appendFlagged(b, n, false)
		} else {
			b = appendVarint(b, n)
		}
	}
	list := w.ops.list
	if w.version >= versionElided {
		b = appendVarint(b, uint64(len(list)))
	}
	runs(len(list), func(i int) int { return list[i].dialect }, func(dialect, from, to int) {
		b = appendVarint(appendVarint(b, w.dialects[dialect]), uint64(to-from))
		for _, op := range list[from:to] {
			b = append(b, op.head...)
		}
	})
	return b
}

// offsetSection holds the sizes of attributes and types. It also returns their sum.
func (w *bytecodeWriter) offsetSection() (b []byte, size int) {
	b = appendVarint(appendVarint(nil, uint64(len(w.attrs.list))), uint64(len(w.types.list)))
	for _, t := range [...]*codedTable{&w.attrs, &w.types} {
		runs(len(t.list), func(i int) int { return t.list[i].dialect }, func(dialect, from, to int) {
			b = appendVarint(appendVarint(b, w.dialects[dialect]), uint64(to-from))
			for _, c := range t.list[from:to] {
				n := len(c.head) + len(c.blob)
				size += n
				b = appendFlagged(b, uint64(n), !c.text)
			}
		})
	}
	return b, size
}

func (w *bytecodeWriter) propertySection() []byte {
	b := appendVarint(nil, uint64(len(w.props.list)))
	for _, p := range w.props.list {
		b = append(appendVarint(b, uint64(len(p.head))), p.head...)
	}
	return b
}

// opName numbers the name of an op.
func (w *bytecodeWriter) opName(dialect int, name string) uint64 {
	n := w.strings.number(name)
	if w.version >= versionProperties {
		return w.ops.number(dialect, appendFlagged(nil, n, true))
	}
	return w.ops.number(dialect, appendVarint(nil, n))
}

// op appends an op.
func (w *bytecodeWriter) op(b []byte, op *Op) []byte {
	outer := w.at
	w.at = op
	defer func() { w.at = outer }()
	if w.err != nil {
		return b
	}
	f := w.downgrade(op)
	b = appendVarint(b, w.opName(f.dialect, f.name))
	mask := bit(hasAttrs, len(f.rest)) | bit(hasResults, len(op.Results)) | bit(hasOperands, len(op.Operands)) |
		bit(hasRegions, len(f.regions))
	props := w.version >= versionProperties && len(f.properties) > 0
	if props {
		mask |= hasProperties
	}
	b = appendVarint(append(b, mask), w.location(op.Loc))
	if mask&hasAttrs != 0 {
		b = appendVarint(b, w.dictionary(f.rest))
	}
	if props {
		b = appendVarint(b, w.props.number(0, f.propertyBytes()))
	}
	b = w.results(b, op)
	b = w.operands(b, op)
	return w.regions(b, op, f)
}

// bit returns a bit of the mask if the op has some of what it stands for.
func bit(mask byte, n int) byte {
	if n == 0 {
		return 0
	}
	return mask
}

func (w *bytecodeWriter) results(b []byte, op *Op) []byte {
	if len(op.Results) == 0 {
		return b
	}
	b = appendVarint(b, uint64(len(op.Results)))
	for _, v := range op.Results {
		b = appendVarint(b, w.typ(v.Type))
		w.define(v)
	}
	return b
}

func (w *bytecodeWriter) operands(b []byte, op *Op) []byte {
	if len(op.Operands) == 0 {
		return b
	}
	b = appendVarint(b, uint64(len(op.Operands)))
	for _, v := range op.Operands {
		n, ok := w.values[v]
		if !ok {
			w.fail("uses a value that is not defined before")
		}
		b = appendVarint(b, n)
	}
	return b
}

// define numbers a value.
func (w *bytecodeWriter) define(v *Value) {
	w.values[v] = w.next
	w.next++
}

// regions appends the regions of an op. The values in them go on counting behind those of the region around, all of
// which come first; in isolated ops they begin at zero.
func (w *bytecodeWriter) regions(b []byte, op *Op, f *downgraded) []byte {
	if len(f.regions) == 0 {
		return b
	}
	isolated := isolatedOps[op.Name]
	b = appendFlagged(b, uint64(len(f.regions)), isolated)
	if !isolated || w.version < versionLazy {
		for _, r := range f.regions {
			b = w.region(b, r, isolated)
		}
		return b
	}
	var body []byte
	for _, r := range f.regions {
		body = w.region(body, r, isolated)
	}
	return appendSection(b, sectionIR, body)
}

func (w *bytecodeWriter) region(b []byte, r *Region, isolated bool) []byte {
	b = appendVarint(b, uint64(len(r.Blocks)))
	if len(r.Blocks) == 0 {
		return b
	}
	count := uint64(0)
	ops := make([][]*Op, len(r.Blocks))
	for i, block := range r.Blocks {
		ops[i] = expand(block.Ops)
		count += uint64(len(block.Args))
		for _, inner := range ops[i] {
			count += uint64(len(inner.Results))
		}
	}
	outer, outerEnd := w.next, w.end
	if isolated {
		w.next, w.end = 0, 0
	} else {
		w.next = w.end
	}
	w.end = w.next + count
	b = appendVarint(b, count)
	for i, block := range r.Blocks {
		b = w.block(b, block.Args, ops[i])
	}
	w.next, w.end = outer, outerEnd
	return b
}

func (w *bytecodeWriter) block(b []byte, args []*Value, ops []*Op) []byte {
	b = appendFlagged(b, uint64(len(ops)), len(args) > 0)
	if len(args) > 0 {
		b = appendVarint(b, uint64(len(args)))
		for _, v := range args {
			if t := w.typ(v.Type); w.version >= versionElided {
				b = appendFlagged(b, t, false)
			} else {
				b = appendVarint(appendVarint(b, t), w.location(nil))
			}
			w.define(v)
		}
		if w.version >= versionUseLists {
			b = append(b, 0)
		}
	}
	for _, op := range ops {
		b = w.op(b, op)
	}
	return b
}

// location numbers a location.
func (w *bytecodeWriter) location(l *Location) uint64 {
	if l == nil {
		return w.attrs.number(builtinDialect, appendVarint(nil, 15))
	}
	n, known := w.locations[l]
	if !known {
		n = w.attrs.number(builtinDialect, w.locationBytes(l))
		w.locations[l] = n
	}
	return n
}

func (w *bytecodeWriter) locationBytes(l *Location) []byte {
	var children []uint64
	for _, c := range l.Children {
		children = append(children, w.location(c))
	}
	switch {
	case l.Kind == LocFile:
		b := appendVarint(appendVarint(nil, 11), w.builtinString(l.File))
		return appendVarint(appendVarint(b, uint64(uint32(l.Line))), uint64(uint32(l.Col)))
	case l.Kind == LocName && len(children) == 0:
		return appendVarint(appendVarint(appendVarint(nil, 14), w.builtinString(l.Name)), w.location(nil))
	case l.Kind == LocName:
		return appendVarint(appendVarint(appendVarint(nil, 14), w.builtinString(l.Name)), children[0])
	case l.Kind == LocFused:
		return appendList(appendVarint(nil, 12), children)
	case l.Kind == LocCallSite && len(children) == 2:
		return appendVarint(appendVarint(appendVarint(nil, 10), children[0]), children[1])
	}
	return appendVarint(nil, 15)
}

// appendList appends numbers with how many they are before them.
func appendList(b []byte, list []uint64) []byte {
	b = appendVarint(b, uint64(len(list)))
	for _, n := range list {
		b = appendVarint(b, n)
	}
	return b
}

// builtinString numbers a string as an attribute of MLIR itself.
func (w *bytecodeWriter) builtinString(s string) uint64 {
	return w.attrs.number(builtinDialect, appendVarint(appendVarint(nil, 2), w.strings.number(s)))
}

// dictionary numbers the attributes of an op.
func (w *bytecodeWriter) dictionary(list []writtenAttr) uint64 {
	b := appendVarint(appendVarint(nil, 1), uint64(len(list)))
	for _, a := range list {
		b = appendVarint(appendVarint(b, w.builtinString(a.name)), a.number)
	}
	return w.attrs.number(builtinDialect, b)
}
