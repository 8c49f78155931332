package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/xla/literal"
)

// files are what the cases below find in their folder.
var files = map[string]string{
	"add.hlo": `HloModule add
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
}
`,
	"bad.hlo": `HloModule bad
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[3] parameter(1)
  ROOT r = f32[2] add(x, y)
}
`,
	"forever.hlo": `HloModule forever
cond { s = s32[] parameter(0)
  ROOT t = pred[] constant(true) }
body { ROOT s = s32[] parameter(0) }
ENTRY main { z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=cond, body=body }
`,
	"right.mlir": `func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>
  func.return
}
`,
	"wrong.mlir": `func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, 3.0]> : tensor<2xf32>
  func.return
}
// -----
func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  func.return %arg0 : tensor<?xf32>
}
`,
	"call.hlo": `HloModule call
ENTRY main { ROOT r = f32[] custom-call(), custom_call_target="nobody", api_version=API_VERSION_TYPED_FFI }
`,
	"list.txt":              "call.hlo the plug-in is not here\n",
	"case/meta.json":        `{"tolerance": {"rtol": 0, "atol": 0}}`,
	"case/module.mlir":      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.negate %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
	"wrongcase/meta.json":   `{"file": "module.hlo"}`,
	"wrongcase/module.hlo":  "HloModule m\nENTRY main { ROOT x = f32[2] parameter(0) }\n",
	"wrongcase/module.mlir": "not a program",
}

func TestMain(m *testing.M) {
	customcall.ServeIsolated()
	if len(os.Args) > 2 && os.Args[1] == rankWord { // a rank of a test is this program again
		os.Exit(ranks[os.Args[2]](os.Args[3:]))
	}
	os.Exit(m.Run())
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	for name, v := range map[string][]float32{
		"v.npy": {1, -2}, "minus.npy": {-1, 2}, "case/input_0.npy": {1, -2}, "case/expected_0.npy": {-1, 2},
		"wrongcase/input_0.npy": {1, 2}, "wrongcase/expected_0.npy": {1, 2.5},
	} {
		l, err := literal.FromSlice(v)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := literal.WriteNPY(&b, l); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), b.Bytes())
	}
	var whole bytes.Buffer
	if l, err := literal.FromSlice([]int32{1, 2}); err != nil || literal.WriteNPY(&whole, l) != nil {
		t.Fatal("whole.npy cannot be written: ", err)
	}
	write(t, filepath.Join(dir, "whole.npy"), whole.Bytes())
	return dir
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// halo runs the tool with DIR in the arguments standing for the folder.
func halo(t *testing.T, dir, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	code = realMain(&tool{ctx: context.Background(), in: strings.NewReader(stdin), stdout: &out, stderr: &errs}, args)
	return code, out.String(), errs.String()
}

