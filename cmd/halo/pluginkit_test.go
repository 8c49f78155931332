package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
)

// command runs a program in a folder, or skips the test if this machine has none of that name.
func runProgram(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	testfile.Library(t, name, err)
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, said)
	}
}

// project begins a project called demo and builds it.
func project(t *testing.T, language string) (dir, library string) {
	t.Helper()
	testfile.Native(t, crash.Available)
	dir = filepath.Join(t.TempDir(), "demo")
	wantHalo(t, exitOK, "next: cd ", "plugin", "new", "--lang", language, dir)
	runProgram(t, dir, "make")
	return dir, filepath.Join(dir, "build/libdemo.so")
}

// wantHalo runs the tool and wants an exit code and a text in what it prints.
func wantHalo(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	got, out, message := halo(t, "", "", args...)
	if got != code || !strings.Contains(out+message, want) {
		t.Errorf("halo %v: got code %d, %q and %q; want %d and %q", args, got, out, message, code, want)
	}
}

// What halo plugin new writes builds, passes its own test, and nothing is found in it.
func TestPluginProjects(t *testing.T) {
	for language, needs := range map[string]string{"c": "cc", "cc": "c++", "rust": "rustc"} {
		t.Run(language, func(t *testing.T) {
			_, err := exec.LookPath(needs)
			testfile.Library(t, needs, err)
			dir, library := project(t, language)
			wantHalo(t, exitOK, "2 passed, 0 failed, 0 skipped", "plugin", "test", dir)
			wantHalo(t, exitOK, "2 calls tried, 0 findings, 0 cases failed", "plugin", "check", "--guard-pages", "--race", "16", library)
			wantHalo(t, exitOK, "typed FFI (api_version 4)", "plugin", "inspect", library)
			wantHalo(t, exitOK, "1000 calls  p50", "plugin", "bench", "--runs", "1000", library)
			wantHalo(t, exitOK, `"calls":`, "plugin", "bench", "--seconds", "0.01", "--json", "--isolate", library)
			t.Setenv("HALO_PLUGIN_PATH", filepath.Dir(library))
			wantHalo(t, exitOK, "; 320 runs", "bench", dir+"/cases/basic", "--runs", "320", "--concurrency", "16")
			wantHalo(t, exitOK, "{ 2.5, -5, 1.25 }", "run", "--plugin", library, dir+"/cases/basic/module.mlir", "@"+dir+"/cases/basic/input_0.npy")
		})
	}
}

// The project builds with CMake, too.
func TestPluginProjectWithCMake(t *testing.T) {
	for _, language := range []string{"c", "cc"} {
		dir, _ := project(t, language)
		if err := os.RemoveAll(dir + "/build"); err != nil {
			t.Fatal(err)
		}
		runProgram(t, dir, "cmake", "-B", "build")
		runProgram(t, dir, "cmake", "--build", "build")
		wantHalo(t, exitOK, "2 passed", "plugin", "test", dir)
	}
}

