package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// inputs makes the arguments of a program from the command line's words: in order, or name=... . A parameter that no
// word gives is an error.
func inputs(sig xla.Signature, words []string, given map[int]*literal.Literal) ([]*literal.Literal, error) {
	args := make([]*literal.Literal, len(sig.Parameters))
	for i, l := range given {
		args[i] = l
	}
	byWord := map[int]bool{}
	next := 0
	for _, w := range words {
		i, spec, err := named(sig, w)
		if err != nil {
			return nil, err
		}
		if i >= 0 && byWord[i] {
			return nil, exitf(exitUsage, "input %q: parameter %d (%s) has an input already", w, i, sig.Parameters[i].Name)
		}
		if i < 0 {
			for next < len(args) && args[next] != nil {
				next++
			}
			i = next
		}
		if i >= len(args) {
			return nil, exitf(exitUsage, "input %q is one too many: the program takes %d: %v", w, len(args), sig)
		}
		l, err := input(spec, sig.Parameters[i].Name, sig.Parameters[i].Shape)
		if err != nil {
			return nil, fmt.Errorf("input %d (%s): %w", i, sig.Parameters[i].Name, err)
		}
		args[i], byWord[i] = l, true
	}
	for i, l := range args {
		if l == nil {
			lack := ""
			if len(given) > 0 {
				lack = ", nor an array of its name in --weights"
			}
			return nil, exitf(exitUsage, "parameter %d (%s %v) has no input%s; halo run -h lists what may be one",
				i, sig.Parameters[i].Name, sig.Parameters[i].Shape, lack)
		}
	}
	return args, nil
}

// named splits name=spec if name is a parameter's, the longest that fits: names may have a = themselves. Otherwise what
// stands before the = must be a shape.
func named(sig xla.Signature, word string) (int, string, error) {
	best := -1
	for i, p := range sig.Parameters {
		if strings.HasPrefix(word, p.Name+"=") && (best < 0 || len(p.Name) > len(sig.Parameters[best].Name)) {
			best = i
		}
	}
	if best >= 0 {
		return best, word[len(sig.Parameters[best].Name)+1:], nil
	}
	if name, _, ok := strings.Cut(word, "="); ok {
		parts := strings.Split(name, "x")
		if _, known := shape.TypeByName(parts[len(parts)-1]); !known && !strings.HasPrefix(word, "@") {
			return 0, "", exitf(exitUsage, "input %q: %q is neither a parameter's name nor a shape such as 4xf32%s; "+
				"element types are HLO's (f32, s32, u8, pred), the program is %v", word, name, meantInput(sig, parts), sig)
		}
	}
	return -1, word, nil
}

// meantInput is a hint at what the word before a = may have been meant for: parts are what stands between its x.
func meantInput(sig xla.Signature, parts []string) string {
	var names, types []string
	for _, p := range sig.Parameters {
		names = append(names, p.Name)
	}
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			types = append(types, t.String())
		}
	}
	if hint := spelling.Meant(strings.Join(parts, "x"), names); hint != "" {
		return hint
	}
	s, err := shape.Parse(strings.Join(parts, "x"))
	if err == nil && s.IsArray() {
		return ", did you mean " + typedName(s)
	}
	return spelling.Type(parts[len(parts)-1], types)
}

// typedName writes a shape as inputs have it, such as 2x3xf32.
func typedName(s shape.Shape) string {
	var text strings.Builder
	for _, d := range s.Dims {
		fmt.Fprintf(&text, "%dx", d)
	}
	return text.String() + s.Type.String()
}

// input reads one input for the parameter called name: @file.npy, 2x2xf32=1,2,3,4, random:seed, zeros, ones, iota, or
// 2x2xf32=random:seed.
func input(spec, name string, want shape.Shape) (*literal.Literal, error) {
	if path, ok := strings.CutPrefix(spec, "@"); ok {
		if path == "" {
			return nil, exitf(exitUsage, "no file name after @")
		}
		if strings.HasSuffix(path, ".npy") || !tensorfile.IsData(path) {
			return readInput(path, want)
		}
		return inputByName(path, xla.Value{Name: name, Shape: want})
	}
	if text, values, ok := strings.Cut(spec, "="); ok {
		s, err := typedShape(text)
		switch {
		case err != nil:
			return nil, err
		case isMade(values):
			return made(values, s)
		}
		return typedList(s, values)
	}
	if want.IsDynamic() && isMade(spec) {
		return nil, exitf(exitUsage, "%s needs a size, as the parameter is %v: give one, such as 2x3xf32=%[1]s, or a file",
			spec, want)
	}
	return made(spec, want)
}

// isMade reports whether a word stands for values that are made up.
func isMade(word string) bool {
	kind, _, _ := strings.Cut(word, ":")
	return slices.Contains(madeUp, kind)
}

// madeUp are the words for values that are made up.
var madeUp = []string{"random", "zeros", "ones", "iota"}

