package stablehlo

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// bytecodeMagic begins MLIR bytecode.
const bytecodeMagic = "ML\xefR"

// IsBytecode reports whether data begins as MLIR bytecode does.
func IsBytecode(data []byte) bool { return bytes.HasPrefix(data, []byte(bytecodeMagic)) }

// ParseBytecode is [Parse] for MLIR bytecode. Data is not kept.
func ParseBytecode(data []byte, name string) (*Imported, error) {
	f := newBytecode(data, name, maxTree)
	f.lazy = true
	prog, err := f.program()
	if err != nil {
		return nil, err
	}
	return Import(prog)
}

// ReadBytecode turns MLIR bytecode of the versions 0 to 6 into the tree that its text would give: of the dialects VHLO,
// as portable artifacts have it, from version 0.9.0 on, and StableHLO, CHLO, MHLO, func and builtin. VHLO's ops,
// attributes and types become today's of StableHLO.
//
// Positions in the tree are the places that the program's locations tell; where there is none, the name that the
// location has, and the offset in data. The elements of constants are copied, once; data is not kept.
//
// Every error is an [*Error], with the offset.
func ReadBytecode(data []byte, name string) (*Program, error) {
	return newBytecode(data, name, maxTree).program()
}

// newBytecode begins to read a file, with a bound on the memory of the tree besides constants.
func newBytecode(data []byte, name string, budget int) *bytecode {
	return &bytecode{name: name, data: data, budget: budget, rows: map[dialectOp]*bytecodeRow{},
		prog: &Program{Resources: map[string]string{}}}
}

// program reads the file.
func (f *bytecode) program() (*Program, error) {
	f.read(&cursor{f: f, end: len(f.data)})
	if f.err != nil {
		return nil, f.err
	}
	return f.prog, nil
}

// The numbers of sections.
const (
	sectionStrings = iota
	sectionDialects
	sectionAttrs
	sectionOffsets
	sectionIR
	sectionResources
	sectionResourceOffsets
	sectionDialectVersion
	sectionProperties
	numSections
)

// The versions of bytecode at which something changed.
const (
	versionDialects    = 1 // dialects have versions
	versionLazy        = 2 // regions of isolated ops are sections
	versionUseLists    = 3 // orders of uses
	versionElided      = 4 // unknown locations of block arguments are left out
	versionProperties  = 5 // properties of ops
	versionSegments    = 6 // sizes of operand segments have a code of their own
	maxBytecodeVersion = 6
)

// bytecode is a file while it is being read.
type bytecode struct {
	name      string // of the file
	data      []byte
	version   uint64
	strings   []string
	dialects  []string
	ops       []bytecodeOp
	rows      map[dialectOp]*bytecodeRow // of those
	attrs     []entry
	types     []entry
	props     []propertyList
	blobs     []blobResource
	prog      *Program
	err       error
	depth     int                 // of attributes and types that are being read
	parts     int                 // of the one that is being read
	text      int                 // bytes of those that are kept as text
	kinds     map[attrKey]*opKind // of ops, those whose attributes are more than properties
	scopes    []valueScope
	regions   int  // that are open
	argNumber int  // of the next argument, as MLIR's text names it
	budget    int  // bytes that the tree may yet take
	lazy      bool // functions are read as they are imported
	spare     *Op  // that was imported and may be another
	newOps    []Op
	body      *functionBody // that is being read; nil while the module is
	newVals   []Value
	usedVals  int
	newRefs   []*Value
}

// bytecodeOp is a kind of op that the file holds.
type bytecodeOp struct {
	registered bool // the producer knew it
	row        *bytecodeRow
	bare       *opKind // without attributes; nil until there was one
}

// propertyList is the properties of an op: where they lie and the kind of the ops that had them last.
type propertyList struct {
	body cursor
	of   uint64  // the number of the op in the file
	kind *opKind // nil until there was one
}

// blobResource is a resource of a dialect: the bytes of a large constant.
type blobResource struct {
	key  string
	data []byte
}

// failAt records the first fault, at an offset.
func (f *bytecode) failAt(off int, format string, args ...any) {
	if f.err == nil {
		f.err = errorf(Pos{File: f.name, Col: off}, format, args...)
	}
}

// read reads the whole file.
func (f *bytecode) read(c *cursor) {
	if !IsBytecode(f.data) {
		c.fail("no MLIR bytecode: it begins with %q, want %q", f.data[:min(len(f.data), 4)], bytecodeMagic)
		return
	}
	c.pos = len(bytecodeMagic)
	if f.version = c.varint(); f.version > maxBytecodeVersion {
		c.fail("bytecode version %d: 0 to %d are known: %v", f.version, maxBytecodeVersion, errors.ErrUnsupported)
		return
	}
	n := bytes.IndexByte(f.data[c.pos:], 0)
	if n < 0 {
		c.fail("name of the producer has no end")
		return
	}
	c.bytes(uint64(n) + 1)
	sections := f.sections(c)
	f.readStrings(sections[sectionStrings])
	f.readDialects(sections[sectionDialects])
	f.readOffsets(sections[sectionOffsets], sections[sectionAttrs])
	f.readResources(sections[sectionResourceOffsets], sections[sectionResources])
	f.readProperties(sections[sectionProperties])
	if f.err == nil {
		f.readIR(*sections[sectionIR])
	}
}

