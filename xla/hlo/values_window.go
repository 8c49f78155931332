package hlo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxWindowRank bounds the dimensions that a window, a padding or a slice may name.
const maxWindowRank = 1000

// IsZero reports whether there are no dimensions.
func (v *Window) IsZero() bool { return len(*v) == 0 }

// windowPart is one part of a window's text: its name, which dimensions need it, and one dimension's text.
type windowPart struct {
	name   string
	needed func(d WindowDim) bool
	text   func(b []byte, d WindowDim) []byte
	parse  func(d *WindowDim, s string) error
}

// orOne returns n, or the 1 that 0 stands for.
func orOne(n int64) int64 {
	if n == 0 {
		return 1
	}
	return n
}

// intPart is a part of one number a dimension. Strides and dilations of 0, which would mean 1 to the builder, are
// refused.
func intPart(name string, field func(d *WindowDim) *int64, needed func(d WindowDim) bool) windowPart {
	return windowPart{name, needed,
		func(b []byte, d WindowDim) []byte {
			n := *field(&d)
			if name != "size" {
				n = orOne(n)
			}
			return strconv.AppendInt(b, n, 10)
		},
		func(d *WindowDim, s string) error {
			n, err := parseInt(s)
			if err == nil && n == 0 && name != "size" {
				return errors.New("got 0, want 1 or more")
			}
			*field(d) = n
			return err
		}}
}

var windowParts = []windowPart{
	intPart("size", func(d *WindowDim) *int64 { return &d.Size }, func(WindowDim) bool { return true }),
	intPart("stride", func(d *WindowDim) *int64 { return &d.Stride },
		func(d WindowDim) bool { return orOne(d.Stride) != 1 }),
	{"pad", func(d WindowDim) bool { return d.PadLow != 0 || d.PadHigh != 0 },
		func(b []byte, d WindowDim) []byte {
			return strconv.AppendInt(append(strconv.AppendInt(b, d.PadLow, 10), '_'), d.PadHigh, 10)
		}, parseWindowPad},
	intPart("lhs_dilate", func(d *WindowDim) *int64 { return &d.BaseDilation },
		func(d WindowDim) bool { return orOne(d.BaseDilation) != 1 }),
	intPart("rhs_dilate", func(d *WindowDim) *int64 { return &d.WindowDilation },
		func(d WindowDim) bool { return orOne(d.WindowDilation) != 1 }),
	{"rhs_reversal", func(d WindowDim) bool { return d.Reversal },
		func(b []byte, d WindowDim) []byte {
			if d.Reversal {
				return append(b, '1')
			}
			return append(b, '0')
		}, parseWindowReversal},
}

func parseWindowPad(d *WindowDim, s string) error {
	low, high, ok := strings.Cut(s, "_")
	if !ok {
		return fmt.Errorf("got %s, want low_high", clip(s))
	}
	var err error
	if d.PadLow, err = parseInt(low); err != nil {
		return err
	}
	d.PadHigh, err = parseInt(high)
	return err
}

func parseWindowReversal(d *WindowDim, s string) error {
	if s != "0" && s != "1" {
		return fmt.Errorf("got %s, want 0 or 1", clip(s))
	}
	d.Reversal = s == "1"
	return nil
}

// AppendText appends "{size=3x3 stride=2x2}"; parts that are as by default in every dimension are left out.
func (v *Window) AppendText(b []byte) []byte {
	b = append(b, '{')
	for i, p := range windowParts {
		needed := false
		for _, d := range *v {
			needed = needed || p.needed(d)
		}
		if !needed {
			continue
		}
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, p.name...), '=')
		for j, d := range *v {
			if j > 0 {
				b = append(b, 'x')
			}
			b = p.text(b, d)
		}
	}
	return append(b, '}')
}

// ParseText reads the text; strides and dilations that it leaves out are 1, and so are sizes.
func (v *Window) ParseText(s string) error {
	inner, ok := unbrace(s)
	if !ok {
		return fmt.Errorf("got %s, want {size=3x3 stride=2x2 pad=1_1x0_0}", clip(s))
	}
	*v = nil
	seen := map[string]bool{}
	for _, item := range strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune(" \n\t\r,", r) }) {
		name, text, ok := strings.Cut(item, "=")
		if !ok {
			return fmt.Errorf("got %s in a window, want name=value", clip(item))
		}
		if seen[name] {
			return fmt.Errorf("window has %s twice", name)
		}
		seen[name] = true
		if err := v.parsePart(name, text); err != nil {
			return err
		}
	}
	return nil
}

