package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileCases checks case folders whose meta.json is made to take memory or to hide that nothing was run, and
// self-checking programs that misuse the probes.
func TestHostileCases(t *testing.T) {
	const same = "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }"
	call := func(target, operands, config string) string {
		return "module { func.func @main() { %0 = stablehlo.constant dense<1.0> : tensor<f32>\n" +
			"stablehlo.custom_call @" + target + "(" + operands + ") {has_side_effect = true, mhlo.backend_config = {" +
			config + "}} : (" + strings.TrimSuffix(strings.Repeat("tensor<f32>, ", strings.Count(operands, "%")), ", ") +
			") -> ()\nreturn } }"
	}
	for _, c := range []struct{ file, program, meta, want string }{
		{"module.hlo", same, `{"num_replicas": 1000000000000}`, "at most 4096 devices"},
		{"module.hlo", same, `{"num_replicas": -1}`, "want none negative"},
		{"module.hlo", same, `{"file": "module.txt"}`, "no form of a program"},
		{"module.mlir", call("check.expect_serialized_eq", "%0", `probe_id = "p", iter = -1 : i64`), "{}", "saw 0 values"},
		{"module.mlir", call("check.expect_serialized_eq", "", ""), "{}", "got 0 operands"},
		{"module.mlir", call("interpreter.probe", "", ""), "{}", "got 0 operands"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.file), []byte(c.program))
		write(t, filepath.Join(dir, "meta.json"), []byte(c.meta))
		code, out, errs := halo(t, dir, "", "check", dir)
		if code == 0 || !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, "panic") {
			t.Errorf("%s with %s: got code %d and %s%s, want a failure with %q", c.program, c.meta, code, out, errs, c.want)
		}
	}
}
