package code

import "encoding/binary"

// Operations that AVX-512 alone has.
var (
	CompareSigned, ComparePlain Op // of integers, by the numbers IntEqual and such
	Rotate                      Op // to the left
	LeftWide                    Op // lanes twice as wide
	CutWords, CutBytes          Op // of lanes, packed
)

// wides are the operations that are other ones with AVX-512, or none.
var wides = map[*Op]Op{
	&Compare:       {ps(0xc2).numbered().as(compare), pd(0xc2).numbered().as(compare)},
	&CompareSigned: {in3A(0x1f).as(compare), in3A(0x1f).as(compare)},
	&ComparePlain:  {in3A(0x1e).as(compare), in3A(0x1e).as(compare)},
	&Choose:        {in38(0x65).as(choice), in38(0x65).as(choice)},
	&Rotate:        {pd(0x72).shift(1), pd(0x72).shift(1)},
	&LeftWide:      {four: pd(0x73).shift(6).of64()},
	&CutWords:      {four: of(prefixF3, map0F38, 0x33).as(halve)},
	&CutBytes:      {four: of(prefixF3, map0F38, 0x31).as(halve)},
	&MulInt:        {in38(0x40), in38(0x40)},
	&AbsInt:        {in38(0x1e).as(one), in38(0x1f).as(one)},
	&MaxSigned:     {in38(0x3d), in38(0x3d)},
	&MinSigned:     {in38(0x39), in38(0x39)},
	&MaxPlain:      {in38(0x3f), in38(0x3f)},
	&MinPlain:      {in38(0x3b), in38(0x3b)},
	&RightSign:     {pd(0x72).shift(4), pd(0x72).shift(4)},
	&SignBy:        {in38(0x46), in38(0x46)},
	&EqualInt:      {}, &Greater: {}, &SignOf: {}, &Blend: {}, &Upper: {}, &PackWords: {}, &PackBytes: {},
}

// Numbers of CompareSigned and ComparePlain.
const (
	IntEqual    = 0
	IntLess     = 1
	IntAtMost   = 2
	IntUnequal  = 4
	IntAtLeast  = 5
	IntMoreThan = 6
)

// of is the operation's instruction for the function's lanes.
func (f *Function) of(o *Op) encoding {
	op := *o
	if w, ok := wides[o]; ok && f.bytes == Wide {
		op = w
	}
	if f.lane == 8 {
		return f.encoding(op.eight)
	}
	return f.encoding(op.four)
}

// encoding is an instruction for the function's lanes: those of AVX-512 all say whether lanes have eight bytes.
func (f *Function) encoding(e encoding) encoding {
	e.wide = e.wide || f.bytes == Wide && f.lane == 8
	return e
}

// Masks have registers of their own: the first one for what is made and used at once, those behind for others.
const (
	scratch = 1
	masks   = 8
)

// keptMasks are the registers of masks that stay such, and what may.
type keptMasks struct {
	masked    []map[Value]Register
	freeMasks []Register
	only      map[Value]bool
}

func (b *builder) keepMasks() {
	for range b.in {
		b.masked = append(b.masked, map[Value]Register{})
	}
	for r := Register(masks); r > scratch+1; r-- {
		b.freeMasks = append(b.freeMasks, r-1)
	}
	b.only = b.f.onlyChooses()
}

// registers is how many vectors registers hold.
func (b *builder) registers() Register {
	if b.f.bytes == Wide {
		return 32
	}
	return 16
}

// The instructions between masks and lanes.
var (
	laneMasks  = of(prefixF3, map0F38, 0x38) // lanes of which all bits are set where the mask is
	masksLanes = of(prefixF3, map0F38, 0x39) // where the upper bit of a lane is set
)