func (v *Window) parsePart(name, text string) error {
	items := strings.Split(text, "x")
	if len(items) > maxWindowRank {
		return fmt.Errorf("window has %d dimensions, want at most %d", len(items), maxWindowRank)
	}
	if *v == nil {
		for range items {
			*v = append(*v, WindowDim{Size: 1, Stride: 1, BaseDilation: 1, WindowDilation: 1})
		}
	}
	if len(items) != len(*v) {
		return fmt.Errorf("window %s has %d dimensions, want %d as the parts before", name, len(items), len(*v))
	}
	for _, p := range windowParts {
		if p.name != name {
			continue
		}
		for i, item := range items {
			if err := p.parse(&(*v)[i], item); err != nil {
				return fmt.Errorf("window %s: %w", name, err)
			}
		}
		return nil
	}
	return fmt.Errorf("window: got %s, want size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal", clip(name))
}

// IsZero reports whether there are no dimensions.
func (v *Padding) IsZero() bool { return len(*v) == 0 }

// AppendText appends "0_1x2_-1"; interior padding is written for all dimensions if any has it.
func (v *Padding) AppendText(b []byte) []byte {
	interior := false
	for _, d := range *v {
		interior = interior || d.Interior != 0
	}
	for i, d := range *v {
		if i > 0 {
			b = append(b, 'x')
		}
		b = strconv.AppendInt(append(strconv.AppendInt(b, d.Low, 10), '_'), d.High, 10)
		if interior {
			b = strconv.AppendInt(append(b, '_'), d.Interior, 10)
		}
	}
	return b
}

// ParseText reads the text; no text is the padding of a scalar.
func (v *Padding) ParseText(s string) error {
	*v = Padding{}
	if s == "" {
		return nil
	}
	items := strings.Split(s, "x")
	if len(items) > maxWindowRank {
		return fmt.Errorf("padding has %d dimensions, want at most %d", len(items), maxWindowRank)
	}
	for _, item := range items {
		parts := strings.Split(item, "_")
		if len(parts) != 2 && len(parts) != 3 {
			return fmt.Errorf("got %s, want low_high or low_high_interior", clip(item))
		}
		var n [3]int64
		for i, p := range parts {
			var err error
			if n[i], err = parseInt(p); err != nil {
				return err
			}
		}
		*v = append(*v, PadDim{n[0], n[1], n[2]})
	}
	return nil
}

// IsZero reports whether there are no dimensions.
func (v *SliceDims) IsZero() bool { return len(*v) == 0 }

// AppendText appends "{[0:4:2], [1:3:1]}"; strides are left out if all are 1.
func (v *SliceDims) AppendText(b []byte) []byte {
	strides := false
	for _, d := range *v {
		strides = strides || orOne(d.Stride) != 1
	}
	b = append(b, '{')
	for i, d := range *v {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '['), d.Start, 10)
		b = strconv.AppendInt(append(b, ':'), d.Limit, 10)
		if strides {
			b = strconv.AppendInt(append(b, ':'), orOne(d.Stride), 10)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// ParseText reads the text. A stride of 0, which would mean 1 to the builder, is refused.
func (v *SliceDims) ParseText(s string) error {
	inner, ok := unbrace(s)
	if !ok {
		return fmt.Errorf("got %s, want {[start:limit:stride], ...}", clip(s))
	}
	*v = SliceDims{}
	for inner != "" {
		end := strings.IndexByte(inner, ']')
		if inner[0] != '[' || end < 0 {
			return fmt.Errorf("got %s, want [start:limit] or [start:limit:stride]", clip(inner))
		}
		d, err := parseSliceDim(inner[1:end])
		if err != nil {
			return err
		}
		*v = append(*v, d)
		if inner, ok = nextItem(inner[end+1:]); !ok {
			return fmt.Errorf("got %s, want commas between the dimensions", clip(s))
		}
	}
	return nil
}

func parseSliceDim(s string) (SliceDim, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return SliceDim{}, fmt.Errorf("got %s, want start:limit or start:limit:stride", clip(s))
	}
	n := [3]int64{2: 1}
	for i, p := range parts {
		var err error
		if n[i], err = parseInt(strings.TrimSpace(p)); err != nil {
			return SliceDim{}, err
		}
	}
	if n[2] == 0 {
		return SliceDim{}, fmt.Errorf("stride is 0 in %s, want at least 1", clip(s))
	}
	return SliceDim{n[0], n[1], n[2]}, nil
}
