package lapack

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// site is a call that is being made ready.
type site struct {
	call     *hlo.Instruction
	target   target
	constant func(i int) *literal.Literal
	element  shape.ElementType // of the matrices
	dims     map[byte]int64    // by the letters of the family's signature
	operands []Part
	results  []Part
	used     int // results that the signature names; work space follows
	batch    int64
	kernel   string
	problem  *Problem
	step     step
	many     many
	notes    map[string]string
	wrong    error // of the first attribute that was
	// transposed says that matrices are row-major: for LAPACK they are their transposes.
	transposed bool
}

// unknown is the error of a scalar operand whose value is not known when the program is compiled.
type unknown struct{ operand int }

func (u unknown) Error() string {
	return fmt.Sprintf("operand %d is a size or flag, want a constant", u.operand)
}

func (unknown) Is(err error) bool { return err == errors.ErrUnsupported }

func newSite(call *hlo.Instruction, t target, constant func(i int) *literal.Literal) (*site, error) {
	s := &site{call: call, target: t, constant: constant, dims: map[byte]int64{}, batch: 1}
	if len(call.Operands) <= t.scalars {
		return nil, fmt.Errorf("got %d operands, want more than %d", len(call.Operands), t.scalars)
	}
	if s.notes, s.wrong = notesOf(call); s.wrong != nil {
		return nil, s.wrong
	}
	first := call.Operands[t.scalars].Shape
	s.element, s.transposed = first.Type, s.flag("transposed", false)
	text := s.signature()
	in, out, _ := strings.Cut(text, " -> ")
	takes, gives := strings.Fields(in), strings.Fields(out)
	if got, want := len(call.Operands)-t.scalars, len(takes); got != want {
		return nil, fmt.Errorf("got %d arrays, want %d", got, want)
	}
	if rank := len(takes[0]) - 1; first.Rank() < rank {
		return nil, fmt.Errorf("operand %d is %v, want rank %d or more", t.scalars, first, rank)
	}
	lead := first.Dims[:first.Rank()-len(takes[0])+1]
	for _, d := range lead {
		s.batch *= d
	}
	for i, spec := range takes {
		p, err := s.part(spec, t.scalars+i, call.Operands[t.scalars+i].Shape, lead)
		if err == nil {
			err = s.laidOut(p)
		}
		if err != nil {
			return nil, fmt.Errorf("operand %w", err)
		}
		s.operands = append(s.operands, p)
		if i == 0 {
			s.derive()
		}
	}
	return s, s.giving(gives, lead)
}

// signature returns the arrays of the family: for these elements, this rank or this order, if that makes a difference.
func (s *site) signature() string {
	kind := "/real"
	if s.element.IsComplex() {
		kind = "/complex"
	}
	if s.target.signature != "" {
		return s.target.signature
	}
	if s.transposed {
		return signatures[s.target.family+"/transposed"]
	}
	if last := s.call.Operands[len(s.call.Operands)-1]; last.Shape.Rank() == 1 {
		if text, ok := signatures[s.target.family+"/vector"]; ok {
			return text
		}
	}
	if text, ok := signatures[s.target.family+kind]; ok {
		return text
	}
	return signatures[s.target.family]
}

// derive sets the sizes that follow from those of the first matrix.
func (s *site) derive() {
	m, ok := s.dims['m']
	if n, ok2 := s.dims['n']; ok && ok2 {
		s.dims['k'] = min(m, n)
	}
	if n, ok := s.dims['n']; ok {
		s.dims['l'] = max(n-1, 0)
	}
}

// giving describes the results. What the signature does not name is work space, which is left zero.
func (s *site) giving(specs []string, lead []int64) error {
	all := s.call.Shape.Leaves()
	order := s.target.order(s, specs)
	named := make([]bool, len(all))
	for i, spec := range specs {
		at := order[i]
		if at >= len(all) {
			if spec == "?i" {
				continue
			}
			return fmt.Errorf("got %d results, want %d", len(all), len(specs))
		}
		p, err := s.part(strings.TrimPrefix(spec, "?"), at, all[at], lead)
		if err != nil {
			return fmt.Errorf("result %w", err)
		}
		s.results = append(s.results, p)
		named[at] = true
	}
	s.used = len(s.results)
	for i, r := range all {
		if !named[i] {
			if !r.IsArray() || r.IsDynamic() {
				return fmt.Errorf("result %d is %v, want an array", i, r)
			}
			s.results = append(s.results, Part{Index: i, Shape: r.WithoutLayout(), Same: -1})
		}
	}
	return nil
}

