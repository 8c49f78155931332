package lapack

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// note returns the attribute name of the call as text, "true", "1" or "LU", and whether it is there.
func (s *site) note(name string) (string, bool) {
	v, ok := s.notes[name]
	return v, ok
}

// notesOf reads the backend_config, if it is a dictionary: MLIR's, or JSON's in programs of older releases. It fails
// with what is wrong for MLIR.
func notesOf(call *hlo.Instruction) (map[string]string, error) {
	if call.Common == nil || !strings.HasPrefix(strings.TrimSpace(call.Common.Config), "{") {
		return nil, nil
	}
	notes := map[string]string{}
	attrs, wrong := ffi.ParseAttrs(call.Common.Config)
	if wrong != nil {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(call.Common.Config), &fields) != nil {
			return nil, fmt.Errorf("backend_config: %w", wrong)
		}
		for name, v := range fields {
			notes[name] = strings.Trim(string(v), `"`)
		}
	}
	for _, a := range attrs {
		switch v := a.Value.(type) {
		case string:
			notes[a.Name] = v
		case ffi.Scalar:
			if n, ok := v.Int(); ok {
				notes[a.Name] = strconv.FormatInt(n, 10)
			} else if x, ok := v.Float(); ok {
				notes[a.Name] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
	}
	return notes, nil
}

// integer returns an attribute that is a number, or the scalar operand that older targets have for it.
func (s *site) integer(name string) int64 {
	if at, ok := s.target.flags[name]; ok {
		return s.scalar(at)
	}
	text, ok := s.note(name)
	v, err := strconv.ParseInt(text, 0, 64)
	if !ok || err != nil {
		s.fail("attribute %s is %q, want a number", name, text)
	}
	return v
}

// fraction returns an attribute that is a number with a fraction; 0 if it is not there.
func (s *site) fraction(name string) float64 {
	text, ok := s.note(name)
	if !ok {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.fail("attribute %s is %q, want a number", name, text)
	}
	return v
}

// scalar returns the value of a scalar operand.
func (s *site) scalar(i int) int64 {
	if t := s.call.Operands[i].Shape; !t.IsScalar() || !t.Type.IsInteger() {
		s.fail("operand %d is %v, want an integer", i, t)
		return 0
	}
	l := s.constant(i)
	if l == nil {
		if s.wrong == nil {
			s.wrong = unknown{i}
		}
		return 0
	}
	w := l.Wide()
	if w.Class == shape.SignedClass {
		return w.I[0]
	}
	return int64(w.U[0])
}

func (s *site) fail(format string, args ...any) {
	if s.wrong == nil {
		s.wrong = fmt.Errorf(format, args...)
	}
}

// letter returns an attribute that is a character, one of allowed.
func (s *site) letter(name, allowed string) byte {
	v := s.integer(name)
	if s.wrong != nil {
		return allowed[0]
	}
	if v <= 0 || v > 'Z' || !strings.ContainsRune(allowed, rune(v)) {
		s.fail("attribute %s is %d, want one of the letters %s", name, v, allowed)
		return allowed[0]
	}
	return byte(v)
}

// flag returns an attribute that is true or false; else what it is by default.
func (s *site) flag(name string, otherwise bool) bool {
	if _, ok := s.target.flags[name]; ok {
		return s.integer(name) != 0
	}
	text, ok := s.note(name)
	switch {
	case !ok:
		return otherwise
	case text == "true", text == "1":
		return true
	case text != "false" && text != "0":
		s.fail("attribute %s is %q, want true or false", name, text)
	}
	return false
}

// has says whether the call or its target knows an attribute.
func (s *site) has(name string) bool {
	_, ok := s.target.flags[name]
	if !ok {
		_, ok = s.note(name)
	}
	return ok
}

// uplo says which triangle of a matrix counts: L or U.
func (s *site) uplo() byte {
	if s.target.opaque > 0 {
		return s.opaqueUplo()
	}
	if s.has("lower") {
		if s.flag("lower", true) {
			return 'L'
		}
		return 'U'
	}
	return s.letter("uplo", "LU")
}

// opaqueUplo reads the triangle from the descriptor of an older GPU target: 0 and 1 are CUDA's lower and upper, 122 and
// 121 are ROCm's.
func (s *site) opaqueUplo() byte {
	if s.call.Common == nil || len(s.call.Common.Config) <= s.target.opaque {
		s.fail("the descriptor in the backend_config is too short")
		return 'L'
	}
	switch v := s.call.Common.Config[s.target.opaque]; v {
	case 1, 121:
		return 'U'
	case 0, 122:
	default:
		s.fail("the descriptor in the backend_config has the triangle %d, want 0, 1, 121 or 122", v)
	}
	return 'L'
}
