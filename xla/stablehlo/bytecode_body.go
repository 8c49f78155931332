package stablehlo

// functionBody is the block of a function whose ops are read as they are imported. Most are needed no more then, and
// the next is read into their memory.
type functionBody struct {
	f         *bytecode
	c         cursor // behind the op that was read last
	op        *Op    // the function
	left      int    // ops to come
	scopes    []valueScope
	argNumber int
	depth     int // of the function's regions
}

// later puts off the ops of the block that has just begun, and takes the values of its region along.
func (f *bytecode) later(c *cursor, op *Op, ops int) *functionBody {
	last := len(f.scopes) - 1
	b := &functionBody{f: f, c: *c, op: op, left: ops, scopes: []valueScope{f.scopes[last]}, argNumber: f.argNumber,
		depth: f.regions}
	f.scopes = f.scopes[:last]
	return b
}

// next reads the next op; nil behind the last.
func (b *functionBody) next() (*Op, error) {
	f := b.f
	b.resume()
	for b.left > 0 && f.err == nil {
		b.left--
		op := f.op(&b.c, b.op)
		if f.err != nil || f.isCast(op) {
			continue
		}
		if op.asked() {
			op.own()
		}
		return op, nil
	}
	if len(f.scopes) > 0 && f.err == nil {
		f.popValues(&b.c)
		b.c.done("regions of %s", b.op.Name)
	}
	return nil, f.err
}

// resume makes the reader go on in this function.
func (b *functionBody) resume() {
	f := b.f
	if f.body == b {
		return
	}
	if f.body != nil {
		f.body.scopes, f.body.argNumber = f.scopes, f.argNumber
	}
	f.body, f.scopes, f.argNumber, f.regions = b, b.scopes, b.argNumber, b.depth
	f.lazy = false // a function inside this one is part of it
}

// own lets the results know their op.
func (o *Op) own() {
	for _, v := range o.Results {
		v.Op = o
	}
}

// asked reports whether somebody may ask the results for their op: it is made again in regions if it is made of
// constants only, and has other ops if it has regions.
func (o *Op) asked() bool {
	for _, v := range o.Operands {
		if v.Op == nil {
			return len(o.Regions) > 0
		}
	}
	return true
}

// free takes the memory of an op that next returned, if no value knows the op.
func (b *functionBody) free(op *Op) {
	if len(op.Regions) == 0 && len(op.Results) > 0 && op.Results[0].Op == nil {
		b.f.spare = op
	}
}

// drain reads what is left of a block that nobody imports.
func (b *Block) drain() error {
	source := opSource{body: b.body}
	for {
		op, err := source.next()
		if op == nil {
			return err
		}
		source.free(op)
	}
}

// opSource hands out the ops of a block.
type opSource struct {
	ops  []*Op
	body *functionBody // if they are yet to be read
}

// count returns how many ops are to come, at most.
func (s *opSource) count() int {
	if s.body != nil {
		return s.body.left
	}
	return len(s.ops)
}

// next returns the next op; nil behind the last.
func (s *opSource) next() (*Op, error) {
	if s.body != nil {
		return s.body.next()
	}
	if len(s.ops) == 0 {
		return nil, nil
	}
	op := s.ops[0]
	s.ops = s.ops[1:]
	return op, nil
}

// free says that an op was imported.
func (s *opSource) free(op *Op) {
	if s.body != nil {
		s.body.free(op)
	}
}
