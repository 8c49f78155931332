package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// weightOrders say which arrays of a file become which parameters, by their numbers.
var weightOrders = map[string]func(sig xla.Signature, arrays []tensorfile.Stored) (map[int]tensorfile.Stored, error){
	"name": weightsByName, "file": weightsInOrder,
	"sorted": func(sig xla.Signature, arrays []tensorfile.Stored) (map[int]tensorfile.Stored, error) {
		arrays = slices.Clone(arrays)
		slices.SortFunc(arrays, func(a, b tensorfile.Stored) int { return strings.Compare(a.Name, b.Name) })
		return weightsInOrder(sig, arrays)
	},
}

// checkOrder refuses an order of weights that there is not.
func checkOrder(order string) error {
	if weightOrders[order] == nil {
		return exitf(exitUsage, "--weights-order: got %q, want name, file or sorted", order)
	}
	return nil
}

// weightArguments are the arrays of a data file by the number of the parameter that takes them. Others are not read.
func weightArguments(path, order string, sig xla.Signature) (map[int]*literal.Literal, error) {
	given := map[int]*literal.Literal{}
	if path == "" {
		return given, nil
	}
	f, err := openData(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	chosen, err := weightOrders[order](sig, f.Arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, a := range chosen {
		if given[i], err = a.Value(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return given, nil
}

// openData opens a file of arrays, and calls one of another kind by its name, whatever end that has.
func openData(path string) (*tensorfile.File, error) {
	f, err := tensorfile.Open(path)
	if err == nil && len(f.Arrays) > 0 {
		return f, nil
	}
	const want = "want npy, npz, safetensors, an index or a folder of such"
	switch what := otherKind(path); {
	case what == "":
		return f, err
	case err == nil:
		return nil, errors.Join(fmt.Errorf("%s: %s; %s", path, what, want), f.Close())
	case !tensorfile.IsData(path):
		return nil, fmt.Errorf("%s: %s; %s", path, what, want)
	default:
		return nil, fmt.Errorf("%w; this is %s; %s", err, what, want)
	}
}

// otherKind is foreignFile for what is no array, nor a file or index of such.
func otherKind(path string) string {
	what := foreignFile(path)
	if strings.Contains(what, "numpy's format") || strings.HasSuffix(what, "which come beside a program") ||
		strings.HasSuffix(path, ".json") && strings.HasPrefix(what, "JSON") && tensorfile.IsData(path) {
		return ""
	}
	return what
}

// foreignFile says what a file of another kind seems to be, "" if that is not known.
func foreignFile(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return ""
	}
	return xla.Foreign(head)
}

// weightsInOrder gives the first parameters the arrays in their order.
func weightsInOrder(sig xla.Signature, arrays []tensorfile.Stored) (map[int]tensorfile.Stored, error) {
	if len(arrays) > len(sig.Parameters) {
		return nil, fmt.Errorf("got %d arrays, want %d at most: %v", len(arrays), len(sig.Parameters), sig)
	}
	given := map[int]tensorfile.Stored{}
	for i, a := range arrays {
		given[i] = a
	}
	return given, nil
}

// weightsByName gives each parameter the array of its name. Parts of names are parted by slashes in containers of
// jax.export and by dots elsewhere, and a file may have leading parts more or less than the program, as params: a name
// that is the end of one other is as good, if no array has the name itself.
func weightsByName(sig xla.Signature, arrays []tensorfile.Stored) (map[int]tensorfile.Stored, error) {
	given := map[int]tensorfile.Stored{}
	names := make([][]string, len(arrays))
	for i, a := range arrays {
		names[i] = nameParts(a.Name)
	}
	for i, p := range sig.Parameters {
		var found []tensorfile.Stored
		best, parts := 0, nameParts(p.Name)
		for k, a := range arrays {
			switch m := nameMatch(parts, names[k]); {
			case p.Name == a.Name:
				best, found = same, []tensorfile.Stored{a}
			case m > best:
				best, found = m, []tensorfile.Stored{a}
			case m == best && m > 0:
				found = append(found, a)
			}
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("parameter %q may be array %q or %q", p.Name, found[0].Name, found[1].Name)
		}
		if len(found) == 1 {
			given[i] = found[0]
		}
	}
	if len(given) == 0 {
		parameters, _, _ := strings.Cut(sig.String(), " -> ")
		if len(arrays) == 1 && arrays[0].Name == "" {
			return nil, errors.New("its array has no name; --weights-order file gives it to the first parameter")
		}
		return nil, fmt.Errorf("none of its %d arrays (%s) has the name of a parameter: %s", len(arrays), someNames(arrays),
			parameters)
	}
	return given, nil
}

func someNames(arrays []tensorfile.Stored) string {
	var names []string
	for _, a := range arrays[:min(len(arrays), 4)] {
		names = append(names, strconv.Quote(a.Name))
	}
	return strings.Join(names, ", ")
}

// same is how well an array's name is a parameter's that is the same.
const same = 3

// nameMatch says how well the parts of an array's name are those of a parameter's: 2 if they are the same, 1 if those
// of one are the last of the other's and there are at least two of them, and otherwise 0.
func nameMatch(p, a []string) int {
	switch n := min(len(p), len(a)); {
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
