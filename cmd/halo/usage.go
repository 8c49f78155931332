package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// meantFlag is the hint for what the flag package says of a flag that there is not.
func meantFlag(fs *flag.FlagSet, err error) string {
	_, got, unknown := strings.Cut(err.Error(), "not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, "--"+f.Name) })
	return spelling.Meant("--"+strings.TrimLeft(got, "-"), names)
}

// singleDash is where the flag package writes the name of a flag, of more than one letter, with one dash: in the lines
// of its help, and in its errors, whose quoted values stay as they are.
var singleDash = regexp.MustCompile(`(?m)^(  |flag provided but not defined: |flag needs an argument: |` +
	`invalid (?:boolean )?value ".*" for (?:flag )?)-(\w[\w-]+)`)

// dashed writes flags of more than one letter with two dashes.
func dashed(text string) string { return singleDash.ReplaceAllString(text, "$1--$2") }

// wantValue is what the flag package says of a value, with what the flag takes in the place of "parse error".
func wantValue(fs *flag.FlagSet, err error) string {
	text, unreadable := strings.CutSuffix(err.Error(), ": parse error")
	f := fs.Lookup(text[strings.LastIndex(text, " -")+len(" -"):])
	if !unreadable || f == nil {
		return err.Error()
	}
	return fmt.Sprintf("%s, want %s", text, valueWords[fmt.Sprintf("%T", f.Value.(flag.Getter).Get())])
}

// valueWords say what flags take, by the types of their values.
var valueWords = map[string]string{"int": "a whole number", "int64": "a whole number",
	"uint": "a whole number from 0 on", "uint64": "a whole number from 0 on",
	"float64": "a number", "time.Duration": "a time such as 10s", "bool": "true or false"}

type environmentRule struct {
	name, want string
	ok         func(v string) bool
}

// environmentRules say what the variables may hold that the library takes as they are: a misspelt one would be without
// effect, and nobody would know.
var environmentRules = []environmentRule{
	{"HALO_THREADS", fmt.Sprintf("1 to %d threads, or 0 for as many as there are", cpu.MaxThreads), func(v string) bool {
		n, err := strconv.Atoi(v)
		return err == nil && n >= 0 && n <= cpu.MaxThreads
	}},
	{"HALO_ISA", "base, avx2, avx512 or neon", func(v string) bool {
		return slices.Contains([]string{"base", "avx2", "avx512", "neon"}, strings.ToLower(v))
	}},
	{"HALO_LIBS", "a list with commas of names with a minus before each: -all, -openblas, -onednn, -fftw, -mpi, -cuda, " +
		"-nvrtc, -cublas, -cublasLt, -cudnn, -cusolver, -cufft, -nccl", func(v string) bool {
		for _, part := range strings.Split(v, ",") {
			name, minus := strings.CutPrefix(part, "-")
			if part != "" && !(minus && slices.Contains(vendorLibraries, name)) {
				return false
			}
		}
		return true
	}},
	{"HALO_MPI", "openmpi, mpich or the file of a library", func(v string) bool {
		return v == mpi.OpenMPI || v == mpi.MPICH || strings.ContainsRune(v, '/') || strings.Contains(v, ".so")
	}},
	{"HALO_LIBRARY_PATH", "a list of folders that there are, as in PATH", areFolders},
	{"HALO_CUDA_PATH", "a list of folders that there are, as in PATH", areFolders},
	{"HALO_CUDA_AUTOTUNE", "0 or 1", isSwitch},
	{"HALO_CUDA_TF32", "0 or 1", isSwitch},
	{"HALO_CUDA_HOST_CONTROL", "0 or 1", isSwitch},
}

func isSwitch(v string) bool { return v == "0" || v == "1" }

// areFolders reports whether v lists folders, as PATH does.
func areFolders(v string) bool { return !slices.ContainsFunc(filepath.SplitList(v), isNoFolder) }

func isNoFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && (err != nil || !info.IsDir())
}

// vendorLibraries are the names that $HALO_LIBS has for libraries, those that no engine opens yet too.
var vendorLibraries = []string{"all", "openblas", "onednn", "fftw", "cuda", "nvrtc", "cublas", "cublasLt", "cudnn",
	"cufft", "cusolver", "nccl", "mpi"}

func checkEnvironment() error {
	for _, r := range environmentRules {
		if v := os.Getenv(r.name); v != "" && !r.ok(v) {
			return fmt.Errorf("%s: got %q, want %s%s", r.name, v, r.want, missingFolder(r.name, v))
		}
	}
	if err := checkNames(os.Environ()); err != nil {
		return err
	}
	return emu.CheckEnvironment(os.Environ())
}

// missingFolder names what is no folder of a variable that lists some.
func missingFolder(name, v string) string {
	list := filepath.SplitList(v)
	i := slices.IndexFunc(list, isNoFolder)
	if !strings.HasSuffix(name, "_PATH") || i < 0 || len(list) == 1 {
		return ""
	}
	return fmt.Sprintf("; there is no folder %q", list[i])
}

// otherVariables are those of docs/tool.md that have no rule here.
var otherVariables = []string{"HALO_ARCHS", "HALO_BENCH_VENV", "HALO_CONFORMANCE", "HALO_EMU",
	"HALO_KEEP", "HALO_KERNELS", "HALO_LOG", "HALO_MUTATIONS", "HALO_NEED", "HALO_ONEDNN3",
	"HALO_PLUGIN_PATH", "HALO_PROGRAMS", "HALO_PYTHON", "HALO_ROUNDTRIPS", "HALO_RUNS", "HALO_SEED",
	"HALO_SETUP"}

// checkNames refuses variables of CUDA's that there are not, and names that are one typing error away from another's;
// those of the emulator are looked at by itself.
func checkNames(environment []string) error {
	for _, e := range environment {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "HALO_") || strings.HasPrefix(name, "HALO_CUDA_EMU_") || away(name, 0) != "" {
			continue
		}
		if meant := away(name, 1); meant != "" {
			return fmt.Errorf("%s: got a variable that there is not, did you mean %s", name, meant)
		}
		if strings.HasPrefix(name, "HALO_CUDA_") {
			return fmt.Errorf("%s: got a variable that there is not, want one of those of docs/tool.md", name)
		}
	}
	return nil
}

// away returns a variable whose name is so many typing errors from name, "" if there is none.
func away(name string, errors int) string {
	for _, r := range environmentRules {
		if spelling.Typos(name, r.name) == errors {
			return r.name
		}
	}
	i := slices.IndexFunc(otherVariables, func(known string) bool { return spelling.Typos(name, known) == errors })
	if i < 0 {
		return ""
	}
	return otherVariables[i]
}
