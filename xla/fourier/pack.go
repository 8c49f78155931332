package fourier

import "unsafe"

// Packed is a plan as native code follows it: structs of int64 and tables of pairs of T, which name each other by their
// offsets in Data. cgo/loops/fft/plan.h has the structs.
type Packed struct {
	Data []byte
	// Root is the offset of the plan.
	Root int64
	// Work is how many complex numbers the transform of one line takes to work in, the line itself aside.
	Work int64
}

// The kinds of butterflies, besides 2, 4 and 8.
const (
	oddKind   = 1
	chirpKind = 3
	planKind  = 5
)

// packer appends structs and tables to a plan's data.
type packer[T Number] struct{ data []byte }

// alignment is that of every struct and table.
const alignment = 64

func add[E any](data *[]byte, v []E) int64 {
	for len(*data)%alignment != 0 {
		*data = append(*data, 0)
	}
	at := int64(len(*data))
	var e E
	if len(v) > 0 {
		*data = append(*data, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(e)))...)
	}
	return at
}

// Pack returns the plan as data.
func (p *Plan[T]) Pack() Packed {
	k := &packer[T]{data: make([]byte, alignment)} // so that offset 0 is none
	root, work := k.plan(p)
	return Packed{k.data, root, work}
}

// plan appends {n, passes, list}.
func (k *packer[T]) plan(p *Plan[T]) (at, work int64) {
	var list []int64
	for i := range p.passes {
		s := &p.passes[i]
		kind, fly, w := k.butterfly(s.b, s.radix)
		list = append(list, int64(s.radix), int64(s.done), int64(s.rest), add(&k.data, s.turns), kind, fly)
		work = max(work, w)
	}
	n := int64(len(p.work))
	at = add(&k.data, []int64{n, int64(len(p.passes)), add(&k.data, list)})
	return at, work + n
}

// butterfly appends a butterfly and returns its kind, place and work.
func (k *packer[T]) butterfly(b butterfly[T], radix int) (kind, at, work int64) {
	r := int64(radix)
	switch b := b.(type) {
	case *oddButterfly[T]:
		groups := make([]int64, len(b.groups))
		for i, g := range b.groups {
			groups[i] = int64(g)
		}
		at := add(&k.data, []int64{r, add(&k.data, b.waves), int64(len(groups)), add(&k.data, groups)})
		return oddKind, at, r + 2*(r/2+1)
	case *chirp[T]:
		m := int64(len(b.work))
		inner, work := k.plan(b.inner)
		at := add(&k.data, []int64{r, m, inner, add(&k.data, b.wave), add(&k.data, b.kernel)})
		return chirpKind, at, r + m + work
	case *Plan[T]:
		inner, work := k.plan(b)
		return planKind, inner, r + work
	}
	return r, 0, r // 2, 4 and 8
}

// Pack returns the plan as data.
func (p *RealPlan[T]) Pack() Packed {
	k := &packer[T]{data: make([]byte, alignment)}
	n := int64(len(p.work))
	if p.pairs != nil {
		inner, work := k.plan(p.pairs)
		root := add(&k.data, []int64{n, 0, 0, inner, add(&k.data, p.turns)})
		return Packed{k.data, root, n/2 + work}
	}
	var list []int64
	work := int64(0)
	for i := range p.passes {
		s := &p.passes[i]
		kind, fly, w := k.butterfly(s.b, s.radix)
		list = append(list, int64(s.radix), int64(s.done), int64(s.rest), add(&k.data, s.turns), kind, fly)
		work = max(work, w)
	}
	root := add(&k.data, []int64{n, int64(len(p.passes)), add(&k.data, list), 0, 0})
	return Packed{k.data, root, (n+1)/2 + work}
}
