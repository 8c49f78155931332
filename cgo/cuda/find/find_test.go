package find

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A machine without CUDA gets a sentence.
func ExampleSearch_Toolkit() {
	_, err := Emulator("/nonesuch").Toolkit(12040)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	fmt.Println(err)
	// Output:
	// true
	// cuda: there is no NVRTC, the compiler of CUDA: CUDA 13 wants a newer driver than one for 12.4; nvrtc: no libnvrtc.so.12 in /nonesuch
}

func TestSystemFolders(t *testing.T) {
	env := map[string]string{"HALO_CUDA_PATH": "/a:/b", "CUDA_HOME": "/home/cuda", "VIRTUAL_ENV": "/venv"}
	there := map[string][]string{
		"/b/nvidia/*/lib":                                   {"/b/nvidia/cublas/lib"},
		"/usr/local/cuda*/lib64":                            {"/usr/local/cuda-13/lib64"},
		"/venv/lib/python3*/site-packages":                  {"/venv/lib/python3.9/site-packages"},
		"/venv/lib/python3.9/site-packages/nvidia/cu13/lib": {"/pip13"},
	}
	got := systemFolders(func(k string) string { return env[k] }, func(p string) []string { return there[p] })
	want := []string{"/a", "/a/lib64", "/a/lib", "/b", "/b/lib64", "/b/lib", "/b/nvidia/cublas/lib", "",
		"/home/cuda/lib64", "/usr/local/cuda-13/lib64", "/pip13"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestSentence wants each folder and each file named with the reason.
func TestSentence(t *testing.T) {
	empty, bad := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "libcuda.so.1"), []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Search{folders: []string{empty, bad}}
	_, err := s.Driver()
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"cuda: there is no NVIDIA driver: ", "no libcuda.so.1 in " + empty,
		bad + "/libcuda.so.1", "install the NVIDIA driver", "HALO_CUDA_PATH", "docs/cuda.md"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to contain %q", err, want)
		}
	}
}

// TestRefused wants a library that is not wanted to be told as that, and not as one that there is not.
func TestRefused(t *testing.T) {
	for name, open := range map[string]func() error{
		"cuda":  func() error { _, err := System().Driver(); return err },
		"nvrtc": func() error { _, err := System().Toolkit(12040); return err },
	} {
		t.Setenv("HALO_LIBS", "-"+name)
		want := fmt.Sprintf("%s: refused, HALO_LIBS is %q: nothing runs on a GPU without it", name, "-"+name)
		if err := open(); !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestToolkitVersions wants no library of a major version that the driver cannot serve.
func TestToolkitVersions(t *testing.T) {
	for driver, want := range map[int]string{
		11080: "serves CUDA 11.8", 12040: "libnvrtc.so.12", 13000: "libnvrtc.so.13", 0: "libnvrtc.so.13",
	} {
		if _, err := Emulator(t.TempDir()).Toolkit(driver); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("driver %d: got %v, want it to contain %q", driver, err, want)
		}
	}
}
