package emit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// crowded are programs whose kernels have as much in shared memory as they ever may.
func crowded() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	const sum = "h { a = %[1]s[] parameter(0)  b = %[1]s[] parameter(1)  ROOT s = %[1]s[] add(a, b) }\nENTRY e { "
	for _, n := range []int{4096, 5000, 300000} {
		for _, t := range []string{"f32", "u64", "f64"} {
			add("c { a = %[1]s[] parameter(0)  b = %[1]s[] parameter(1)  ROOT l = pred[] compare(a, b), direction=LT }\n"+
				"ENTRY e { x = %[1]s[2,%[2]d] parameter(0)  ROOT r = %[1]s[2,%[2]d] sort(x), dimensions={1}, to_apply=c }", t, n)
		}
	}
	for _, n := range [][2]int{{1024, 256}, {8192, 2048}, {1024, 1024}} {
		add("ENTRY e { x = f32[9,%[1]d] parameter(0)  ROOT r = (f32[9,%[2]d], s32[9,%[2]d]) topk(x), k=%[2]d, largest=true }",
			n[0], n[1])
	}
	for _, t := range []string{"f32", "f64", "c64", "c128", "s8", "pred"} {
		add(sum+"x = %[1]s[3,9000] parameter(0)  z = %[1]s[] parameter(1)\n"+
			"ROOT r = %[1]s[3,9000] reduce-window(x, z), window={size=1x9000 pad=0_0x8999_0}, to_apply=h }", t)
		add(sum+"x = %[1]s[9000,70] parameter(0)  z = %[1]s[] parameter(1)\n"+
			"ROOT r = %[1]s[9000,70] reduce-window(x, z), window={size=9000x1 pad=8999_0x0_0}, to_apply=h }", t)
	}
	for rows := 12; rows < 26; rows++ {
		add(sum+"x = %[1]s[%[2]d,512] parameter(0)  i = s32[900,1] parameter(1)  u = %[1]s[900,512] parameter(2)\n"+
			"ROOT r = %[1]s[%[2]d,512] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "+
			"scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }", "f32", rows)
	}
	for _, t := range []string{"f32", "f64", "bf16", "c64", "c128"} {
		for _, k := range []int{16, 97, 160, 256, 2000} {
			for few := 1; few < 16; few++ {
				add("ENTRY e { x = %[1]s[%[2]d,%[3]d] parameter(0)  y = %[1]s[%[3]d,512] parameter(1)\n"+
					"ROOT r = %[1]s[%[2]d,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }", t, few, k)
				add("ENTRY e { x = %[1]s[%[2]d,%[3]d] parameter(0)  y = %[1]s[512,%[3]d] parameter(1)\n"+
					"ROOT r = %[1]s[%[2]d,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1} }", t, few, k)
			}
		}
	}
	for t, n := range map[string][2]int{"f32": {4096, 1024}, "f64": {2000, 560}, "c128": {1024, 256}, "s8": {4096, 4096},
		"bf16": {4096, 4096}, "pred": {4096, 1}} { // up to 40 KiB, twice 20
		state := fmt.Sprintf("(s32[], %s[%d], %[1]s[%[3]d])", t, n[0], n[1])
		add(`cond { s = %[1]s parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(99)
ROOT m = pred[] compare(i, n), direction=LT }
body { s = %[1]s parameter(0)  i = s32[] get-tuple-element(s), index=0  x = %[2]s[%[3]d] get-tuple-element(s), index=1
y = %[2]s[%[4]d] get-tuple-element(s), index=2  one = s32[] constant(1)  j = s32[] add(i, one)
u = %[2]s[%[3]d] reverse(x), dimensions={0}  v = %[2]s[%[4]d] reverse(y), dimensions={0}
ROOT r = %[1]s tuple(j, u, v) }
ENTRY e { s = %[1]s parameter(0)  ROOT w = %[1]s while(s), condition=cond, body=body }`, state, t, n[0], n[1])
	}
	return list
}

// TestSharedMemory wants what kernels declare in shared memory to be no more than each device has for it.
func TestSharedMemory(t *testing.T) {
	most := int64(0)
	for _, text := range crowded() {
		m, err := hlo.Parse([]byte("HloModule m\n"+text), "m.hlo")
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e, err := steps(m.Entry.Root)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, s := range e.Steps {
			if s.Kernel == nil {
				continue
			}
			n := sharedBytes(t, s.Kernel.Source)
			if most = max(most, n); n > 48<<10 {
				t.Errorf("%s: %s declares %d bytes of shared memory", text, s.Kernel.Name, n)
			}
		}
	}
	if most < 40<<10 {
		t.Errorf("no kernel has more than %d bytes in shared memory", most)
	}
}

var (
	declared = regexp.MustCompile(`__shared__ (?:__align__\(16\) )?(\w+) (.*);`)
	roomOf   = regexp.MustCompile(`__shared__ radix_room<(\d+), (\w+)> room;`)
	extent   = regexp.MustCompile(`\[(\d+)\]`)
)

// sharedBytes is how many bytes a kernel declares.
func sharedBytes(t *testing.T, source string) (n int64) {
	size := map[string]int64{"bool": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8,
		"c64": 8, "c128": 16}
	number := func(text string) int64 {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, d := range declared.FindAllStringSubmatch(source, -1) {
		for variable := range strings.SplitSeq(d[2], ", ") {
			bytes := size[d[1]]
			if bytes == 0 {
				t.Fatalf("%s is of an unknown size", d[1])
			}
			for _, x := range extent.FindAllStringSubmatch(variable, -1) {
				bytes *= number(x[1])
			}
			n += bytes
		}
	}
	for _, r := range roomOf.FindAllStringSubmatch(source, -1) { // counts, beginnings, sums and a tile
		n += 8*256*4 + 256*4 + 8*8 + 256*number(r[1])*size[r[2]]
	}
	return n
}