func TestCommands(t *testing.T) {
	t.Setenv("HALO_LIBS", "-cuda") // a machine with a GPU says the same
	noCUDA := "HALO_LIBS"
	if !run.Available() {
		noCUDA = "this build calls no C"
	}
	dir := folder(t)
	write(t, filepath.Join(dir, "none", "notes.txt"), []byte("module by module (the end)\n"))
	write(t, filepath.Join(dir, "dump", "module_0001.m.before_optimizations.txt"), []byte(files["add.hlo"]))
	write(t, filepath.Join(dir, "dump", "module_0001.m.thunk_sequence.txt"), []byte("000: kCall\n"))
	const function = "func.func public @NAME(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
	write(t, filepath.Join(dir, "library.mlir"), []byte(strings.ReplaceAll(function, "NAME", "a")+
		strings.ReplaceAll(function, "NAME", "b")))
	write(t, filepath.Join(dir, "none", "notes.gz"), []byte("\x1f\x8b\x08\x00"))
	write(t, filepath.Join(dir, "nolibrary.json"), []byte(`{"library": "libnowhere.so"}`))
	write(t, filepath.Join(dir, "manifest.json"), []byte(`{"library": "x.so", "symbls": {}}`))
	write(t, filepath.Join(dir, "early.json"), []byte(`{"library": `))
	write(t, filepath.Join(dir, "misspelt.mlir"), []byte(`func.func @main() { return }
// -----
func.func @main(%x: tensor<f32>) { "stablehlo.negat"(%x) : (tensor<f32>) -> tensor<f32> return }
`))
	write(t, filepath.Join(dir, "two.hlo"), []byte(`HloModule two, replica_count=2
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
ENTRY main { x = f32[2] parameter(0)
  ROOT y = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add
}
`))
	write(t, filepath.Join(dir, "plugged", "meta.json"), []byte(`{"library": "libnowhere.so"}`))
	write(t, filepath.Join(dir, "plugged", "module.hlo"), []byte("HloModule m\nENTRY e { ROOT r = f32[] constant(1) }\n"))
	cases := []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"", exitUsage, "", "halo run"},
		{"frobnicate", exitUsage, "", `unknown command "frobnicate"`},
		{"rnu DIR/add.hlo", exitUsage, "", "did you mean run;"},
		{"help", exitOK, "halo check", ""},
		{"-h", exitOK, "halo check", ""},
		{"--help", exitOK, "halo check", ""},
		{"help run", exitOK, "\n  --threads int\n", ""},
		{"help launch", exitOK, "\n  -n int\n", ""},
		{"help plugin", exitOK, "halo plugin new", ""},
		{"help plugin new", exitOK, "halo plugin new [--lang", ""},
		{"plugin help new", exitOK, "halo plugin new [--lang", ""},
		{"plugin tset", exitUsage, "", "did you mean test"},
		{"help rum", exitUsage, "", "did you mean run"},
		{"run DIR/add.hlo --thread 2", exitUsage, "", "--thread, did you mean --threads;"},
		{"run DIR/add.hlo zeros ones --threads -3", exitUsage, "", "--threads: got -3"},
		{"run DIR/add.hlo zeros ones --threads 4097", exitUsage, "", "--threads: got 4097"},
		{"bench DIR/add.hlo --threads 4097", exitUsage, "", "--threads: got 4097"},
		{"diff DIR/add.hlo --threads 4097", exitUsage, "", "--threads: got 4097"},
		{"check DIR/add.hlo --threads 1,4097", exitUsage, "", `--threads: got "4097"`},
		{"run DIR/add.hlo zeros ones --out y.npy", exitUsage, "", `--out: got "y.npy"`},
		{"run DIR/add.hlo zeros ones --rtol -1", exitUsage, "", "--rtol -1"},
		{"run DIR/add.hlo zeros ones --atol nan", exitUsage, "", "--atol NaN"},
		{"plugin check x.so --race -1", exitUsage, "", "--race: got -1"},
		{"verify DIR/none/notes.gz", exitFailure, "or a container of jax.export\n", ""},
		{"check DIR/two.hlo", exitOK, "1 passed, 0 failed, 0 skipped", ""},
		{"run DIR/add.hlo zeros ones --plugin DIR/add.hlo", exitFailure, "", "is no ELF file"},
		{"run DIR/add.hlo zeros ones --plugin DIR/manifest.json", exitFailure, "", "symbls"},
		{"run DIR/add.hlo zeros ones --plugin DIR/nolibrary.json", exitMissing, "", "nolibrary.json: custom-call library "},
		{"run DIR/add.hlo zeros ones --plugin DIR/nowhere.so", exitMissing, "", "nowhere.so"},
		{"bench DIR/plugged", exitMissing, "", "libnowhere.so"},
		{"check DIR/case --forms mlirr", exitUsage, "", `--forms: got "mlirr", did you mean mlir`},
		{"check DIR/case --forms pbtxt", exitOK, "0 passed, 0 failed, 1 skipped", ""},
		{"run DIR/add.hlo --weights DIR/absent zeros ones", exitFailure, "", "no such file"},
		{"version", exitOK, "halo ", ""},
		{"run DIR/add.hlo zeros ones --weights-order size", exitUsage, "", `got "size", want name, file or sorted`},
		// Before a program that has no end runs, or a wrong one is read.
		{"run DIR/forever.hlo --out DIR/add.hlo", exitFailure, "", "add.hlo: not a directory"},
		{"run DIR/forever.hlo --out DIR/absent/x.npz", exitFailure, "", "x.npz: no such file"},
		{"run DIR/forever.hlo --snapshot DIR", exitFailure, "", "is a directory"},
		{"run DIR/forever.hlo --expect DIR/absent.npy", exitFailure, "", "absent.npy: no such file"},
		{"bench DIR/forever.hlo --json DIR", exitFailure, "", "is a directory"},
		{"graph DIR/bad.hlo --to svg -o DIR", exitFailure, "", "is a directory"},
		{"convert DIR/bad.hlo --to hlo -o DIR/absent/x", exitFailure, "", "x: no such file"},
		{"version now", exitUsage, "", `unexpected "now"`},
		{"doctor", exitOK, "backend reference", ""},
		{"ops", exitOK, "CrossReplicaSum", ""},
		{"run DIR/add.hlo 2xf32=1,2 @DIR/v.npy", exitOK, "{2, 0}", ""},
		{"run DIR/add.hlo y=2xf32=1,2 x=ones", exitOK, "{2, 3}", ""},
		{"run DIR/add.hlo zeros", exitUsage, "", "parameter 1 (y f32[2]) has no input"},
		{"run DIR/add.hlo zeros ones iota", exitUsage, "", "one too many"},
		{"run DIR/add.hlo zeros what", exitUsage, "", "want @file.npy"},
		{"run DIR/add.hlo zeros DIR/v.npy", exitUsage, "", "a file is given as @"},
		{"run DIR/add.hlo x=zeros z=zeros", exitUsage, "", `"z" is neither a parameter's name nor a shape`},
		{"run DIR/add.hlo zeros 2xi32=1,2", exitUsage, "", `"2xi32" is neither`},
		{"run DIR/add.hlo x=zeros x=ones", exitUsage, "", "parameter 0 (x) has an input already"},
		{"run DIR/add.hlo zeros @DIR/whole.npy", exitFailure, "", "whole.npy: got elements of s32, want f32"},
		{"run DIR/case", exitFailure, "", "case is a folder, want the file of a program, such as "},
		{"inspect DIR/none", exitFailure, "", "none is a folder, want the file of a program\n"},
		{"run -h", exitOK, "@file.npy", ""},
		{"check -h", exitOK, "  --forms string", ""},
		{"version -h", exitOK, "halo version: print the version", ""},
		{"run DIR/add.hlo zeros 3xf32=1,2,3", exitFailure, "", "argument 1 (y): got f32[3], want f32[2]"},
		{"run DIR/add.hlo zeros 2xf32=1", exitUsage, "", "got 1 values, want the 2 of f32[2], with commas, or one of random, "},
		{"run DIR/add.hlo zeros 2xf32=noes", exitUsage, "", "did you mean ones"},
		{"run DIR/add.hlo zeros 2xfloat32=ones", exitUsage, "", "a shape such as 4xf32, did you mean f32; "},
		{"run DIR/add.hlo zeros f32[2]=ones", exitUsage, "", "did you mean 2xf32; "},
		{"run DIR/add.hlo zeros 1,2", exitUsage, "", `got "1,2"; values are given with their type, as 2xf32=1,2`},
		{"run DIR/add.hlo zeros noes", exitUsage, "", `got "noes", did you mean ones, want @file.npy`},
		{"run DIR/add.hlo zeros 2xf32=1,x", exitUsage, "", `input 1 (y): value 2: f32 value "x", want a number`},
		{"run DIR/add.hlo zeros random:x", exitUsage, "", "want random:SEED with a whole number from 0 on, below 2^64"},
		{"run DIR/add.hlo zeros random:-1", exitUsage, "", "want random:SEED with a whole number from 0 on, below 2^64"},
		{"run DIR/add.hlo zeros @", exitUsage, "", "input 1 (y): no file name after @"},
		{"run DIR/add.hlo zeros y=@", exitUsage, "", "input 1 (y): no file name after @"},
		{"run DIR/add.hlo zeros @DIR/v.npy --expect DIR/v.npy", exitOK, "as wanted", ""},
		{"run DIR/add.hlo zeros @DIR/v.npy --expect DIR/minus.npy", exitDiffers, "", "result 0"},
		{"run DIR/add.hlo zeros zeros --backend cuda", exitMissing, "", noCUDA},
		{"run DIR/add.hlo zeros zeros --backend tpu", exitUsage, "", "unknown backend"},
		{"run DIR/bad.hlo zeros zeros", exitFailure, "", "bad.hlo:5:"},
		{"run DIR/absent.hlo", exitFailure, "", "halo run: open /"},
		{"check DIR/bad.hlo", exitFailure, "error: /", ""},
		{"run", exitUsage, "", "no program given"},
		{"run DIR/add.hlo --frob", exitUsage, "", "halo run: flag provided but not defined: --frob; halo run -h lists"},
		{"run DIR/add.hlo --threads -for", exitUsage, "", `invalid value "-for" for flag --threads, want a whole number; halo`},
		{"run DIR/add.hlo --threads x", exitUsage, "", `value "x" for flag --threads, want a whole number; halo`},
		{"plugin bench --runs x run", exitUsage, "", "halo plugin bench: invalid value \"x\" for flag --runs, want a whole number; halo"},
		{"run --seed -1 x", exitUsage, "", "--seed, want a whole number from 0 on; halo"},
		{"run --rtol x x", exitUsage, "", "--rtol, want a number; halo"},
		{"launch --grace x run", exitUsage, "", `value "x" for flag --grace, want a time such as 10s; halo`},
		{"run DIR/add.hlo --report=x", exitUsage, "", `invalid boolean value "x" for --report, want true or false; halo`},
		{"run DIR/add.hlo --backend", exitUsage, "", "flag needs an argument: --backend; halo"},
		{"check --timeout -1 DIR/add.hlo", exitUsage, "", "--timeout: got -1 seconds"},
		{"verify DIR/add.hlo", exitOK, "accept", ""},
		{"verify DIR/bad.hlo", exitFailure, "bad.hlo:5:", ""},
		{"plugin inspect DIR/nolibrary.json", exitFailure, "", "nolibrary.json: it is a manifest, want its library, "},
		{"plugin inspect DIR/early.json", exitFailure, "", "early.json: it ends early, want an object of JSON"},
		{"verify DIR/misspelt.mlir", exitFailure, "unknown op, did you mean stablehlo.negate\n", ""},
		{"check DIR/misspelt.mlir", exitFailure, "misspelt.mlir:3:36: stablehlo.negat(tensor<f32>): unknown op", ""},
		{"check DIR/add.hlo --plugins DIR/nowhere", exitFailure, "", "halo check: --plugins: open "},
		{"run DIR/add.hlo zeros ones --weights DIR/nowhere.npz", exitFailure, "", "halo run: open "},
		{"verify", exitUsage, "", "no path given"},
		{"verify DIR/none", exitUsage, "", "no programs below"},
		{"verify DIR/dump", exitOK, "before_optimizations.txt\n", ""},
		{"check DIR/dump", exitOK, "1 passed, 0 failed, 0 skipped", ""},
		{"run DIR/library.mlir 1.0", exitFailure, "", "library.mlir: none of the functions is called main"},
		{"verify DIR/library.mlir", exitOK, "right, but it cannot run", ""},
		{"check DIR/library.mlir", exitOK, "0 passed, 0 failed, 1 skipped", ""},
		{"inspect DIR/call.hlo", exitOK, "cpu cannot run it: ", ""},
		{"check DIR/right.mlir", exitOK, "1 passed, 0 failed, 0 skipped", ""},
		{"check DIR/wrong.mlir", exitFailure, "0 passed, 1 failed, 1 skipped", ""},
		{"check DIR/add.hlo", exitOK, "1 passed", ""},
		{"check DIR/call.hlo", exitFailure, "unsupported: ", ""},
		{"check --unsupported DIR/list.txt DIR/call.hlo", exitOK, "0 passed, 0 failed, 1 skipped", ""},
		{"check --timeout 2 DIR/forever.hlo DIR/add.hlo", exitFailure, "1 passed, 1 failed", ""},
		{"check DIR/case", exitOK, "1 passed", ""},
		{"check --forms hlo DIR/case DIR/add.hlo", exitOK, "1 passed", ""},
		{"check --threads 1,2,7 DIR/case", exitOK, "1 passed", ""},
		{"check --threads none DIR/case", exitUsage, "", "threads"},
		{"check DIR/wrongcase", exitFailure, "0 passed, 1 failed, 0 skipped", ""},
		{"inspect DIR/add.hlo", exitOK, "parameter 1", ""},
		{"inspect DIR/v.npy", exitOK, "float32[2]", ""},
		{"convert DIR/add.hlo --to hlo", exitOK, "add(", ""},
		{"convert DIR/add.hlo --to stablehlo", exitOK, "stablehlo.add", ""},
		{"convert DIR/add.hlo --to bytecode -o DIR/add.bc", exitOK, "", ""},
		{"convert DIR/add.hlo --to bytecode --vhlo 0.9.0", exitOK, "StableHLO_v0.9.0", ""},
		{"convert DIR/add.hlo --to bytecode --vhlo 99.0.0", exitUsage, "", "--vhlo: VHLO version: got 99.0.0, want 0.9.0 to"},
		{"convert DIR/add.hlo --to bytecode --vhlo 0.1.0", exitUsage, "", "--vhlo: VHLO version: got 0.1.0, want 0.9.0 to"},
		{"convert DIR/none.hlo --to bytecode --vhlo 9", exitUsage, "", `--vhlo: VHLO version: got "9", want three numbers`},
		{"convert DIR/wrong.mlir --to bytecode", exitUsage, "", "--to bytecode takes one"},
		{"convert DIR/add.bc --to stablehlo", exitOK, "stablehlo.add", ""},
		{"run DIR/add.bc 2xf32=1,2 @DIR/v.npy", exitOK, "{2, 0}", ""},
		{"inspect DIR/add.bc", exitOK, "parameter 1", ""},
		{"verify DIR/add.bc", exitOK, "accept", ""},
		{"check DIR/add.bc", exitOK, "1 passed", ""},
		{"convert DIR/right.mlir --to bytecode -o DIR/right.bc", exitOK, "", ""},
		{"check DIR/right.bc", exitOK, "1 passed, 0 failed, 0 skipped", ""},
		{"graph DIR/add.hlo", exitOK, "digraph", ""},
		{"graph DIR/add.hlo --to svg", exitOK, "</svg>", ""},
		{"graph DIR/add.hlo --to html -o DIR/add.html", exitOK, "", ""},
		{"graph DIR/add.hlo --to png", exitUsage, "", "want dot, svg or html"},
		{"graph DIR/add.hlo -o DIR/add.png", exitUsage, "", `got "png", want dot, svg or html`},
		{"graph DIR/add.hlo -o -", exitOK, "digraph", ""},
		{"convert DIR/add.hlo --to hlo --vhlo 1.0.0", exitUsage, "", "want it with --to bytecode only"},
		{"graph DIR/add.hlo --max 0", exitUsage, "", "want 1 or more"},
		{"graph", exitUsage, "", "want one"},
		{"convert DIR/add.hlo --to hlo-prototext", exitOK, `opcode: "add"`, ""},
		{"convert DIR/add.hlo --to hlo-proto -o DIR/add.pb", exitOK, "", ""},
		{"convert DIR/add.pb --to hlo", exitOK, "HloModule", ""},
		{"convert DIR/add.hlo --to pdf", exitUsage, "", "want hlo, hlo-proto, hlo-prototext, stablehlo or bytecode"},
	}
	for _, tc := range cases {
		code, stdout, stderr := halo(t, dir, "", strings.Fields(tc.args)...)
		if code != tc.code || !strings.Contains(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("halo %s: got exit %d, stdout %q, stderr %q, want exit %d, %q, %q", tc.args, code, stdout, stderr, tc.code, tc.stdout, tc.stderr)
		}
	}
}