// sections finds the sections. Those that every file needs are not nil.
func (f *bytecode) sections(c *cursor) [numSections]*cursor {
	var all [numSections]*cursor
	for f.err == nil && c.left() > 0 {
		at := c.pos
		id, body := c.section()
		switch {
		case f.err != nil:
		case int(id) >= numSections:
			f.failAt(at, "section %d is unknown", id)
		case all[id] != nil:
			f.failAt(at, "section %d stands twice", id)
		default:
			all[id] = &body
		}
	}
	for _, id := range [...]int{sectionStrings, sectionDialects, sectionAttrs, sectionOffsets, sectionIR} {
		if all[id] == nil {
			c.fail("section %d is missing", id)
			all[id] = &cursor{f: f}
		}
	}
	return all
}

// readStrings reads all strings: their sizes, the last first, then their bytes with a zero behind each.
func (f *bytecode) readStrings(c *cursor) {
	sizes := make([]uint64, c.count("strings"))
	for i := len(sizes) - 1; i >= 0 && f.err == nil; i-- {
		sizes[i] = c.varint()
	}
	f.strings = make([]string, len(sizes))
	for i, n := range sizes {
		b := c.bytes(n)
		if f.err != nil {
			return
		}
		if n == 0 || b[n-1] != 0 {
			c.fail("string %d has no end", i)
			return
		}
		f.strings[i] = string(b[:n-1])
	}
	c.done("strings")
}

func (f *bytecode) str(c *cursor, n uint64) string {
	if n >= uint64(len(f.strings)) {
		c.fail("string %d: there are %d", n, len(f.strings))
		return ""
	}
	return f.strings[n]
}

// readDialects reads the names of dialects and of their ops.
func (f *bytecode) readDialects(c *cursor) {
	f.dialects = make([]string, c.count("dialects"))
	for i := range f.dialects {
		if f.version < versionDialects {
			f.dialects[i] = c.name(c.varint())
			continue
		}
		n, versioned := c.flagged()
		f.dialects[i] = c.name(n)
		if versioned {
			c.nested(sectionDialectVersion)
		}
	}
	if f.version >= versionElided {
		c.varint() // how many ops follow
	}
	f.groups(c, func(dialect string) {
		n, registered := c.varint(), true
		if f.version >= versionProperties {
			n, registered = n>>1, n&1 != 0
		}
		f.ops = append(f.ops, bytecodeOp{registered: registered, row: f.row(dialect, c.name(n))})
	})
}

// groups reads groups of things of one dialect, up to the section's end.
func (f *bytecode) groups(c *cursor, item func(dialect string)) {
	for f.err == nil && c.left() > 0 {
		d := c.varint()
		if d >= uint64(len(f.dialects)) {
			c.fail("dialect %d: there are %d", d, len(f.dialects))
			return
		}
		for range c.count("entries of a dialect") {
			if item(f.dialects[d]); f.err != nil {
				return
			}
		}
	}
}

// readOffsets reads where attributes and types lie.
func (f *bytecode) readOffsets(c, body *cursor) {
	attrs, types := c.varint(), c.varint()
	all := []entry{}
	off := body.pos
	f.groups(c, func(dialect string) {
		n, coded := c.flagged()
		if n > uint64(body.end-off) {
			c.fail("size %d of an attribute or type goes beyond its section", n)
			return
		}
		all = append(all, entry{dialect: dialect, coded: coded, body: cursor{f: f, pos: off, end: off + int(n)}})
		off += int(n)
	})
	if n := uint64(len(all)); f.err == nil && (attrs > n || types != n-attrs) {
		c.fail("%d attributes and %d types are promised, %d are there", attrs, types, n)
	}
	if f.err == nil {
		f.attrs, f.types = all[:attrs], all[attrs:]
	}
}

// readProperties finds the properties of ops.
func (f *bytecode) readProperties(c *cursor) {
	if c == nil {
		return
	}
	for range c.count("properties") {
		n := c.varint()
		start := c.pos
		c.bytes(n)
		f.props = append(f.props, propertyList{body: cursor{f: f, pos: start, end: c.pos}})
	}
	c.done("properties")
}

// readResources reads the resources of dialects; those of tools are skipped.
func (f *bytecode) readResources(c, body *cursor) {
	if c == nil {
		return
	}
	if body == nil {
		c.fail("offsets of resources without section %d", sectionResources)
		return
	}
	for range c.count("groups of resources") {
		c.str()
		f.resourceGroup(c, body, false)
	}
	for f.err == nil && c.left() > 0 {
		if d := c.varint(); d >= uint64(len(f.dialects)) {
			c.fail("dialect %d: there are %d", d, len(f.dialects))
		}
		f.resourceGroup(c, body, true)
	}
}