// part describes the operand or result number i of shape got. spec is a letter for its type (T as the first operand, R
// its real part's, C its complex type, i s32, a integers) and one for each dimension behind the batch's; = before it
// says that there are none of the batch.
func (s *site) part(spec string, i int, got shape.Shape, lead []int64) (Part, error) {
	spec, single := strings.CutPrefix(spec, "=")
	if single {
		lead = nil
	}
	want := shape.Shape{Type: s.typeOf(spec[0], got.Type), Dims: append([]int64(nil), lead...)}
	for at, letter := range []byte(spec[1:]) {
		d, ok := s.dims[letter]
		if !ok && len(lead)+at < got.Rank() {
			d = got.Dims[len(lead)+at]
			s.dims[letter] = d
		}
		want.Dims = append(want.Dims, d)
	}
	if !got.Compatible(want) && !hlo.Fits(want, got) {
		return Part{}, fmt.Errorf("%d is %v, want %v", i, got.WithoutLayout(), want)
	}
	p := Part{Index: i, Shape: want, Columns: len(spec) == 3, Same: -1}
	p.each = int64(want.Type.Bits()) / 8
	for _, d := range want.Dims[len(lead):] {
		p.each *= d
	}
	if single {
		p.each = 0
	}
	return p, nil
}

// laidOut fails if the call says a layout of an operand that is not LAPACK's.
func (s *site) laidOut(p Part) error {
	layouts := s.call.Attrs.(*hlo.CustomCallAttrs).OperandLayouts
	if layouts == nil || s.target.logical || layouts[p.Index].Layout == nil {
		return nil
	}
	got, want := layouts[p.Index].Layout, p.layout()
	if s.transposed {
		want = Part{Shape: p.Shape}.layout()
	}
	if !p.Shape.SameOrder(got.MinorToMajor, want.MinorToMajor) {
		return fmt.Errorf("%d has the layout %v, want %v", p.Index, got, want)
	}
	return nil
}

// typeOf is the element type that a letter of a signature stands for.
func (s *site) typeOf(letter byte, got shape.ElementType) shape.ElementType {
	switch letter {
	case 'i':
		return shape.S32
	case 'a':
		if got == shape.U32 || got == shape.S64 {
			return got
		}
		return shape.S32
	case 'R':
		return realOf[s.element]
	case 'C':
		return complexOf[s.element]
	}
	return s.element
}

var (
	realOf = map[shape.ElementType]shape.ElementType{shape.F32: shape.F32, shape.F64: shape.F64, shape.C64: shape.F32,
		shape.C128: shape.F64}
	complexOf = map[shape.ElementType]shape.ElementType{shape.F32: shape.C64, shape.F64: shape.C128,
		shape.C64: shape.C64, shape.C128: shape.C128}
)

// same says that results begin as copies of operands: result i as operand list[i], -1 for none.
func (s *site) same(list ...int) {
	for i, o := range list {
		s.results[i].Same = o
	}
}

// rowMajor has Run take all matrices as they are.
func (s *site) rowMajor() {
	for _, list := range [][]Part{s.operands, s.results} {
		for i := range list {
			list[i].Columns = false
		}
	}
}

// at returns a size by its letter.
func (s *site) at(letter byte) int { return int(s.dims[letter]) }

// routine returns what was made ready.
func (s *site) routine() *Routine {
	r := &Routine{Kernel: s.kernel, Operands: s.operands, Results: s.results, batch: s.batch, step: s.step,
		many: s.many}
	if s.used == len(s.results) {
		r.Problem = s.problem
	}
	for _, p := range s.operands {
		if p.Shape.Size() == 0 {
			r.step, r.many, r.Problem = func(_, _ [][]byte) {}, nil, nil
		}
	}
	return r
}

// steps has all of a batch computed by f, some at a time, and returns its step.
func (s *site) steps(f many) step {
	s.many = f
	return func(_, out [][]byte) { f(out, 1) }
}

// doing says what the routine does, for who has another way to do it.
func (s *site) doing(p Problem) {
	p.M, p.N, p.Batch = s.dims['m'], s.dims['n'], s.batch
	if p.M == 0 {
		p.M = p.N
	}
	s.problem = &p
}

// choose returns the function of OpenBLAS, or else that in Go; it fails if there is none.
func choose[F any](s *site, native F, plain ...F) (F, error) {
	if n, ok := s.dims['n']; ok {
		m, ok := s.dims['m']
		switch {
		case !s.operands[0].Columns: // bands of a matrix
			m = 1
		case !ok:
			m = n
		}
		if err := tooLarge(m, n); err != nil {
			return native, err
		}
	}
	err := openblas.LoadLAPACK()
	if err == nil {
		s.kernel = "openblas " + s.target.family
		return native, nil
	}
	if len(plain) == 0 {
		return native, fmt.Errorf("%s needs OpenBLAS: %w", s.target.family, err)
	}
	s.kernel = "go " + s.target.family
	return plain[0], nil
}

// as takes bytes as elements.
func as[T any](b []byte) []T {
	var x T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(x)))
}
