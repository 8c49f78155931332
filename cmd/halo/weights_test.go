package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// twoArrays are {1, 2} and {30, 40}.
func twoArrays(t *testing.T) []*literal.Literal {
	t.Helper()
	var both []*literal.Literal
	for _, v := range [][]float32{{1, 2}, {30, 40}} {
		l, err := literal.FromSlice(v)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, l)
	}
	return both
}

func namedArrays(names []string, values []*literal.Literal) []tensorfile.Array {
	var arrays []tensorfile.Array
	for i, name := range names {
		arrays = append(arrays, tensorfile.Array{Name: name, Value: values[i]})
	}
	return arrays
}

// TestWeights takes arguments from files by name and by order.
func TestWeights(t *testing.T) {
	dir := folder(t)
	both := twoArrays(t)
	for name, names := range map[string][]string{"same": {"y", "x"}, "other": {"b", "a"}} {
		err := tensorfile.WriteNPZ(filepath.Join(dir, name+".npz"), namedArrays(names, both))
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "minus.hlo"), []byte(strings.ReplaceAll(files["add.hlo"], "add(", "subtract(")))
	cases := []struct {
		args         string
		code         int
		stdout, want string
	}{
		{"--weights DIR/same.npz", exitOK, "{29, 38}", ""},
		{"--weights DIR/other.npz", exitFailure, "", "none of its 2 arrays (\"b\", \"a\") has the name of a parameter"},
		{"--weights DIR/other.npz --weights-order file", exitOK, "{-29, -38}", ""},
		{"--weights DIR/other.npz --weights-order sorted", exitOK, "{29, 38}", ""},
		{"--weights DIR/other.npz --weights-order size", exitUsage, "", `got "size", want name, file or sorted`},
		{"--weights DIR/same.npz x=2xf32=1,1", exitOK, "{0, -1}", ""},
	}
	for _, c := range cases {
		code, stdout, stderr := halo(t, dir, "", append([]string{"run", "DIR/minus.hlo"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got exit %d, %q, %q, want exit %d, %q, %q", c.args, code, stdout, stderr, c.code, c.stdout, c.want)
		}
	}
}

// TestWeightsByName wants names to be found whatever parts their words, and with more words before them.
func TestWeightsByName(t *testing.T) {
	for _, c := range []struct {
		parameter, arrays, want string
	}{
		{"dense/kernel", "dense.kernel dense.bias", "dense.kernel"},
		{"dense/kernel", "params/dense/kernel params/out/kernel", "params/dense/kernel"},
		{"arg0/dense/kernel", "dense.kernel", "dense.kernel"},
		{"dense/kernel", "dense/kernel params/dense/kernel", "dense/kernel"},
		{"kernel", "dense/kernel", "none of its 1 arrays"},
		{"dense/kernel", "a/dense/kernel b/dense/kernel", "may be array \"a/dense/kernel\" or \"b/dense/kernel\""},
	} {
		var arrays []tensorfile.Stored
		for _, name := range strings.Fields(c.arrays) {
			arrays = append(arrays, tensorfile.Stored{Name: name})
		}
		sig := xla.Signature{Parameters: []xla.Value{{Name: c.parameter}}}
		given, err := weightsByName(sig, arrays)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = given[0].Name
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s in %s: got %s, want %s", c.parameter, c.arrays, got, c.want)
		}
	}
}

// TestInputNames wants an input to go to the parameter with the longest name that its word begins with: names of
// dictionaries' keys may have anything in them.
func TestInputNames(t *testing.T) {
	sig := xla.Signature{Parameters: []xla.Value{{Name: "a"}, {Name: "a=b"}, {Name: "2xf32"}}}
	for _, c := range []struct {
		word, spec string
		number     int
	}{{"a=ones", "ones", 0}, {"a=b=ones", "ones", 1}, {"2xf32=1,2", "1,2", 2}, {"3xf32=ones", "3xf32=ones", -1}, {"ones", "ones", -1}} {
		i, spec, err := named(sig, c.word)
		if i != c.number || spec != c.spec || err != nil {
			t.Errorf("%s: got parameter %d, %q (%v), want %d, %q", c.word, i, spec, err, c.number, c.spec)
		}
	}
}

// TestLongSignature wants errors about a program of many parameters to stay short.
func TestLongSignature(t *testing.T) {
	sig := xla.Signature{Parameters: make([]xla.Value, 1000)}
	_, _, err := named(sig, "x=ones")
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "and 968 more") {
		t.Errorf("got %v, want the first 32 of 1000", err)
	}
}