func TestStandardInput(t *testing.T) {
	code, stdout, stderr := halo(t, "", files["add.hlo"], "run", "-", "ones", "ones")
	if code != exitOK || !strings.Contains(stdout, "{2, 2}") {
		t.Errorf("got exit %d, %q, %q, want {2, 2}", code, stdout, stderr)
	}
}

func TestRunOfNoName(t *testing.T) {
	if code, _, stderr := halo(t, "", "", "run", ""); code != exitUsage || !strings.Contains(stderr, "the program's name is empty") {
		t.Errorf("got exit %d, %q, want %d and what is empty", code, stderr, exitUsage)
	}
}

func TestCheckJSON(t *testing.T) {
	dir := folder(t)
	_, stdout, _ := halo(t, dir, "", "check", "--json", "DIR/wrong.mlir", "DIR/right.mlir", "DIR/bad.hlo", "DIR/call.hlo")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	want := []string{"fail", "skip", "pass", "error", "unsupported"}
	if len(lines) != len(want)+1 || lines[len(want)] != "1 passed, 3 failed, 1 skipped" {
		t.Fatalf("got %q, want %d lines and the count", lines, len(want))
	}
	for i, status := range want {
		var r outcome
		if err := json.Unmarshal([]byte(lines[i]), &r); err != nil || r.Status != status || status != "pass" && r.Message == "" {
			t.Errorf("line %d: got %s, %v, want the status %s and a message", i, lines[i], err, status)
		}
	}
}