// The project's text and Makefile are as they are; a stand-in for nvcc builds it for the emulated device, where it
// passes its own test. Its functions are for a GPU: no other place takes them.
func TestPluginProjectForCUDA(t *testing.T) {
	testfile.Native(t, crash.Available)
	emulator, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	_, err = exec.LookPath("make")
	testfile.Library(t, "make", err)
	dir := filepath.Join(t.TempDir(), "demo")
	wantHalo(t, exitOK, "next", "plugin", "new", "--lang", "cuda", dir)
	if _, err := exec.LookPath("nvcc"); err == nil {
		runProgram(t, dir, "make")
		runProgram(t, dir, "make", "clean")
	} else if said, err := exec.Command("make", "-C", dir).CombinedOutput(); err == nil ||
		!strings.Contains(string(said), "nvcc is not there: it compiles CUDA") {
		t.Errorf("without nvcc: got %v and %s", err, said)
	}
	t.Setenv("EMULATOR", emulator)
	nvcc := absolute(t, "testdata/nvcc/nvcc")
	runProgram(t, dir, "make", "NVCC="+nvcc)
	wantHalo(t, exitOK, "2 passed, 0 failed, 0 skipped", "plugin", "test", "--backend", "cuda-emu", dir)
	manifest, module, input := dir+"/demo.json", dir+"/cases/basic/module.mlir", "@"+dir+"/cases/basic/input_0.npy"
	on := func(backend string, more ...string) []string {
		return append([]string{"run", "--backend", backend, "--plugin", manifest, module, input}, more...)
	}
	wantHalo(t, exitOK, "{ 2.5, -5, 1.25 }", on("cuda-emu")...)
	wantHalo(t, exitOK, "cuda function", on("cuda-emu", "--report")...)
	loop := filepath.Join(dir, "loop.hlo")
	write(t, loop, []byte(inLoop))
	wantHalo(t, exitOK, "f32[2] {2, 4}\nf32[2] {16, 32}", "run", "--backend", "cuda-emu", "--plugin", manifest, loop, "2xf32=1,2")
	for _, backend := range []string{"cpu", "reference"} {
		wantHalo(t, exitFailure, "its functions are for a GPU, as its manifest says", on(backend)...)
	}
	wantHalo(t, exitFailure, "cannot be isolated", on("cuda-emu", "--isolate")...)
	write(t, dir+"/host.json", []byte(`{"library": "build/libdemo.so"}`))
	wantHalo(t, exitFailure, `a manifest says "platform": "CUDA"`, "run", "--plugin", dir+"/host.json", module, input)
	write(t, dir+"/other.json", []byte(`{"library": "build/libdemo.so", "platform": "TPU"}`))
	wantHalo(t, exitFailure, `platform "TPU", want Host or CUDA`, "run", "--plugin", dir+"/other.json", module, input)

	source, err := os.ReadFile(dir + "/demo.cu")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/demo.cu", []byte(strings.Replace(string(source), "if (i < n)", "if (i < n) __syncthreads();\n  if (i < n)", 1)))
	runProgram(t, dir, "make", "NVCC="+nvcc)
	lost := exec.CommandContext(t.Context(), os.Args[0], append([]string{rankWord, "halo"}, on("cuda-emu")...)...)
	if said, err := lost.CombinedOutput(); err == nil || !strings.Contains(string(said), "kernel scale: divergent barrier") {
		t.Errorf("a kernel whose threads part: got %v and %s", err, said)
	}
}

// inLoop calls a function of a GPU three times, with results in the memory of operands of which one lives on.
const inLoop = `less { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT r = pred[] compare(i, three), direction=LT
}
step { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[2] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  w = f32[2] custom-call(v), custom_call_target="demo", api_version=API_VERSION_TYPED_FFI,
    backend_config={factor = 2.0 : f32}, output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (s32[], f32[2]) tuple(j, w)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] add(x, x)
  zero = s32[] constant(0)
  s = (s32[], f32[2]) tuple(zero, y)
  t = (s32[], f32[2]) while(s), condition=less, body=step
  z = f32[2] get-tuple-element(t), index=1
  ROOT r = (f32[2], f32[2]) tuple(y, z)
}`

func TestPluginNewIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "full/file"), nil)
	wantHalo(t, exitUsage, `language "cobol", want one of c, cc, cuda, rust`, "plugin", "new", "--lang", "cobol", dir+"/x")
	wantHalo(t, exitUsage, "a function in Go needs no project", "plugin", "new", "--lang", "go", dir+"/x")
	wantHalo(t, exitUsage, `name "Big-Name", want lower-case`, "plugin", "new", dir+"/Big-Name")
	wantHalo(t, exitUsage, `name "double", want one that is no word of the language's own, such as my_double`, "plugin",
		"new", dir+"/double")
	wantHalo(t, exitUsage, `name "xor", want one that is no word`, "plugin", "new", "--lang", "cc", dir+"/xor")
	wantHalo(t, exitUsage, `name "fn", want one that is no word`, "plugin", "new", "--lang", "rust", dir+"/fn")
	wantHalo(t, exitOK, "fn: written", "plugin", "new", dir+"/fn")
	wantHalo(t, exitUsage, "is there already, and not empty", "plugin", "new", dir+"/full")
	wantHalo(t, exitFailure, "full/file: not a directory", "plugin", "new", dir+"/full/file/x")
	wantHalo(t, exitUsage, "got 0 names", "plugin", "new")
	wantHalo(t, exitFailure, "run make first", "plugin", "test", dir)
	wantHalo(t, exitFailure, "/nowhere: no such file", "plugin", "test", dir+"/nowhere")
	wantHalo(t, exitFailure, "full/file is a file, want the folder of a project", "plugin", "test", dir+"/full/file")
	wantHalo(t, exitFailure, "no such file", "plugin", "check", dir+"/lib.so")
}

