package stablehlo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// sharing is a program of n ops that share what head says; op has the number of each.
func sharing(n int, head, op string) string {
	var b strings.Builder
	b.WriteString(head + "\nfunc.func @main(%a: !t) -> !t {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%b%d = %s\n", i, strings.ReplaceAll(op, "#i", fmt.Sprint(i)))
	}
	b.WriteString("  return %a : !t\n}\nfunc.func private @f(%a: !t) -> !t { return %a : !t }\n")
	return b.String()
}

// numbered writes n pieces, each with its number.
func numbered(n int, piece string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(piece, "#i", fmt.Sprint(i))
	}
	return strings.Join(list, ", ")
}

// TestSharedAttributes wants many ops with one large attribute or type to take memory for each and for it, and not for
// it with each.
func TestSharedAttributes(t *testing.T) {
	const n = 1500
	const array = "\n!t = tensor<4xf32>"
	call := func(attrs string) string {
		return `"stablehlo.custom_call"(%a) {call_target_name = "f", ` + attrs + `} : (!t) -> !t`
	}
	dict := "#d = {" + numbered(n, `k#i = "v"`) + "}" + array
	for name, c := range map[string][2]string{
		"frontend_attributes":  {dict, `"stablehlo.abs"(%a) {mhlo.frontend_attributes = #d} : (!t) -> !t`},
		"backend_config":       {dict, call("api_version = 4 : i32, backend_config = #d")},
		"mhlo.attributes":      {dict, call("mhlo.attributes = #d")},
		"composite_attributes": {dict, `"stablehlo.composite"(%a) {name = "a.b", composite_attributes = #d, decomposition = @f} : (!t) -> !t`},
		"sdy.sharding":         {`#s = #sdy.sharding<@m, [{` + numbered(n, `"x#i"`) + "}]>" + array, `"stablehlo.abs"(%a) {sdy.sharding = #s} : (!t) -> !t`},
		"replica_groups": {"#g = dense<[" + numbered(n, "[#i]") + fmt.Sprintf("]> : tensor<%dx1xi64>", n) + array,
			`"stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #g, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!t) -> !t`},
		"value": {"#g = dense<[" + numbered(n, "#i") + fmt.Sprintf("]> : tensor<%dxi64>", n) + array,
			fmt.Sprintf(`"stablehlo.constant"() {value = #g} : () -> tensor<%dxi64>`, n)},
		"a tuple": {"!t = tuple<" + numbered(n, "tensor<f32>") + ">", call("has_side_effect = false")},
	} {
		src := sharing(n, c[0], c[1])
		var err error
		testfile.Bounded(t, len(src), 64, func() { _, err = importText(src) })
		if err != nil || t.Failed() {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// TestCopiedEntries refuses ops whose own entry stands beside so many shared ones that they take much memory.
func TestCopiedEntries(t *testing.T) {
	const op = `"stablehlo.abs"(%a) {mhlo.frontend_attributes = #d, sdy.sharding = #sdy.sharding<@m#i>} : (!t) -> !t`
	for _, c := range []struct {
		ops, entries int
		want         string
	}{
		{1500, 1500, "beside their own"}, {20, 1500, "<nil>"}, {1500, 20, "<nil>"},
	} {
		src := sharing(c.ops, "#d = {"+numbered(c.entries, `k#i = "v"`)+"}\n!t = tensor<4xf32>", op)
		if _, err := importText(src); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%d ops, %d entries: got %v, want %s", c.ops, c.entries, err, c.want)
		}
	}
}