func TestOpsJSON(t *testing.T) {
	_, stdout, _ := halo(t, "", "", "ops", "--json")
	rows := map[int]bool{}
	for line := range strings.Lines(stdout) {
		var l opLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Row > 0 && l.Reference {
			rows[l.Row] = true
		}
	}
	if len(rows) != 119 {
		t.Errorf("got %d source rows with reference evaluation, want 119", len(rows))
	}
}

func TestResultsAreWritten(t *testing.T) {
	dir := folder(t)
	for _, out := range []string{"out", "out.npz"} {
		if code, _, stderr := halo(t, dir, "", "run", "DIR/add.hlo", "ones", "ones", "--out", "DIR/"+out); code != exitOK {
			t.Fatalf("%s: exit %d, %s", out, code, stderr)
		}
	}
	for _, path := range []string{"out/result_0.npy", "out.npz"} {
		code, stdout, stderr := halo(t, dir, "", "inspect", "--json", "DIR/"+path)
		if code != exitOK || !strings.Contains(stdout, `"dtype":"float32","shape":[2]`) {
			t.Errorf("%s: got exit %d, %q, %q, want one float32 array of 2", path, code, stdout, stderr)
		}
	}
}

func TestConvertTwiceIsTheSame(t *testing.T) {
	dir := folder(t)
	for _, name := range []string{"add.hlo", "case/module.mlir"} {
		_, once, _ := halo(t, dir, "", "convert", "DIR/"+name, "--to", "hlo")
		_, twice, stderr := halo(t, dir, once, "convert", "-", "--to", "hlo")
		if once == "" || once != twice {
			t.Errorf("%s: got %q, then %q (%s), want the same", name, once, twice, stderr)
		}
	}
}