// defects is the function of a project with mistakes that a name defines.
const defects = `#include <poll.h>
#include <stdlib.h>
#include "halo/ffi.h"
static volatile float shared[8];
static int calls, last, arrived;
HALO_FFI_HANDLER(demo) {
  const XLA_FFI_Buffer *x = halo_ffi_operand(frame, 0), *y = halo_ffi_result(frame, 0);
  const float *factor = halo_ffi_f32(frame, "factor");
  if (x->dtype != XLA_FFI_DataType_F32)
    return halo_ffi_error(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "operand");
  float *in = x->data, *out = y->data;
  int64_t n = halo_ffi_count(x);
#ifdef READ
  shared[7] = in[READ];
#endif
#ifdef WRITE
  out[WRITE] = 1;
#endif
#ifdef LESS
  n--;
#endif
#ifdef CHANGE
  float old = in[1];
  in[1] = 7;
#endif
#ifdef LEAK
  volatile char *kept = malloc(LEAK);
  kept[0] = 1;
#endif
#ifdef DIE
  __builtin_trap();
#endif
#ifdef RACE
  // The fourth call and the seven after it are those that are made at the same time: they wait for each other.
  int mine = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&last, mine, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
  int one_of_eight = mine > 3 && mine <= 11;
  for (int i = 0; one_of_eight && __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 11 && i < 10000; i++) poll(0, 0, 1);
  for (int64_t i = 0; i < n; i++)
    out[i] = *factor * in[i] + (one_of_eight && __atomic_load_n(&last, __ATOMIC_SEQ_CST) != mine);
#else
  for (int64_t i = 0; i < n; i++) out[i] = *factor * in[i];
#endif
#ifdef CHANGE
  in[1] = old + 1;
#endif
  return NULL;
}
`

func TestPluginCheckFinds(t *testing.T) {
	dir, library := project(t, "c")
	write(t, filepath.Join(dir, "demo.c"), []byte(defects))
	guarded, plain := "--guard-pages", "--race=1"
	for _, c := range []struct{ defect, flag, want string }{
		{"-DWRITE=6", plain, "memory: the function wrote at byte 24 of result 0 (f32[2,3]), which has 24 bytes"},
		{"-DWRITE=16", guarded, "guard pages at the end: it touched memory at byte 64 of result 0 (f32[2,3]), which has 24 bytes"},
		{"-DWRITE=-1", guarded, "guard pages at the start: it touched memory 4 bytes before the start of result 0 (f32[2,3])"},
		{"-DREAD=16", guarded, "it touched memory at byte 64 of operand 0 (f32[2,3]), which has 24 bytes"},
		{"-DREAD=-2", guarded, "it touched memory 8 bytes before the start of operand 0 (f32[2,3])"},
		{"-DCHANGE", guarded, "it wrote to operand 0 (f32[2,3]), at its byte 4: operands must not be changed"},
		{"-DCHANGE", plain, "the function wrote to operand 0 (f32[2,3]), at its byte "},
		{"-DLESS", plain, "results: result 0, element 5 is not written"},
		{"-DRACE", "--race=8", "differs when several calls are made at the same time"},
		{"-DLEAK=100", plain, "leak: each call leaves about 112 bytes allocated"},
		{"-DDIE", plain, `the process that served "demo" died of SIGILL`},
	} {
		runProgram(t, dir, "make", "-B", "CFLAGS=-O1 "+c.defect)
		wantHalo(t, exitFailure, c.want, "plugin", "check", c.flag, library)
	}
}

func TestPluginCheckWithAddressSanitizer(t *testing.T) {
	testfile.NoRace(t, "it has the memory that the address sanitizer wants")
	dir, library := project(t, "c")
	wantHalo(t, exitFailure, "--cases: open "+dir+"/nope: no such file", "plugin", "check", "--cases", dir+"/nope", library)
	wantHalo(t, exitFailure, "was not built with -fsanitize=address", "plugin", "check", "--asan", library)
	if said, err := exec.Command("make", "-C", dir, "build/asan/libdemo.so").CombinedOutput(); err != nil {
		testfile.Library(t, "asan", err)
		t.Log(string(said))
	}
	wantHalo(t, exitOK, "0 findings", "plugin", "check", "--asan", dir+"/build/asan/libdemo.so")
	for defect, want := range map[string]string{
		"READ 6":   "asan: it touched memory at byte 24 of operand 0 (f32[2,3]), which has 24 bytes",
		"WRITE 7":  "asan: it touched memory at byte 28 of result 0 (f32[2,3]), which has 24 bytes",
		"READ -1":  "asan: it touched memory 4 bytes before the start of operand 0",
		"LEAK 100": "leak: each call leaves about 100 bytes allocated",
	} {
		write(t, filepath.Join(dir, "demo.c"), []byte("#define "+defect+"\n"+defects))
		runProgram(t, dir, "make", "-B", "build/asan/libdemo.so")
		wantHalo(t, exitFailure, want, "plugin", "check", "--asan", dir+"/build/asan/libdemo.so")
	}
}