// wideLane appends an instruction of AVX-512 on so many bytes of vectors, of which there are 32 registers. A mask says
// on which lanes, 0 on all. Where masks are operands, registers are theirs.
func (t *Text) wideLane(l Lane, bytes int, mask, to, first Register, p Operand) {
	x := byte(p.Register) >> 4
	if p.Memory {
		x = 0
		if p.Scale > 0 {
			x = high(p.Index)
		}
	}
	v := ^byte(first)&15<<3 | 4 | l.prefix
	if l.wide {
		v |= 0x80
	}
	t.emit(0x62, (high(to)^1)<<7|(x^1)<<6|(high(p.Register)^1)<<5|(byte(to)>>4^1)<<4|l.table, v,
		byte(bytes/32)<<5|(byte(first)>>4^1)<<3|byte(mask), l.number)
	t.atFar(byte(to)&7, p)
}

// atFar is at whose distances are of four bytes: one byte would count in units of what the instruction reads.
func (t *Text) atFar(reg byte, p Operand) {
	base := byte(p.Register) & 7
	how := []byte{0x80 | reg<<3 | base}
	switch {
	case !p.Memory, p.Label > 0:
		t.at(reg, p)
		return
	case p.Scale > 0:
		how = []byte{0x80 | reg<<3 | 4, scales[p.Scale]<<6 | byte(p.Index)&7<<3 | base}
	case base == byte(RSP):
		how = []byte{0x80 | reg<<3 | 4, 0x24}
	}
	t.emit(how...)
	t.bytes = binary.LittleEndian.AppendUint32(t.bytes, uint32(p.Disp))
}

// lane appends an instruction on all lanes.
func (b *builder) lane(l Lane, to, first Register, p Operand) {
	if b.f.bytes == Wide {
		b.wideLane(l, Wide, 0, to, first, p)
		return
	}
	b.Lane(l, to, first, p)
}

// put appends a register's going to memory as elements, past the caches maybe.
func (b *builder) put(a Access, far bool, r Register, p Operand) {
	l := a.store
	if far {
		l = a.past
	}
	if b.f.bytes == Vector {
		b.Lane(l, r, 0, p)
		return
	}
	if l = Leave.All(); far && a.bytes > 1 {
		l = past.Lane
	}
	b.wideLane(l, Wide*a.bytes/b.f.lane, 0, r, 0, p)
}

// onlyChooses returns the values of steps whose masks may stay masks: what takes them chooses by them, and nothing is
// called, which would change them.
func (f *Function) onlyChooses() map[Value]bool {
	only, calls := map[Value]bool{}, f.calls()
	for i := range f.steps {
		s := &f.steps[i]
		if s.op != nil && f.of(s.op).form == compare {
			only[s.to] = !calls
		}
		for k, a := range s.args {
			if s.op == nil || f.of(s.op).form != choice || k != 2 {
				delete(only, a)
			}
		}
	}
	return only
}

// compare makes a mask of a comparison, which stays one if there is a register and all that takes it chooses.
func (d *doing) compare(e encoding, args []Operand) bool {
	mask, kept := Register(scratch), d.only[d.s.to] && len(d.freeMasks) > 0
	if kept {
		n := len(d.freeMasks) - 1
		mask, d.freeMasks = d.freeMasks[n], d.freeMasks[:n]
		d.masked[d.u][d.s.to] = mask
	}
	d.wideLane(e.Lane, Wide, 0, mask, args[0].Register, args[1])
	d.emit(d.s.number)
	d.release()
	if kept {
		return true
	}
	to, ok := d.take()
	if ok {
		d.in[d.u][d.s.to] = to
		d.lane(d.f.encoding(laneMasks).Lane, to, 0, In(mask))
	}
	return ok
}

// choose takes the second operand where a mask is set.
func (d *doing) choose(e encoding, to Register, args []Operand) {
	if d.f.bytes == Vector {
		d.LaneMask(e.Lane, to, args[0].Register, args[1], args[2].Register)
		return
	}
	mask := args[2].Register
	if !args[2].mask {
		mask = scratch
		d.lane(d.f.encoding(masksLanes).Lane, mask, 0, args[2])
	}
	d.wideLane(e.Lane, Wide, mask, to, args[0].Register, args[1])
}