func TestDoctorSaysWhichVariablesAreSet(t *testing.T) {
	t.Setenv("HALO_THREADS", "2")
	t.Setenv("HALO_NEED", "conformance")
	t.Setenv("HALO_PLUGIN_PATH", "/plugins")
	_, stdout, _ := halo(t, "", "", "doctor")
	for _, want := range []string{"HALO_THREADS         set      2", "HALO_PLUGIN_PATH     set      /plugins",
		"HALO_NEED            set      conformance"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want %q", stdout, want)
		}
	}
}

func TestLog(t *testing.T) {
	text := "HloModule tiny\nENTRY e { ROOT c = f32[] constant(1) }\n"
	for level, want := range map[string]string{"": "", "warn": "", "info": "", "debug": "program=tiny", "loud": "HALO_LOG"} {
		t.Setenv("HALO_LOG", level)
		var out, stderr bytes.Buffer
		code := realMain(&tool{ctx: context.Background(), in: strings.NewReader(text), stdout: &out, stderr: &stderr}, []string{"run", "-"})
		if (code == exitUsage) != (level == "loud") {
			t.Errorf("HALO_LOG=%s: exit code %d, %s", level, code, stderr.String())
		}
		if got := stderr.String(); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("HALO_LOG=%s: got %q, want %q in it", level, got, want)
		}
	}
}