// conventions is a library with a function of each calling convention, and some that are lost.
const conventions = `#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct XlaCustomCallStatus_ status;
void XlaCustomCallStatusSetFailure(status *, const char *, size_t);
void twice(void *out, const void **in) { *(float *)out = 2 * *(const float *)in[0]; }
void root(void *out, const void **in, status *s) {
  if (*(const float *)in[0] < 0) XlaCustomCallStatusSetFailure(s, "below zero, and more", 10);
  *(float *)out = 2 * *(const float *)in[0];
}
void opaque(void *out, const void **in, const char *text, size_t n, status *s) {
  *(float *)out = (float)n * *(const float *)in[0];
}
void dies(void *out, const void **in) { *(volatile int *)16 = 1; }
void aborts(void *out, const void **in) { abort(); }
void leaves(void *out, const void **in) { _exit(7); }
void hangs(void *out, const void **in) { for (volatile int i = 0;; i++) ; }
`

func TestRunIsolated(t *testing.T) {
	testfile.Native(t, crash.Available)
	library := sharedLibrary(t, "libold.so", conventions)
	module := filepath.Join(t.TempDir(), "m.mlir")
	for target, c := range map[string]struct {
		code int
		want string
	}{"twice": {exitOK, "f32[] 6"}, "dies": {exitFailure, "died of SIGSEGV at address 0x10"}, "leaves": {exitFailure, "exit status 7"}} {
		write(t, module, []byte("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = stablehlo.custom_call @"+target+
			"(%x) {api_version = 1 : i32} : (tensor<f32>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n"))
		wantHalo(t, c.code, c.want, "run", "--isolate", "--plugin", library, module, "f32=3")
	}
}

func TestCheckIsolated(t *testing.T) {
	testfile.Native(t, crash.Available)
	library := sharedLibrary(t, "libold.so", conventions)
	dir := t.TempDir()
	add := func(name, target, meta string, version int, input, answer float32) {
		text := fmt.Sprintf("func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n  %%y = stablehlo.custom_call @%s(%%x) "+
			"{api_version = %d : i32, backend_config = \"xy\"} : (tensor<f32>) -> tensor<f32>\n  return %%y : tensor<f32>\n}\n",
			target, version)
		write(t, filepath.Join(dir, name, "module.mlir"), []byte(text))
		write(t, filepath.Join(dir, name, "meta.json"),
			[]byte(fmt.Sprintf(`{"library": "libold.so", "symbols": {"%[1]s": "%[1]s"}, %[2]s}`, target, meta)))
		for file, v := range map[string]float32{"input_0.npy": input, "expected_0.npy": answer} {
			var b bytes.Buffer
			if err := literal.WriteNPY(&b, literal.Scalar(v)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, name, file), b.Bytes())
		}
	}
	add("twice", "twice", `"expect": "ok"`, 1, 3, 6)
	add("root", "root", `"expect": "ok"`, 2, 4, 8)
	add("rootfails", "root", `"expect": "error", "error_contains": "below zero"`, 2, -4, 0)
	add("opaque", "opaque", `"expect": "ok"`, 3, 5, 10)
	add("dies", "dies", `"expect": "crash", "exit": -11`, 1, 0, 0)
	add("aborts", "aborts", `"expect": "crash", "exit": -6`, 1, 0, 0)
	add("leaves", "leaves", `"expect": "crash", "exit": 7`, 1, 0, 0)
	add("hangs", "hangs", `"expect": "hang"`, 1, 0, 0)
	for _, backend := range []string{"cpu", "reference"} {
		wantHalo(t, exitOK, "8 passed, 0 failed, 0 skipped", "check", "--isolate", "--backend", backend, "--plugins", filepath.Dir(library), dir)
	}
	add("survives", "twice", `"expect": "crash"`, 1, 3, 6)
	add("other", "leaves", `"expect": "crash", "exit": -6`, 1, 3, 6)
	add("slow", "leaves", `"expect": "hang"`, 1, 3, 6)
	wantHalo(t, exitFailure, "8 passed, 3 failed", "check", "--plugins", filepath.Dir(library), dir)
}
