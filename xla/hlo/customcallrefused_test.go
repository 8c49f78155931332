package hlo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Known targets with operands or results that they do not have are refused, not run.
func TestKnownTargetsOfWrongShapesAreRefused(t *testing.T) {
	const less = "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GT }\n"
	cases := map[string]string{
		"a scalar of the largest": less + `ENTRY e { x = f32[5] parameter(0)
 z = f32[] constant(0)
 ROOT r = f32[] custom-call(x, z), custom_call_target="ApproxTopK", called_computations={less} }`,
		"a tuple of the largest": less + `ENTRY e { x = f32[5] parameter(0)
 z = f32[] constant(0)
 ROOT r = ((f32[2], f32[2])) custom-call(x, z), custom_call_target="ApproxTopK", called_computations={less} }`,
		"halves of a float": `ENTRY e { x = u32[2] parameter(0)
 ROOT r = f64[2] custom-call(x, x), custom_call_target="X64Combine" }`,
		"halves of two sizes": `ENTRY e { x = u32[2] parameter(0)
 y = u32[3] parameter(1)
 ROOT r = u64[2] custom-call(x, y), custom_call_target="X64Combine" }`,
	}
	dot := `ENTRY e { l = f32[2,4] parameter(0)
 s = f32[%s] parameter(1)
 f = f32[%s] parameter(2)
 ROOT r = f32[%s] custom-call(%s), custom_call_target="__op$block_scaled_dot", ` +
		`backend_config={"block_scaled_dot_backend_config":{"block_size":%s}} }`
	for name, v := range map[string][]any{
		"a dot without scales":       {"2,2", "", "2,2", "l, l", "0"},
		"a dot of too many operands": {"2,2", "", "2,2", "l, l, s, s, f, f", "0"},
		"a dot of another size":      {"2,2", "", "2,3", "l, l, s, s", "0"},
		"a dot of lines":             {"2,2", "", "2", "l, l, s, s", "0"},
		"scales of another rank":     {"2", "", "2,2", "l, l, s, s", "0"},
		"too few rows of scales":     {"1,2", "", "2,2", "l, l, s, s", "0"},
		"blocks that do not divide":  {"2,3", "", "2,2", "l, l, s, s", "0"},
		"a last block that is short": {"2,2", "", "2,2", "l, l, s, s", "3"},
		"fewer blocks than said":     {"2,2", "", "2,2", "l, l, s, s", "1"},
		"a factor for each element":  {"2,2", "2,2", "2,2", "l, l, s, s, f", "0"},
	} {
		cases[name] = fmt.Sprintf(dot, v...)
	}
	for name, text := range cases {
		m, err := Parse([]byte("HloModule m\n"+text), "m.hlo")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := Unsupported(m, nil); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "custom call") {
			t.Errorf("%s: got %v, want it unsupported", name, err)
		}
	}
}
