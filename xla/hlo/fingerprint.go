package hlo

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// Fingerprint identifies programs by what they compute and by the order in which they do: their text, but for names and
// metadata. Processes that are to run the same programs compare it.
func Fingerprint(programs ...*Computation) string {
	f := &fingerprint{h: sha256.New(), seen: map[*Computation]string{}}
	for _, c := range programs {
		f.reference(c)
	}
	return hex.EncodeToString(f.h.Sum(nil)[:8])
}

// fingerprint is one under way. seen has a number for each computation that is in it.
type fingerprint struct {
	h    hash.Hash
	seen map[*Computation]string
}

// reference notes that c comes here, and the first time what it is.
func (f *fingerprint) reference(c *Computation) {
	_, known := f.seen[c]
	if !known {
		f.seen[c] = "c" + strconv.Itoa(len(f.seen))
	}
	f.h.Write([]byte(f.seen[c]))
	if !known {
		f.computation(c)
	}
}

func (f *fingerprint) computation(c *Computation) {
	p := &printer{names: f.seen, renamed: make(map[*Instruction]string, len(c.Instructions))}
	for i, in := range c.Instructions {
		p.renamed[in] = strconv.Itoa(i)
	}
	for _, in := range c.Instructions {
		for _, called := range in.Called() {
			f.reference(called)
		}
		p.b = p.b[:0]
		if a, ok := in.Attrs.(*ConstantAttrs); ok && len(a.Literal.Bytes()) > 0 { // its bytes are shorter than its text
			p.b = in.Shape.Append(append(p.b, "constant "...), true)
			f.h.Write(a.Literal.Bytes())
		} else {
			f.instruction(p, in)
		}
		f.h.Write(append(p.b, '\n'))
	}
	f.h.Write([]byte("ROOT " + p.name(c.Root)))
}

// instruction prints in without what says nothing of the program, and without names that it refers to by text.
func (f *fingerprint) instruction(p *printer, in *Instruction) {
	bare := *in
	if bare.Common = nil; in.Common != nil {
		bare.Common = &Common{Sharding: in.Common.Sharding, Frontend: in.Common.Frontend, Extra: in.Common.Extra,
			BackendConfig: in.Common.BackendConfig, ResultAccuracy: in.Common.ResultAccuracy}
	}
	p.renamed[&bare] = p.name(in)
	p.instruction(&bare)
	delete(p.renamed, &bare)
}