func TestRunLenient(t *testing.T) {
	text := `ENTRY e { a = f32[] constant(1.5)
b = bf16[] constant(2)
ROOT c = f32[] add(a, b) }`
	for flag, want := range map[string]int{"--lenient": exitOK, "--seed=1": exitFailure} {
		var out, stderr bytes.Buffer
		code := realMain(&tool{ctx: context.Background(), in: strings.NewReader(text), stdout: &out, stderr: &stderr}, []string{"run", "-", flag})
		if code != want || (code == exitOK) != strings.Contains(out.String(), "3.5") {
			t.Errorf("%s: exit code %d, %s%s", flag, code, out.String(), stderr.String())
		}
	}
}

// A variable that cannot be meant as it is written is an error, since it would be without effect.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name, value string
		ok          bool
	}{
		{"HALO_THREADS", "2", true}, {"HALO_THREADS", "0", true}, {"HALO_THREADS", "two", false}, {"HALO_THREADS", "-1", false},
		{"HALO_THREADS", "4096", true}, {"HALO_THREADS", "4097", false},
		{"HALO_ISA", "AVX2", true}, {"HALO_ISA", "avx9", false}, {"HALO_LIBS", "-onednn,-fftw", true}, {"HALO_LIBS", "-all", true},
		{"HALO_LIBS", "-mpi,-cuda,-nvrtc", true},
		{"HALO_MPI", "mpich", true}, {"HALO_MPI", "/opt/libmpi.so", true}, {"HALO_MPI", "mpihc", false},
		{"HALO_LIBRARY_PATH", "/:/tmp", true}, {"HALO_LIBRARY_PATH", "/:/nowhere", false},
		{"HALO_CUDA_PATH", "/nowhere", false}, {"HALO_CUDA_EMU_SEED", "7", true}, {"HALO_CUDA_EMU_SEED", "x", false},
		{"HALO_CUDA_AUTOTUNE", "0", true}, {"HALO_CUDA_AUTOTUNE", "off", false},
		{"HALO_CUDA_TF32", "1", true}, {"HALO_CUDA_TF32", "yes", false},
		{"HALO_CUDA_HOSTCONTROL", "1", false}, {"HALO_THREAD", "1", false}, {"HALO_LIB", "-all", false},
		{"HALO_LOGS", "debug", false}, {"HALO_PLUGINPATH", "/", false}, {"HALO_PYTHON", "python3", true},
		{"HALO_SEED", "x", true}, {"HALO_MINE", "x", true},
		{"HALO_CUDA_HOST_CONTROL", "1", true}, {"HALO_CUDA_HOST_CONTROL", "2", false},
		{"HALO_LIBS", "-opneblas", false}, {"HALO_LIBS", "openblas", false}, {"HALO_LIBS", "", true},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			code, _, stderr := halo(t, "", "", "version")
			if c.ok != (code == exitOK) || !c.ok && (code != exitUsage || !strings.Contains(stderr, c.name+": got")) {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}