// resourceGroup reads the keys and sizes of some resources and takes their values from body.
func (f *bytecode) resourceGroup(c, body *cursor, keep bool) {
	for range c.count("resources") {
		key, size, kind := c.str(), c.varint(), c.byte()
		start := body.pos
		if body.bytes(size); f.err != nil {
			return
		}
		r := blobResource{key: key}
		if value := (cursor{f: f, pos: start, end: body.pos}); kind == 0 && size > 0 {
			align, n := value.varint(), value.varint()
			value.align(align)
			r.data = value.bytes(n)
			value.done("resource %s", key)
		}
		if keep {
			f.blobs = append(f.blobs, r)
		}
	}
}

// entry is an attribute or type: where it lies and, once it was read, what it is.
type entry struct {
	dialect string
	coded   bool // in the dialect's own code; else as text
	state   readState
	body    cursor
	parts   int // attributes and types that it is made of, each counted as often as it is used
	attr    Attr
	typ     Type
	place   *place // that it tells as a location; nil until somebody asked
}

// readState is how far an entry was read.
type readState uint8

const (
	unread readState = iota
	reading
	wasRead
)

// maxEntryDepth is how deep attributes and types may nest; locations, which hold the calls of a program, do most.
const maxEntryDepth = 2048

// resolve reads an entry if it was not read yet, and counts its parts for the one that uses it.
func (f *bytecode) resolve(e *entry, read func(body cursor)) {
	switch {
	case f.err != nil:
		return
	case e.state == reading:
		f.failAt(e.body.pos, "attribute or type holds itself")
		return
	case f.depth >= maxEntryDepth:
		f.failAt(e.body.pos, "attributes or types nest deeper than %d", maxEntryDepth)
		return
	case e.state == unread:
		outer := f.parts
		f.parts, e.state = 1, reading
		f.depth++
		read(e.body)
		f.depth--
		e.parts, e.state = f.parts, wasRead
		f.parts = outer
		if f.err != nil { // who tries another way, and forgets the fault, comes to it again
			e.state = unread
			return
		}
	}
	// Entries that use others twice each would grow with the power of their number when they are written out.
	if f.parts += e.parts; f.parts > max(maxAlias, 16*len(f.data)) && f.depth > 0 {
		f.failAt(e.body.pos, "attribute or type stands for more than %d parts", max(maxAlias, 16*len(f.data)))
	}
}

// attr returns an attribute by its number.
func (f *bytecode) attr(c *cursor, n uint64) Attr {
	if n >= uint64(len(f.attrs)) {
		c.fail("attribute %d: there are %d", n, len(f.attrs))
		return UnitAttr{}
	}
	e := &f.attrs[n]
	if e.state == wasRead && f.depth == 0 {
		return e.attr
	}
	f.resolve(e, func(body cursor) {
		e.attr = readEntry(f, e, &body, "attribute", attrCodes, (*parser).attr)
	})
	if e.attr == nil {
		return UnitAttr{}
	}
	return e.attr
}

// typ returns a type by its number.
func (f *bytecode) typ(c *cursor, n uint64) Type {
	if n >= uint64(len(f.types)) {
		c.fail("type %d: there are %d", n, len(f.types))
		return NoneType{}
	}
	e := &f.types[n]
	if e.state == wasRead && f.depth == 0 {
		return e.typ
	}
	f.resolve(e, func(body cursor) { e.typ = readEntry(f, e, &body, "type", typeCodes, (*parser).parseType) })
	if e.typ == nil {
		return NoneType{}
	}
	return e.typ
}

// readEntry reads an entry, which is of a kind, in its dialect's code or as text.
func readEntry[T any, F ~func(*cursor) T](f *bytecode, e *entry, c *cursor, kind string, codes map[string][]F,
	text func(*parser) T) (v T) {
	if !e.coded {
		p := f.textParser(c, c.rest())
		defer p.endOfText(f)
		return text(p)
	}
	list, code := codes[e.dialect], c.varint()
	if code >= uint64(len(list)) || list[code] == nil {
		c.fail("dialect %s has no %s with the code %d that is known: %v", e.dialect, kind, code, errors.ErrUnsupported)
		return v
	}
	v = list[code](c)
	c.done("%s %d of %s", kind, code, e.dialect)
	return v
}

// textParser reads a text that stands at the cursor.
func (f *bytecode) textParser(c *cursor, text string) *parser {
	p := &parser{file: fmt.Sprintf("%s: text at byte %d", f.name, c.pos), prog: f.prog, lex: lexer{text: text, line: 1}}
	p.advance()
	return p
}

// rest returns what is left as text, without the zero at its end.
func (c *cursor) rest() string { return strings.TrimSuffix(string(c.bytes(uint64(c.left()))), "\x00") }

// endOfText wants the text to be over and hands on the parser's fault.
func (p *parser) endOfText(f *bytecode) {
	if p.err == nil && !p.is(tokEOF) {
		p.want("the end")
	}
	p.resolveLocations()
	if f.err == nil {
		f.err = p.err
	}
}