// made makes values of a shape up: random:seed, zeros, ones, iota.
func made(spec string, want shape.Shape) (*literal.Literal, error) {
	switch kind, seed, _ := strings.Cut(spec, ":"); kind {
	case "random":
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return nil, exitf(exitUsage, "got %q, want random:SEED with a whole number from 0 on, below 2^64", spec)
		}
		return randomInput(want, n)
	case "zeros":
		return literal.New(want.Static())
	case "ones":
		return filled(want, func(int64) float64 { return 1 })
	case "iota":
		return filled(want, func(i int64) float64 { return float64(i) })
	}
	if _, err := os.Stat(spec); err == nil && spec != "" {
		return nil, exitf(exitUsage, "got %q; a file is given as @%[1]s", spec)
	}
	if numbers.MatchString(spec) {
		return nil, exitf(exitUsage, "got %q; values are given with their type, as %s=%[1]s", spec, typedName(want))
	}
	return nil, exitf(exitUsage, "got %q%s, want @file.npy, 4xf32=1,2,3,4, random:SEED, zeros, ones or iota",
		spec, spelling.Meant(spec, madeUp))
}

// numbers is a list of values without a type.
var numbers = regexp.MustCompile(`^[-+.0-9][-+.,0-9eE]*$`)

// inputByName takes an array from a file of several: the only one, or that of the parameter's name.
func inputByName(path string, parameter xla.Value) (*literal.Literal, error) {
	f, err := openData(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if len(f.Arrays) == 1 {
		return f.Arrays[0].Value()
	}
	found, err := weightsByName(xla.Signature{Parameters: []xla.Value{parameter}}, f.Arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; --weights %[1]s gives several parameters their arrays at once", path, err)
	}
	return found[0].Value()
}

// readInput is readArray for files that a person names: numbers of one kind are not taken as the bits of another, as
// integers for floating point, if numpy has the wanted type.
func readInput(path string, want shape.Shape) (*literal.Literal, error) {
	l, err := readArray(path, want)
	if what := foreignFile(path); err != nil && what != "" && !strings.Contains(what, "numpy's format") {
		return nil, fmt.Errorf("%s: %s; want a npy file, or a npz or safetensors one with the array: %w", path, what, err)
	}
	if err != nil || !numpyHas(want.Type) {
		return l, err
	}
	own, err := readArray(path, shape.Shape{})
	if err != nil {
		return l, nil // raw items, which have the wanted type
	}
	if t := own.Shape().Type; t.IsFloat() != want.Type.IsFloat() || t.IsComplex() != want.Type.IsComplex() {
		return nil, fmt.Errorf("%s: got elements of %v, want %v", path, t, want.Type)
	}
	return l, nil
}

// typedShape reads "2x3xf32".
func typedShape(text string) (none shape.Shape, err error) {
	parts := strings.Split(text, "x")
	t, ok := shape.TypeByName(parts[len(parts)-1])
	if !ok || !t.IsArray() {
		return none, exitf(exitUsage, "element type %q is unknown, want one such as f32 or s32", parts[len(parts)-1])
	}
	s := shape.Array(t)
	for _, p := range parts[:len(parts)-1] {
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil || n < 0 {
			return none, exitf(exitUsage, "dimension %q, want a number of 0 or more", p)
		}
		s.Dims = append(s.Dims, n)
	}
	if _, ok := s.CheckedSize(); !ok {
		return none, exitf(exitUsage, "the number of elements of %v does not fit in 64 bits", s)
	}
	return s, nil
}

// typedList reads "1,2,3,4" for a shape.
func typedList(s shape.Shape, values string) (*literal.Literal, error) {
	t := s.Type
	var words []string
	if values != "" {
		words = strings.Split(values, ",")
	}
	data := make([]byte, 0, len(words)*t.Bytes())
	for i, w := range words { // before they are counted: a word that is no value may be meant for none
		b, err := literal.ParseElement(t, strings.TrimSpace(w))
		if err != nil {
			return nil, exitf(exitUsage, "value %d: %w%s", i+1, err, spelling.Meant(w, madeUp))
		}
		data = append(data, b...)
	}
	if n, ok := s.CheckedSize(); !ok || n != int64(len(words)) {
		return nil, exitf(exitUsage, "got %d values, want the %d of %v, with commas, or one of %s",
			len(words), n, s, strings.Join(madeUp, ", "))
	}
	return literal.FromBytes(s, data)
}

// filled is an array whose element i, row-major, is f(i) converted to its type.
func filled(want shape.Shape, f func(i int64) float64) (*literal.Literal, error) {
	wide, err := literal.New(want.Static().WithType(shape.F64))
	if err != nil {
		return nil, err
	}
	v, err := literal.View[float64](wide)
	if err != nil {
		return nil, err
	}
	for i := range v {
		v[i] = f(int64(i))
	}
	return literal.Convert(wide, want.Type)
}

// randomInput is an array of values that every type can hold apart: normal ones for floating point, small ones for
// integers, both truth values for predicates.
func randomInput(want shape.Shape, seed uint64) (*literal.Literal, error) {
	r := rand.New(rand.NewPCG(seed, 0x68616c6f))
	draw := func(int64) float64 { return r.NormFloat64() }
	switch want.Type.Class() {
	case shape.PredClass:
		draw = func(int64) float64 { return float64(r.IntN(2)) }
	case shape.SignedClass:
		draw = func(int64) float64 { return float64(r.IntN(21) - 10) }
	case shape.UnsignedClass:
		draw = func(int64) float64 { return float64(r.IntN(21)) }
	}
	return filled(want, draw)
}
