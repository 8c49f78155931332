package hlo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// AppendText appends "{1}".
func (v *OneDim) AppendText(b []byte) []byte {
	return append(strconv.AppendInt(append(b, '{'), int64(*v), 10), '}')
}

// IsZero reports whether the dimension is 0.
func (v *OneDim) IsZero() bool { return *v == 0 }

// ParseText reads "{1}" or "1".
func (v *OneDim) ParseText(s string) error {
	if inner, ok := unbrace(s); ok {
		s = inner
	}
	n, err := parseInt(s)
	*v = OneDim(n)
	return err
}

// IsZero reports whether the number is absent.
func (v *Optional) IsZero() bool { return !v.Set }

// AppendText appends the number.
func (v *Optional) AppendText(b []byte) []byte { return strconv.AppendInt(b, v.Value, 10) }

// ParseText reads a number.
func (v *Optional) ParseText(s string) error {
	n, err := parseInt(s)
	*v = Optional{n, true}
	return err
}

// IsZero reports whether the dimension is absent.
func (v *OptionalDim) IsZero() bool { return !v.Set }

// AppendText appends "{1}".
func (v *OptionalDim) AppendText(b []byte) []byte {
	return append(strconv.AppendInt(append(b, '{'), v.Value, 10), '}')
}

// ParseText reads "{1}" or "1"; "{}" means that the dimension is absent.
func (v *OptionalDim) ParseText(s string) error {
	if inner, ok := unbrace(s); ok && inner == "" {
		*v = OptionalDim{}
		return nil
	}
	var d OneDim
	err := d.ParseText(s)
	*v = OptionalDim{int64(d), true}
	return err
}

// IsZero reports whether the shape is absent.
func (v *OptionalShape) IsZero() bool { return v.Shape == nil }

// AppendText appends the shape with its layout.
func (v *OptionalShape) AppendText(b []byte) []byte { return v.Shape.Append(b, true) }

// ParseText reads a shape.
func (v *OptionalShape) ParseText(s string) error {
	t, err := shape.Parse(s)
	if err != nil {
		return err
	}
	v.Shape = &t
	return nil
}

// IsZero reports whether there are no pairs.
func (v *Pairs) IsZero() bool { return len(*v) == 0 }

// AppendText appends "{{0,1},{1,0}}".
func (v *Pairs) AppendText(b []byte) []byte {
	return appendBraced(b, *v, func(b []byte, p [2]int64) []byte { return appendInts(b, p[:]) })
}

// ParseText reads a list of lists of two numbers.
func (v *Pairs) ParseText(s string) error {
	lists, err := parseIntLists(s)
	if err != nil {
		return err
	}
	*v = nil
	for _, l := range lists {
		if len(l) != 2 {
			return fmt.Errorf("got %d numbers in %s, want pairs {source,target}", len(l), clip(s))
		}
		*v = append(*v, [2]int64{l[0], l[1]})
	}
	return nil
}

// appendBraced appends a list in braces; text appends one item.
func appendBraced[T any](b []byte, list []T, text func(b []byte, item T) []byte) []byte {
	b = append(b, '{')
	for i, item := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = text(b, item)
	}
	return append(b, '}')
}

// appendInts appends "{1,2}".
func appendInts(b []byte, list []int64) []byte {
	return appendBraced(b, list, func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
}

// parseIntLists reads "{{0,1},{2}}".
func parseIntLists(s string) ([][]int64, error) {
	inner, ok := unbrace(s)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of lists {{0,1},{2,3}}", clip(s))
	}
	var lists [][]int64
	for inner != "" {
		end := strings.IndexByte(inner, '}')
		if inner[0] != '{' || end < 0 {
			return nil, fmt.Errorf("got %s, want a list of lists {{0,1},{2,3}}", clip(s))
		}
		l, err := parseInts(inner[:end+1])
		if err != nil {
			return nil, err
		}
		lists = append(lists, l)
		if inner, ok = nextItem(inner[end+1:]); !ok {
			return nil, fmt.Errorf("got %s, want commas between lists", clip(s))
		}
	}
	return lists, nil
}

// nextItem drops the comma before the next item; ok is false if something else stands there.
func nextItem(s string) (rest string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", true
	}
	rest = strings.TrimSpace(s[1:])
	return rest, s[0] == ',' && rest != ""
}

// parseInts reads "{1,2}".
func parseInts(s string) ([]int64, error) {
	inner, ok := unbrace(s)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of integers {1,2}", clip(s))
	}
	if inner == "" {
		return []int64{}, nil
	}
	list := make([]int64, 0, 1+strings.Count(inner, ","))
	for more := true; more; {
		var item string
		item, inner, more = strings.Cut(inner, ",")
		n, err := parseInt(strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// parseInt reads a decimal integer and says why it cannot.
func parseInt(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return n, nil
	}
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
		return 0, fmt.Errorf("got %s, want an integer from %d to %d", clip(s), math.MinInt64, math.MaxInt64)
	}
	return 0, fmt.Errorf("got %s, want an integer", clip(s))
}

// unbrace returns what stands between the braces of s, trimmed.
func unbrace(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return s, false
	}
	return strings.TrimSpace(s[1 : len(s)-1]), true
}

// clip returns s for an error message: quoted, cut if it is long.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
