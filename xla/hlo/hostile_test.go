//go:build unix

package hlo

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/shape"
)

// TestHostile reads texts that are made to overflow a stack, to take memory or to take long. Each is refused, or read,
// in the time that its size excuses.
func TestHostile(t *testing.T) {
	const n = 200_000
	rep := strings.Repeat
	entry := func(body string) string { return "HloModule m\nENTRY e { " + body + " }" }
	var chain strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&chain, "c%d { ROOT r = s32[] call(), to_apply=c%d }\n", i, i+1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"tuple shapes", "HloModule m\nENTRY e { ROOT p = " + rep("(", n) + " parameter(0) }", "nest"},
		{"tuple constants", entry("ROOT p = " + rep("(", 400) + rep(")", 400) + " constant(" + rep("(", n)), "got \"(\""},
		{"instructions in place", "HloModule m\nENTRY e { ROOT p = " + rep("negate(", n) + rep(")", n) + "}", "nest deeper"},
		{"computations in place", entry(rep("ROOT r = s32[] call(), to_apply={", 1000) + rep("}", 1000)), "nest deeper"},
		{"braces of a constant", entry("ROOT p = s32[2] constant(" + rep("{", n) + rep("}", n) + ")"), "want a value"},
		{"brackets of an attribute", "HloModule m, a=" + rep("[", n), "not closed"},
		{"open braces", rep("e {", n), "not closed"},
		{"one instruction's attributes", entry("ROOT p = s32[] constant(1)" + rep(", a=b", n)), "given twice"},
		{"different attributes", entry("ROOT p = s32[] constant(1)" + attributes(5000)), "more than 1000"},
		{"a chain of computations", chain.String() + "c20000 { ROOT r = s32[] constant(1) }", "more than"},
		{"many iota groups", entry("a = s32[1] constant({1})\n" + iotaGroups(100)), "spell out"},
		{"a rank", "HloModule m\nENTRY e { ROOT p = s32[" + rep("1,", n) + "1] parameter(0) }", "dimensions"},
		{"a window's rank", entry("a = f32[] parameter(0) ROOT p = f32[] convolution(a, a), window={size=" +
			rep("1x", n) + "1}, dim_labels=bf_io->bf"), "at most 1000"},
		{"a large array that is not there", entry("ROOT c = f32[1099511627776] constant({1})"), "shorter"},
		{"a large dynamic array", entry("ROOT c = f32[<=1099511627776] constant({1})"), "shorter"},
		{"an unbounded array", entry("ROOT c = f32[?] constant({1})"), "no known size"},
		{"an empty array of large sizes", entry("ROOT c = f32[9000000000000000000,0] constant({})"), ""},
		{"tuples of tuples", entry("t0 = s32[] parameter(0)\n" + tuples(60)), "more than"},
		{"elements of a large tuple", entry("p = s32[] parameter(0)\n" + takenApart(20_000)), ""},
		{"comments", "HloModule m\nENTRY e { ROOT p = s32[] " + rep("/* */", n) + "constant(1) }", ""},
		{"comments without an end", entry("ROOT p = s32[] constant(1) " + rep("/* ", n)), "comment without an end"},
		{"quotes", "HloModule m, a=" + rep("\"\"", n), ""},
		{"lines", rep("\n", n) + "e { ROOT c = s32[] constant(1) }" + rep("\n", n), ""},
	} {
		start := cpuTime(t)
		m, err := Parse([]byte(c.text), "t.hlo")
		switch {
		case c.want == "" && err != nil && c.name != "quotes":
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		case err != nil && !strings.HasPrefix(err.Error(), "t.hlo:"):
			t.Errorf("%s: error without a place: %v", c.name, err)
		case err == nil:
			_ = m.Text()
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: error of %d bytes", c.name, len(err.Error()))
		}
		if d := cpuTime(t) - start; d > time.Minute { // the longest takes two seconds
			t.Errorf("%s: took %v for %d bytes", c.name, d, len(c.text))
		}
	}
}

// cpuTime is the time the process has computed: a busy machine does not make it longer.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// attributes are n attributes of different names.
func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", a%d=b", i)
	}
	return b.String()
}

// tuples are n tuples, each of twice the one before.
func tuples(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "t%d = tuple(t%d, t%d)\n", i+1, i, i)
	}
	return b.String()
}

// takenApart is a tuple of n parts, all of which are taken out again.
func takenApart(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "t = tuple(p%s)\n", strings.Repeat(", p", n-1))
	for i := range n {
		fmt.Fprintf(&b, "g%d = get-tuple-element(t), index=%d\n", i, i)
	}
	return b.String() + "ROOT r = copy(p)\n"
}

// iotaGroups are n instructions whose groups have a million ids each.
func iotaGroups(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  b%d = s32[1048576] all-gather(a), replica_groups=[1,1048576]<=[1048576], dimensions={0}\n", i)
	}
	return b.String()
}

// TestNames prints a built computation whose names are missing, doubled or not fit for text.
func TestNames(t *testing.T) {
	b := NewBuilder("a computation/of->one")
	x := b.Parameter(0, shape.Array(shape.F32), "x")
	y := b.Parameter(1, shape.Array(shape.F32), "x")
	z := b.Parameter(2, shape.Array(shape.F32), "x.1")
	w := b.Parameter(3, shape.Array(shape.F32), "arg name:0")
	root := b.Tuple(x, y, z, w)
	root.Name = ""
	c, err := b.Build(root)
	if err != nil {
		t.Fatal(err)
	}
	m := NewModule("module, with (odd) name", c)
	const want = `HloModule module__with__odd)_name

ENTRY %a_computation_of__one (x: f32[], x.2: f32[], x.1: f32[], arg_name_0: f32[]) -> (f32[], f32[], f32[], f32[]) {
  %x = f32[] parameter(0)
  %x.2 = f32[] parameter(1)
  %x.1 = f32[] parameter(2)
  %arg_name_0 = f32[] parameter(3)
  ROOT %tuple = (f32[], f32[], f32[], f32[]) tuple(%x, %x.2, %x.1, %arg_name_0)
}
`
	if got := m.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	checkFixedPoint(t, m, "names")
}
