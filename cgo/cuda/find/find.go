// Package find looks for NVIDIA's libraries: the driver, and those of one major version of CUDA.
//
// Folders are tried in this order: those of $HALO_CUDA_PATH, a list as in $PATH whose folders may hold the libraries
// themselves or be a toolkit or a Python's site-packages; the loader's own; $CUDA_HOME; /usr/local/cuda*; and what pip
// has installed. Nothing is linked: a machine without CUDA gets a sentence that names what was tried.
package find

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/halo-xla/halo/cgo/dl"
)

// Mark is the symbol by which the libraries of the emulator are known: they are never taken for a driver.
const Mark = "halo_cuda_emulator"

// versions are the numbers of the libraries' files for CUDA 12 and 13.
var versions = map[string][2]string{
	"nvrtc": {"12", "13"}, "nvJitLink": {"12", "13"}, "cublas": {"12", "13"}, "cublasLt": {"12", "13"},
	"cufft": {"11", "12"}, "cusolver": {"11", "12"}, "cusparse": {"12", "12"}, "cudnn": {"9", "9"}, "nccl": {"2", "2"},
}

// files are the libraries whose files have another name. That of cuDNN is the part of it that is called: libcudnn.so
// ends the process where its parts are not beside it.
var files = map[string]string{"cudnn": "cudnn_graph"}

// Search is where libraries are looked for.
type Search struct {
	driver  []string // folders for the driver alone
	folders []string // in which all are looked for; "" is the loader's own
	emu     bool
}

