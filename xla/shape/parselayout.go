package shape

import "strings"

// layoutPart parses the inside of one part of a layout, the parenthesis after its mark taken.
type layoutPart struct {
	mark  string
	parse func(*parser, *Layout) error
}

// layoutParts returns the parts that may follow the colon; a variable would refer to itself, for a physical shape has
// a layout again.
func layoutParts() []layoutPart {
	return []layoutPart{
		{"D(", (*parser).dimTypes},
		{"PAD(", (*parser).padding},
		{"T(", (*parser).tiles},
		{"L(", numberInto(func(l *Layout) *int64 { return &l.Tail })},
		{"#(", typeInto(func(l *Layout) *ElementType { return &l.IndexType })},
		{"*(", typeInto(func(l *Layout) *ElementType { return &l.PointerType })},
		{"E(", numberInto(func(l *Layout) *int64 { return &l.ElementBits })},
		{"SC(", (*parser).splits},
		{"S(", numberInto(func(l *Layout) *int64 { return &l.MemorySpace })},
		{"P(", (*parser).physical},
		{"M(", numberInto(func(l *Layout) *int64 { return &l.MetadataBytes })},
	}
}

func (p *parser) layout() (*Layout, error) {
	l := &Layout{}
	if err := p.need("{"); err != nil {
		return nil, err
	}
	if p.space(); p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		list, err := p.list(false)
		if err != nil {
			return nil, err
		}
		l.MinorToMajor = list
	}
	if p.take(":") {
		if err := p.parts(l); err != nil {
			return nil, err
		}
	}
	return l, p.need("}")
}

// parts parses what follows the colon, each part at most once, in any order.
func (p *parser) parts(l *Layout) error {
	table := layoutParts()
	seen := make([]bool, len(table))
	for {
		i := 0
		for i < len(table) && !p.take(table[i].mark) {
			i++
		}
		if i == len(table) {
			return nil
		}
		if seen[i] {
			return p.fail("layout has %s...) twice", table[i].mark)
		}
		seen[i] = true
		if err := table[i].parse(p, l); err != nil {
			return err
		}
	}
}

// list parses numbers with commas between; stars makes "*" mean CombineDim.
func (p *parser) list(stars bool) ([]int64, error) {
	var out []int64
	for {
		if len(out) == MaxRank {
			return nil, p.fail("list has more than %d numbers", MaxRank)
		}
		if stars && p.take("*") {
			out = append(out, CombineDim)
		} else {
			n, err := p.number()
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		if !p.take(",") {
			return out, nil
		}
	}
}

func numberInto(field func(*Layout) *int64) func(*parser, *Layout) error {
	return func(p *parser, l *Layout) error {
		n, err := p.number()
		if err != nil {
			return err
		}
		*field(l) = n
		return p.need(")")
	}
}

func typeInto(field func(*Layout) *ElementType) func(*parser, *Layout) error {
	return func(p *parser, l *Layout) error {
		p.space()
		at := p.pos
		name := p.word()
		t, ok := TypeByName(name)
		if !ok || !t.IsUnsigned() {
			p.pos = at
			return p.fail("type %q, want an unsigned integer type", name)
		}
		*field(l) = t
		return p.need(")")
	}
}

// dimTypes keeps the text of D(...), for example "D,C+~"; all dense is the default.
func (p *parser) dimTypes(l *Layout) error {
	p.space()
	end := strings.IndexByte(p.text[p.pos:], ')')
	if end < 0 {
		return p.wrong("dimension types")
	}
	text := p.text[p.pos : p.pos+end]
	dense := true
	for _, part := range strings.Split(text, ",") {
		kind := strings.TrimRight(part, "+~")
		if len(part)-len(kind) > 2 || len(kind) != 1 || !strings.Contains("DCSH", kind) {
			return p.fail("dimension type %q, want D, C, S or H, then + and ~ if needed", part)
		}
		dense = dense && part == "D"
	}
	if !dense {
		l.DimTypes = text
	}
	p.pos += end + 1
	return nil
}

func (p *parser) padding(l *Layout) error {
	sizes, err := p.list(false)
	if err != nil {
		return err
	}
	if err := p.need(")="); err != nil {
		return err
	}
	at := p.pos
	name := p.word()
	for v := ZeroPad; v <= UnknownPad; v++ {
		if name == v.String() {
			l.PaddedDims, l.PaddingValue = sizes, v
			return nil
		}
	}
	p.pos = at
	return p.fail("padding value %q, want zero, one, lowest, highest or unknown", name)
}

// tiles parses the tiles that follow one another in their parentheses.
func (p *parser) tiles(l *Layout) error {
	for {
		t, err := p.list(true)
		if err != nil {
			return err
		}
		if err := p.need(")"); err != nil {
			return err
		}
		if len(l.Tiles) == maxTiles {
			return p.fail("layout has more than %d tiles", maxTiles)
		}
		l.Tiles = append(l.Tiles, t)
		if !p.take("(") {
			return nil
		}
	}
}

// maxTiles is how many tiles a layout's text may have; each may double the number of sizes.
const maxTiles = 16

func (p *parser) splits(l *Layout) error {
	for {
		dim, err := p.number()
		if err != nil {
			return err
		}
		if err := p.need(":"); err != nil {
			return err
		}
		at, err := p.list(false)
		if err != nil {
			return err
		}
		l.Splits = append(l.Splits, Split{dim, at})
		if err := p.need(")"); err != nil {
			return err
		}
		if !p.take("(") {
			return nil
		}
	}
}

func (p *parser) physical(l *Layout) error {
	s, err := p.shape()
	if err != nil {
		return err
	}
	l.Physical = &s
	return p.need(")")
}
