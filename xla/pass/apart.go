package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	maxApart   = 16  // pieces of an array
	leastPiece = 32  // elements of one
	maxApartOp = 512 // operations on pieces, beyond which there are too many for one fusion
)

// Apart takes arrays apart that a computation puts together of a few pieces, works on and takes slices of: systems of
// equations whose state is a stack of arrays. What is done to the elements is done piece by piece, slices are pieces,
// and what is wanted as a whole is put together once. A loop carries pieces where its state is made of them.
func Apart() Pass {
	return Pass{Name: "apart", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			p := newParter(e)
			if !flow[e.old] || e.pins != nil {
				e.keepAllIf(false)
				return
			}
			p.find()
			for _, in := range e.old.Instructions {
				p.visit(in)
			}
		}), nil
	}}
}

// cut is how arrays of some sizes are taken apart: into pieces of one size along a dimension.
type cut struct {
	dims []int64
	dim  int
	size int64
}

// parter takes the arrays of one computation apart.
type parter struct {
	*editor
	list    []*hlo.Instruction
	cut     []*cut               // of each instruction that is taken apart, by index
	pieces  [][]*hlo.Instruction // what stands for those
	readers [][]*hlo.Instruction // of each instruction
	// takes are how the elements of the parameter of a loop's body or condition are taken apart, nil where they are not,
	// and gives those of the body's root, its state that it carries in pieces.
	takes, gives []*cut
	place        []int            // where those elements, or their first pieces, are now
	param        *hlo.Instruction // the new parameter
}

func newParter(e *editor) *parter {
	n := len(e.old.Instructions)
	p := &parter{editor: e, list: e.old.Instructions, cut: make([]*cut, n), pieces: make([][]*hlo.Instruction, n),
		readers: make([][]*hlo.Instruction, n)}
	for _, in := range p.list {
		for _, o := range in.Operands {
			p.readers[o.Index()] = append(p.readers[o.Index()], in)
		}
	}
	return p
}

// find finds what is taken apart.
func (p *parter) find() {
	for _, c := range p.cuts() {
		p.mark(c)
		p.prune(c)
	}
}

// findState does so in the body of a loop, elements of its state included, and reports whether there are such.
func (p *parter) findState() bool {
	p.gives = make([]*cut, len(p.old.Root.Operands))
	p.takes = p.gives
	for _, c := range p.cuts() {
		p.mark(c)
		p.markState(c)
		p.mark(c)
		p.prune(c)
	}
	return slices.ContainsFunc(p.gives, func(c *cut) bool { return c != nil })
}

// cuts lists how the concatenations of the computation can be taken apart: those of one dimension and size, such that
// each seam is one between pieces, which all have one size, since others are no one fusion.
func (p *parter) cuts() []*cut {
	var list []*cut
	for _, in := range p.list {
		if !p.movable(in) || in.Op != hlo.Concatenate {
			continue
		}
		k := slices.IndexFunc(list, func(c *cut) bool { return c.joins(in) })
		if k < 0 {
			k, list = len(list), append(list, &cut{dims: in.Shape.Dims, dim: int(joinedDim(in))})
		}
		list[k].addSeams(in)
	}
	return slices.DeleteFunc(list, (*cut).unfit)
}

// movable reports whether in may be replaced by pieces.
func (p *parter) movable(in *hlo.Instruction) bool {
	return plain(in.Shape) && !in.IsDynamic() && !in.HasSideEffect() && !slices.ContainsFunc(in.Operands,
		func(o *hlo.Instruction) bool { return !plain(o.Shape) || o.IsDynamic() })
}

// joins reports whether in is a concatenation along the dimension that is cut.
func (c *cut) joins(in *hlo.Instruction) bool {
	return in.Op == hlo.Concatenate && int(joinedDim(in)) == c.dim && slices.Equal(in.Shape.Dims, c.dims)
}

func (c *cut) addSeams(in *hlo.Instruction) {
	for _, o := range in.Operands {
		c.size = gcd(c.size, o.Shape.Dims[c.dim])
	}
}

// count is how many pieces there are.
func (c *cut) count() int { return int(c.dims[c.dim] / max(c.size, 1)) }

// unfit reports whether there are too many pieces, or too small ones.
func (c *cut) unfit() bool {
	return c.count() < 2 || c.count() > maxApart || c.around()*c.size < leastPiece
}

// around is how many elements there are for each index of the dimension.
func (c *cut) around() int64 {
	n := int64(1)
	for d, size := range c.dims {
		if d != c.dim {
			n *= size
		}
	}
	return n
}

// mark marks concatenations, and what is computed with their elements.
func (p *parter) mark(c *cut) {
	for i, in := range p.list {
		if p.cut[i] == nil && p.movable(in) && (c.joins(in) || p.isOnPieces(in, c)) {
			p.cut[i] = c
		}
	}
}

