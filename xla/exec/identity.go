package exec

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync"

	"github.com/halo-xla/halo/xla/hlo"
)

// identity tells ranks whether they run the same program: by its fingerprint as it was read, since what passes make of
// it may differ from machine to machine.
type identity struct {
	read *hlo.Computation // the entry
	once sync.Once
	text string
}

func (i *identity) String() string {
	i.once.Do(func() { i.text = hlo.Fingerprint(i.read) })
	return i.text
}

// identityOf is that of the program of a module before passes, or nil where they may have it afterwards: ranks compare
// only programs whose devices meet. That of others is not worth keeping what passes drop.
func identityOf(m *hlo.Module) *identity {
	if hlo.Meets(m) || calls(m, func(in *hlo.Instruction) bool {
		p, err := hlo.ParallelOf(in)
		return p != nil || err != nil
	}) {
		return &identity{read: m.Entry}
	}
	return nil
}

// calls reports whether m has a custom call that is so.
func calls(m *hlo.Module, so func(*hlo.Instruction) bool) bool {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Op == hlo.CustomCall && so(in) {
				return true
			}
		}
	}
	return false
}

// partOf makes p the next of whole's programs: ranks tell it by its number.
func (p *program) partOf(whole *program) {
	whole.subs = append(whole.subs, p)
	p.identity, p.part = whole.identity, whole.part+"."+strconv.Itoa(len(whole.subs))
}

// fingerprintOf is that of the programs of all devices.
func fingerprintOf(programs []*program) string {
	all, last := "", ""
	for i, p := range programs {
		text := p.identity.String() + p.part
		if i == 0 || text != last { // one compiled for several machines is one
			all += text
		}
		last = text
	}
	if len(all) > 16 {
		all = fmt.Sprintf("%x", sha256.Sum256([]byte(all)))[:16]
	}
	return all
}
