package stablehlo

// maxTree is the most memory that ops, values, regions and blocks of a program may take, in bytes: some seven million
// ops. The smallest of them take one to three bytes of a file and a hundred of memory for each, so that files above
// twenty megabytes are refused if they are nothing else. Constants are not counted: they take as much as in the file.
const maxTree = 2 << 30

// What nodes of a tree take, with the places that name them.
const (
	opBytes, valueBytes, refBytes, regionBytes, blockBytes = 216, 96, 8, 56, 96
)

// spend counts n nodes of some bytes each. It reports whether that is within bounds; if not, the file is refused.
func (f *bytecode) spend(c *cursor, n, bytes int) bool {
	if f.budget -= n * bytes; f.budget < 0 && f.err == nil {
		c.fail("ops and values take more memory than the bound")
	}
	return f.err == nil
}

// newOp returns an op to be filled.
func (f *bytecode) newOp() *Op {
	if op := f.spare; op != nil {
		f.spare = nil
		return op
	}
	if len(f.newOps) == 0 {
		f.newOps = make([]Op, 64)
	}
	op := &f.newOps[0]
	f.newOps = f.newOps[1:]
	return op
}

// newList returns a list of values to be filled.
func (f *bytecode) newList(n int) []*Value {
	if n > len(f.newRefs) {
		f.newRefs = make([]*Value, max(256, n))
	}
	list := f.newRefs[:n:n]
	f.newRefs = f.newRefs[n:]
	return list
}
