package shape

import "strconv"

var padNames = [...]string{InvalidPad: "invalid", ZeroPad: "zero", OnePad: "one", LowestPad: "lowest",
	HighestPad: "highest", UnknownPad: "unknown"}

// String returns the name of the padding value as layout text has it: "zero", "one", "lowest", "highest", "unknown".
func (p PaddingValue) String() string {
	if int(p) < len(padNames) {
		return padNames[p]
	}
	return "invalid"
}

// Append appends the layout's HLO text, "{1,0:T(8,128)S(1)}". After the colon come, each only if it is not the
// default: D dimension types, PAD padded sizes (ours), T tiles, L tail alignment, # index type, * pointer type, E
// element bits, S memory space, SC splits, P physical shape, M metadata bytes.
func (l *Layout) Append(b []byte) []byte {
	b = appendList(append(b, '{'), l.MinorToMajor)
	colon := len(b)
	b = append(b, ':')
	b = l.appendParts(b)
	if len(b) == colon+1 {
		b = b[:colon]
	}
	return append(b, '}')
}

func (l *Layout) appendParts(b []byte) []byte {
	if l.DimTypes != "" {
		b = append(append(append(b, "D("...), l.DimTypes...), ')')
	}
	if l.PaddedDims != nil {
		b = appendList(append(b, "PAD("...), l.PaddedDims)
		b = append(append(b, ")="...), l.PaddingValue.String()...)
	}
	if len(l.Tiles) > 0 {
		b = append(b, 'T')
	}
	for _, t := range l.Tiles {
		b = append(appendList(append(b, '('), t), ')')
	}
	b = appendNumber(b, "L(", l.Tail, 1)
	b = appendType(b, "#(", l.IndexType)
	b = appendType(b, "*(", l.PointerType)
	b = appendNumber(b, "E(", l.ElementBits, 0)
	b = appendNumber(b, "S(", l.MemorySpace, 0)
	if len(l.Splits) > 0 {
		b = append(b, "SC"...)
	}
	for _, s := range l.Splits {
		b = append(strconv.AppendInt(append(b, '('), s.Dim, 10), ':')
		b = append(appendList(b, s.Indices), ')')
	}
	if l.Physical != nil {
		b = append(l.Physical.Append(append(b, "P("...), true), ')')
	}
	return appendNumber(b, "M(", l.MetadataBytes, 0)
}

// appendNumber appends open, n and a parenthesis unless n is 0 or the default.
func appendNumber(b []byte, open string, n, def int64) []byte {
	if n == 0 || n == def {
		return b
	}
	return append(strconv.AppendInt(append(b, open...), n, 10), ')')
}

func appendType(b []byte, open string, t ElementType) []byte {
	if t == Invalid {
		return b
	}
	return append(append(append(b, open...), t.String()...), ')')
}

// appendList appends numbers with commas; CombineDim is "*".
func appendList(b []byte, list []int64) []byte {
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if n == CombineDim {
			b = append(b, '*')
		} else {
			b = strconv.AppendInt(b, n, 10)
		}
	}
	return b
}
