package xla

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// shared is a compiled program and the executables that use it.
type shared struct {
	program   exec.Program
	signature Signature
	name      string
	key       string // "" if it is not in the cache
	users     int
	// owned says which results have memory that nothing else has.
	owned []bool
	plain bool // see isPlain
	// grid is how many devices the program says that it is for, meets that it has to do with others, and scheduled that
	// XLA has compiled it, which cuts it up.
	grid             collective.Grid
	meets, scheduled bool
	// fingerprint is of the program as it was read, if the client has a job: the ranks compare it.
	fingerprint string
}

// cache keeps compiled programs, so that the same text with the same options is compiled once. It holds a number of
// programs and drops those that were asked for the longest time ago.
type cache struct {
	mu     sync.Mutex
	limit  int
	byKey  map[string]*shared
	recent []string // the last one was asked for last
	closed bool     // nothing is kept any more
}

// defaultCache is how many programs are kept if the options do not say.
const defaultCache = 32

func newCache(limit int) *cache {
	if limit == 0 {
		limit = defaultCache
	}
	return &cache{limit: max(limit, 0), byKey: map[string]*shared{}}
}

// keyOf identifies a program and how it is compiled; "" if that is not to be kept: a module is not read again, and who
// wants a dump or a profile wants one of his own.
func keyOf(p Program, o CompileOptions) string {
	if p.Module != nil || o.Bind != nil || o.DumpTo != "" || o.Profile {
		return ""
	}
	sum := sha256.Sum256(p.Source)
	return fmt.Sprintf("%x %d %t %t %t %t %t %v %q %s", sum, p.Line, p.chunk, p.Lenient, o.AllowReference, o.Verify,
		o.FlushDenormals, o.Tune, o.TuneFolder, p.Name)
}

// callsFunctions reports whether handlers serve a custom call of m.
func callsFunctions(m *hlo.Module, handlers Handlers) bool {
	if handlers == nil {
		return false
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if a, ok := in.Attrs.(*hlo.CustomCallAttrs); ok {
				if _, ok := handlers.Lookup(a.Target); ok {
					return true
				}
			}
		}
	}
	return false
}

// find returns the program with the key for one more user, nil if there is none.
func (c *cache) find(key string) *shared {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byKey[key]
	if s == nil || key == "" {
		return nil
	}
	s.users++
	c.touch(key)
	return s
}

func (c *cache) touch(key string) {
	c.recent = append(slices.DeleteFunc(c.recent, func(k string) bool { return k == key }), key)
}

// add takes a program that was compiled for its first user.
func (c *cache) add(s *shared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.users = 1
	if c.closed || c.limit == 0 || c.byKey[s.key] != nil { // somebody was faster
		s.key = ""
	}
	if s.key == "" {
		return
	}
	c.byKey[s.key] = s
	c.touch(s.key)
	for len(c.recent) > c.limit {
		c.drop(c.recent[0])
	}
}

// drop takes a program out; it is closed when nobody uses it.
func (c *cache) drop(key string) {
	s := c.byKey[key]
	delete(c.byKey, key)
	c.recent = slices.DeleteFunc(c.recent, func(k string) bool { return k == key })
	if s.key = ""; s.users == 0 {
		s.program.Close()
	}
}

// release ends the use of a program.
func (c *cache) release(s *shared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.users--; s.users == 0 && s.key == "" {
		s.program.Close()
	}
}

// close drops all programs, also those whose compile is under way.
func (c *cache) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.clear()
}

// clear drops all programs.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.recent) > 0 {
		c.drop(c.recent[0])
	}
}