// System returns the search of this machine.
func System() *Search {
	return &Search{
		driver:  []string{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"},
		folders: systemFolders(os.Getenv, glob),
	}
}

// Emulator returns the search for the libraries of the emulator, which lie in folder.
func Emulator(folder string) *Search { return &Search{folders: []string{folder}, emu: true} }

func glob(pattern string) []string {
	list, _ := filepath.Glob(pattern) // fails only for malformed patterns
	return list
}

func systemFolders(env func(string) string, glob func(string) []string) []string {
	var list []string
	for _, f := range filepath.SplitList(env("HALO_CUDA_PATH")) {
		list = append(append(list, f, f+"/lib64", f+"/lib"), packages(f, glob)...)
	}
	list = append(list, "")
	if home := env("CUDA_HOME"); home != "" {
		list = append(list, home+"/lib64")
	}
	list = append(list, glob("/usr/local/cuda*/lib64")...)
	for _, pattern := range []string{
		env("VIRTUAL_ENV") + "/lib/python3*/site-packages", env("CONDA_PREFIX") + "/lib/python3*/site-packages",
		env("HOME") + "/.local/lib/python3*/site-packages", "/usr/local/lib/python3*/*-packages",
		"/usr/lib/python3*/*-packages",
	} {
		for _, f := range glob(pattern) {
			list = append(list, packages(f, glob)...)
		}
	}
	return list
}

// packages returns the folders with libraries in one of Python's folders of packages.
func packages(site string, glob func(string) []string) []string {
	return append(glob(site+"/nvidia/cu13/lib"), glob(site+"/nvidia/*/lib")...)
}

// Driver opens the driver. It fails with errors.ErrUnsupported, what was tried, and what to do.
func (s *Search) Driver() (*dl.Library, error) {
	lib, err := s.open("cuda", "libcuda.so.1", append(append([]string(nil), s.folders...), s.driver...))
	if err != nil {
		err = s.help("NVIDIA driver", "the NVIDIA driver, for CUDA 12 or newer", err)
	}
	return lib, err
}

// help is what a person is told who lacks a library of NVIDIA's, or has refused it.
func (s *Search) help(lacks, install string, why error) error {
	if errors.Is(why, dl.ErrRefused) {
		return dl.Missing(fmt.Errorf("%w: nothing runs on a GPU without it", why))
	}
	if s.emu {
		return dl.Missing(fmt.Errorf("cuda: there is no %s: %w", lacks, why))
	}
	return dl.Missing(fmt.Errorf("cuda: there is no %s: %w; install %s, or name the folder that has it in "+
		"HALO_CUDA_PATH: docs/cuda.md says more", lacks, why, install))
}

// Toolkit is one major version of CUDA, of which all libraries are taken.
type Toolkit struct {
	// Major is 12 or 13.
	Major  int
	search *Search
	nvrtc  *dl.Library
	beside map[string]string // library: the folder it must come from
}

// Toolkit chooses the major version: the newest that the driver can serve whose compiler opens. The driver's version is
// as it tells it, 12040 for 12.4; 0 stands for no driver and any version. It fails with errors.ErrUnsupported and what
// was tried.
func (s *Search) Toolkit(driver int) (*Toolkit, error) {
	if driver != 0 && driver < 12000 {
		return nil, dl.Missing(fmt.Errorf("cuda: the driver is too old: it serves CUDA %s, want one for CUDA 12 or newer",
			release(driver)))
	}
	var errs []error
	for _, major := range []int{13, 12} {
		if driver != 0 && driver < major*1000 {
			errs = append(errs, fmt.Errorf("CUDA %d wants a newer driver than one for %s", major, release(driver)))
			continue
		}
		t := &Toolkit{Major: major, search: s, beside: map[string]string{}}
		var err error
		if t.nvrtc, err = t.Open("nvrtc"); err == nil {
			return t, nil
		}
		if errors.Is(err, dl.ErrRefused) { // so is that of any version
			errs = []error{err}
			break
		}
		errs = append(errs, err)
	}
	return nil, s.help("NVRTC, the compiler of CUDA", "NVRTC (pip install nvidia-cuda-nvrtc-cu12)",
		&joined{errs})
}

// release is the version of CUDA that a number says: 12040 is 12.4.
func release(n int) string { return fmt.Sprintf("%d.%d", n/1000, n%1000/10) }

// joined are errors on one line.
type joined struct{ errs []error }

func (j *joined) Unwrap() []error { return j.errs }

func (j *joined) Error() string {
	said := make([]string, len(j.errs))
	for i, err := range j.errs {
		said[i] = err.Error()
	}
	return strings.Join(said, "; ")
}

// NVRTC returns the compiler's library, by which the version was chosen.
func (t *Toolkit) NVRTC() *dl.Library { return t.nvrtc }

// before are the libraries that must be open before another; those of pip find each other in no other way.
var before = map[string][]string{
	"cublas":   {"cublasLt"},
	"cusolver": {"nvJitLink", "cublasLt", "cublas", "cusparse"},
	"cudnn":    {"nvrtc", "cublasLt", "cublas"},
}

// Open opens a library by its short name: "cublasLt", "cudnn". What it needs is opened before it, cublas out of the
// folder of cublasLt. It fails with errors.ErrUnsupported and what was tried.
func (t *Toolkit) Open(name string) (*dl.Library, error) {
	for _, other := range before[name] {
		lib, err := t.Open(other)
		if err != nil {
			return nil, fmt.Errorf("%s: needs %w", name, err)
		}
		if other == "cublasLt" {
			t.beside["cublas"] = filepath.Dir(lib.Path())
		}
	}
	folders := t.search.folders
	if folder := t.beside[name]; folder != "" {
		folders = []string{folder}
	}
	file := name
	if files[name] != "" {
		file = files[name]
	}
	lib, err := t.search.open(name, "lib"+file+".so."+versions[name][t.Major-12], folders)
	if err != nil && !errors.Is(err, dl.ErrRefused) { // which has the name in it
		err = fmt.Errorf("%s: %w", name, err)
	}
	return lib, err
}

// open opens file from the first folder whose file is a library, and not one of the other kind: emulated or real.
func (s *Search) open(name, file string, folders []string) (*dl.Library, error) {
	var refused, without []string
	for _, folder := range folders {
		path := filepath.Join(folder, file)
		if folder != "" && !exists(path) {
			without = append(without, folder)
			continue
		}
		lib, err := dl.Open(name, path)
		if err == nil {
			err = s.kind(lib)
		}
		if err == nil {
			return lib, nil
		}
		if errors.Is(err, dl.ErrRefused) {
			return nil, err
		}
		refused = append(refused, reason(err))
	}
	if len(without) > 0 {
		refused = append(refused, fmt.Sprintf("no %s in %s", file, strings.Join(without, ", ")))
	}
	return nil, dl.Missing(errors.New(strings.Join(refused, "; ")))
}

// reason is what an error of dl says of one file.
func reason(err error) string {
	_, said, found := strings.Cut(err.Error(), "cannot be opened: ")
	if !found {
		return err.Error()
	}
	return said
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// kind fails if lib is the emulator's and a real one is wanted, or the other way.
func (s *Search) kind(lib *dl.Library) error {
	_, err := lib.Symbol(Mark)
	switch emulated := err == nil; {
	case emulated && !s.emu:
		return fmt.Errorf("%s: is the emulator's, no driver of a GPU", lib.Path())
	case !emulated && s.emu:
		return fmt.Errorf("%s: is not the emulator's", lib.Path())
	}
	return nil
}
