// Package emu has cuda-emu: a driver, a compiler and libraries that stand in for NVIDIA's, made with g++ from the
// sources here when they are wanted first. Kernels run on the host, one block after the other in random order, and what
// is wrong with them shows: memory past the end of a block or freed, divergent barriers, a wait that is missing. It
// proves the backend for CUDA as far as a machine without a GPU can; it is no GPU, and is never called one.
package emu

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/halo-xla/halo/cgo/dl"
)

//go:embed source
var sources embed.FS

// parts are the libraries, and the sources of each.
var parts = []struct {
	library string
	sources []string
	flags   []string
}{
	{"libcuda.so.1", []string{"driver.cc", "memory.cc", "streams.cc", "graphs.cc", "fibres.cc"}, nil},
	{"libnvrtc.so.12", []string{"nvrtc.cc"}, []string{"-ldl"}},
	{"libnccl.so.2", []string{"nccl.cc", "ncclwire.cc", "ncclfold.cc"}, []string{"-ldl"}},
	{"libcublasLt.so.12", []string{"cublaslt.cc"}, []string{"-ldl"}},
	{"libcublas.so.12", []string{"cublas.cc"}, []string{"-ldl"}},
	{"libnvJitLink.so.12", []string{"mark.cc"}, nil},
	{"libcusparse.so.12", []string{"mark.cc"}, nil},
	{"libcusolver.so.11", []string{"cusolver.cc"}, []string{"-ldl"}},
	{"libcufft.so.11", []string{"cufft.cc"}, []string{"-ldl"}},
	{"libcudnn_graph.so.9", []string{"cudnn.cc"}, []string{"-ldl"}},
}

// Build returns the folder with the emulator's libraries, which it makes if they are not there yet. It fails with
// errors.ErrUnsupported if there is no g++ that runs or the machine is not one that the emulator knows.
var Build = sync.OnceValues(build)

func build() (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return "", dl.Missing(fmt.Errorf("cuda-emu: not for %s/%s", runtime.GOOS, runtime.GOARCH))
	}
	cxx, err := Compiler()
	if err != nil {
		return "", err
	}
	folder, err := place(cxx)
	if err != nil || exists(folder) {
		return folder, err
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := compile(cxx, work); err != nil {
		return "", err
	}
	if err := os.Rename(work, folder); err != nil && !exists(folder) { // another process may have been faster
		return "", err
	}
	return folder, nil
}

// Compiler returns the path of the g++ that the emulator is made with. It fails with errors.ErrUnsupported if there is
// none.
func Compiler() (string, error) {
	name := os.Getenv("HALO_CUDA_EMU_CXX")
	if name == "" {
		name = "g++"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", dl.Missing(fmt.Errorf("cuda-emu: it compiles with g++: %w", err))
	}
	return path, nil
}

// place returns the folder for what cxx makes of these sources.
func place(cxx string) (string, error) {
	files, err := fs.ReadDir(sub(), ".")
	if err != nil {
		return "", err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name()
	}
	return folderOf("cuda-emu", cxx, names)
}

// Kernels returns the folder for compiled kernels, which is not there yet. It is named by what makes them, the compiler
// and the sources that each is compiled with, and not by the emulator's libraries. It fails as Build does.
var Kernels = sync.OnceValues(func() (string, error) {
	cxx, err := Compiler()
	if err != nil {
		return "", err
	}
	return folderOf("cuda-emu-kernels", cxx, []string{"emu.h", "nvrtc.cc", "shim.h"})
})

// Products returns the folder for how products are done, which is not there yet, named by what the emulated libraries
// of products are made of. It fails as Build does.
var Products = sync.OnceValues(func() (string, error) {
	cxx, err := Compiler()
	if err != nil {
		return "", err
	}
	return folderOf("cuda-emu-products", cxx, []string{"cublas.cc", "cublaslt.cc", "products.h"})
})

// folderOf returns the folder for what cxx makes of some of the sources.
func folderOf(name, cxx string, files []string) (string, error) {
	sum := sha256.New()
	version, err := exec.Command(cxx, "--version").Output()
	if err != nil {
		return "", dl.Missing(fmt.Errorf("cuda-emu: %s --version: %w", cxx, err))
	}
	sum.Write(version)
	for _, f := range files {
		text, err := sources.ReadFile("source/" + f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", f, len(text))
		sum.Write(text)
	}
	cache, err := Cache("")
	if err != nil {
		return "", fmt.Errorf("cuda-emu: %w", err)
	}
	return filepath.Join(cache, fmt.Sprintf("%s-%.8x", name, sum.Sum(nil))), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// compile writes the sources and the libraries to a folder.
func compile(cxx, folder string) error {
	if err := os.CopyFS(folder, sub()); err != nil {
		return err
	}
	for _, p := range parts {
		args := []string{"-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-o", p.library}
		args = append(append(args, p.sources...), p.flags...)
		cmd := exec.Command(cxx, args...)
		cmd.Dir = folder
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("cuda-emu: %s for %s: %w\n%s", cxx, p.library, err, said)
		}
	}
	return nil
}

// sub returns the sources without the folder's name.
func sub() fs.FS {
	out, err := fs.Sub(sources, "source")
	if err != nil {
		panic("emu: bug: " + err.Error())
	}
	return out
}
