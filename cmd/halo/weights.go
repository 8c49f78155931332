package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// weightOrders say how the arrays of a file become arguments.
var weightOrders = map[string]func(sig xla.Signature, arrays []tensorfile.Array) (map[int]*literal.Literal, error){
	"name": weightsByName, "file": weightsInOrder,
	"sorted": func(sig xla.Signature, arrays []tensorfile.Array) (map[int]*literal.Literal, error) {
		arrays = slices.Clone(arrays)
		slices.SortFunc(arrays, func(a, b tensorfile.Array) int { return strings.Compare(a.Name, b.Name) })
		return weightsInOrder(sig, arrays)
	},
}

// weightArguments are the arrays of a data file by the number of the parameter that takes them. The arrays may be
// mapped from the file, which is to be closed after the run.
func weightArguments(path, order string, sig xla.Signature) (given map[int]*literal.Literal, end func(), err error) {
	if path == "" {
		return nil, func() {}, nil
	}
	choose := weightOrders[order]
	if choose == nil {
		return nil, nil, exitf(exitUsage, "--weights-order: got %q, want name, file or sorted", order)
	}
	f, err := tensorfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if given, err = choose(sig, f.Arrays); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return given, func() { f.Close() }, nil
}

// weightsInOrder gives the first parameters the arrays in their order.
func weightsInOrder(sig xla.Signature, arrays []tensorfile.Array) (map[int]*literal.Literal, error) {
	if len(arrays) > len(sig.Parameters) {
		return nil, fmt.Errorf("got %d arrays, want %d at most: %v", len(arrays), len(sig.Parameters), sig)
	}
	given := map[int]*literal.Literal{}
	for i, a := range arrays {
		given[i] = a.Value
	}
	return given, nil
}

// weightsByName gives each parameter the array of its name. Parts of names are parted by slashes in containers of
// jax.export and by dots elsewhere, and a file may have leading parts more or less than the program, as params: a name
// that is the end of one other is as good, if no array has the name itself.
func weightsByName(sig xla.Signature, arrays []tensorfile.Array) (map[int]*literal.Literal, error) {
	given := map[int]*literal.Literal{}
	for i, p := range sig.Parameters {
		var found []tensorfile.Array
		best := 0
		for _, a := range arrays {
			switch m := nameMatch(p.Name, a.Name); {
			case m > best:
				best, found = m, []tensorfile.Array{a}
			case m == best && m > 0:
				found = append(found, a)
			}
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("parameter %s may be array %s or %s", p.Name, found[0].Name, found[1].Name)
		}
		if len(found) == 1 {
			given[i] = found[0].Value
		}
	}
	if len(given) == 0 {
		return nil, fmt.Errorf("none of its %d arrays (%s) has the name of a parameter: %v", len(arrays), someNames(arrays),
			sig)
	}
	return given, nil
}

func someNames(arrays []tensorfile.Array) string {
	var names []string
	for _, a := range arrays[:min(len(arrays), 4)] {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// nameMatch says how well an array's name is a parameter's: 3 if they are the same, 2 if their parts are, 1 if those of
// one are the last of the other's and there are at least two of them, and otherwise 0.
func nameMatch(parameter, array string) int {
	p, a := nameParts(parameter), nameParts(array)
	switch n := min(len(p), len(a)); {
	case parameter == array:
		return 3
	case slices.Equal(p, a):
		return 2
	case n > 1 && slices.Equal(p[len(p)-n:], a[len(a)-n:]):
		return 1
	}
	return 0
}

func nameParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '.' })
}