// isOnPieces reports whether in works on elements, some of which are of an array that is cut so.
func (p *parter) isOnPieces(in *hlo.Instruction, c *cut) bool {
	if in.Op != hlo.Clamp && in.Op.Info().Traits&hlo.Elementwise == 0 || !slices.Equal(in.Shape.Dims, c.dims) ||
		len(in.Called()) > 0 {
		return false
	}
	found := false
	for _, o := range in.Operands {
		if !o.Shape.IsScalar() && !slices.Equal(o.Shape.Dims, c.dims) {
			return false
		}
		found = found || p.cut[o.Index()] == c
	}
	return found
}

// markState marks elements of a loop's state that each round makes of pieces.
func (p *parter) markState(c *cut) {
	for k, o := range p.old.Root.Operands {
		if p.cut[o.Index()] == c && p.gives[k] == nil {
			p.gives[k] = c
		}
	}
	for i, in := range p.list {
		if k, ok := carried(in); ok && k >= 0 && p.gives[k] == c {
			p.cut[i] = c
		}
	}
}

// prune takes back what does not pay: a group of arrays that depend on one another must have fewer copies of whole
// arrays than before, or as many if a loop carries pieces and reads them as such.
func (p *parter) prune(c *cut) {
	group := p.groups(c)
	gain, size := map[int]int{}, map[int]int{}
	carries := map[int]bool{}
	for i, in := range p.list {
		if p.cut[i] == c {
			g := group(i)
			_, taken := carried(in)
			gain[g] += p.gain(in, c)
			size[g] += c.count()
			carries[g] = carries[g] || taken && !p.isWhole(in)
		}
	}
	for i := range p.list {
		if g := group(i); p.cut[i] == c && (gain[g] < 0 || gain[g] == 0 && !carries[g] || size[g] > maxApartOp) {
			p.cut[i] = nil
		}
	}
	for k := range p.gives {
		if p.gives[k] == c && p.cut[p.old.Root.Operands[k].Index()] == nil {
			p.gives[k] = nil
		}
	}
}

// groups returns which group an instruction is of that is cut so.
func (p *parter) groups(c *cut) func(i int) int {
	up := make([]int, len(p.list))
	find := func(i int) int {
		for up[i] != i {
			up[i] = up[up[i]]
			i = up[i]
		}
		return i
	}
	join := func(i, j int) { up[find(i)] = find(j) }
	for i, in := range p.list {
		up[i] = i
		for _, o := range in.Operands {
			if p.cut[i] == c && p.cut[o.Index()] == c {
				join(i, o.Index())
			}
		}
	}
	for i, in := range p.list {
		if k, ok := carried(in); ok && p.cut[i] == c {
			join(i, p.old.Root.Operands[k].Index())
		}
	}
	return find
}

// gain is how many copies it saves that in is taken apart.
func (p *parter) gain(in *hlo.Instruction, c *cut) int {
	n := 0
	if in.Op == hlo.Concatenate {
		n++
	}
	if p.isWhole(in) {
		n--
	}
	for _, o := range in.Operands {
		if inner := c.dims[c.dim+1:]; p.cut[o.Index()] == nil && o.Op != hlo.Broadcast && in.Op != hlo.Concatenate &&
			!o.Shape.IsScalar() && c.around() > shape.Product(inner) {
			n-- // its pieces are not in one piece
		}
	}
	return n
}

// isWhole reports whether something wants all of in, which is taken apart, together.
func (p *parter) isWhole(in *hlo.Instruction) bool {
	c := p.cut[in.Index()]
	return in == p.old.Root || slices.ContainsFunc(p.readers[in.Index()], func(user *hlo.Instruction) bool {
		if user == p.old.Root && p.gives != nil {
			return p.givesWhole(in)
		}
		first, limit := c.within(user)
		return p.cut[user.Index()] != c && limit-first != 1 && !(limit > first && p.isJoined(user, c))
	})
}

// givesWhole reports whether the root of a loop's body has all of in as an element.
func (p *parter) givesWhole(in *hlo.Instruction) bool {
	for k, o := range p.old.Root.Operands {
		if o == in && p.gives[k] == nil {
			return true
		}
	}
	return false
}

// isJoined reports whether only concatenations that are taken apart want a slice.
func (p *parter) isJoined(in *hlo.Instruction, c *cut) bool {
	return !slices.ContainsFunc(p.readers[in.Index()], func(user *hlo.Instruction) bool {
		return user.Op != hlo.Concatenate || p.cut[user.Index()] != c
	})
}

// within returns of which pieces of an array that is cut so a slice of it consists: of some whole ones, or of a part of
// one. There are none if it is no such slice.
func (c *cut) within(in *hlo.Instruction) (first, limit int) {
	if in.Op != hlo.Slice || !slices.Equal(in.Operands[0].Shape.Dims, c.dims) {
		return 0, 0
	}
	d := sliceDims(in)[c.dim]
	first, limit = int(d.Start/c.size), int((d.Limit+c.size-1)/c.size)
	whole := d.Start%c.size == 0 && d.Limit%c.size == 0 && in.Shape.Dims[c.dim] == d.Limit-d.Start
	for k, n := range in.Shape.Dims {
		whole = whole && (k == c.dim || n == c.dims[k])
	}
	if limit-first == 1 || whole {
		return first, limit
	}
	return 0, 0
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
