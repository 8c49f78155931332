package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// finding is one line of doctor.
type finding struct {
	What   string `json:"what"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

func findings() []finding {
	list := []finding{
		{"halo", "ok", versionText()},
		{"go", "ok", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
		{"processors", "ok", fmt.Sprint(runtime.GOMAXPROCS(0))},
		{"backend reference", "ok", "in Go, needs nothing"},
		{"backend cpu", "ok", "in Go, C and the vendor libraries found here"},
		{"instructions", "ok", cpu.Processor()},
	}
	for _, l := range cpu.Libraries() {
		list = append(list, libraryFinding(l))
	}
	list = append(list, mpiFinding())
	list = append(list, cudaFindings()...)
	return append(list, environment()...)
}

// cudaFindings opens the driver and the compiler of CUDA, and says what the emulator would be made with.
func cudaFindings() []finding {
	list := []finding{{"backend cuda", "ok", ""}, {"backend cuda-emu", "ok", ""}}
	if info, err := cuda.Describe(cuda.Options{}); err != nil {
		list[0] = finding{"backend cuda", "missing", err.Error()}
	} else {
		list[0].Detail = fmt.Sprintf("%s, %s, %d MiB; driver for CUDA %s, %s; NVRTC %s, %s; cuBLAS %s; cuBLASLt %s; "+
			"cuSOLVER %s; cuFFT %s; cuDNN %s",
			info.Name, info.Arch, info.Memory>>20, cudaVersion(info.Driver), info.DriverPath, cudaVersion(info.NVRTC),
			info.NVRTCPath, info.BLAS, info.BLASLt, info.Solver, info.FFT, info.DNN)
	}
	if cxx, err := emu.Compiler(); err != nil {
		list[1] = finding{"backend cuda-emu", "missing", err.Error()}
	} else {
		list[1].Detail = "emulated on the host, no GPU; made with " + cxx
	}
	return list
}

// cudaVersion is the text of a version as the driver counts: 12040 is 12.4.
func cudaVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

func mpiFinding() finding {
	file, version, err := mpi.Library()
	if err != nil {
		return finding{"mpi", "missing", err.Error()}
	}
	return finding{"mpi", "ok", file + ", " + version}
}

func libraryFinding(l cpu.Library) finding {
	switch {
	case l.Err != nil:
		return finding{l.Name, "missing", l.Err.Error()}
	case l.Warning != "":
		return finding{l.Name, "slow", l.File + ", " + l.Version + ": " + l.Warning}
	}
	return finding{l.Name, "ok", l.File + ", " + l.Version}
}

// environment lists the variables of ours that are set.
func environment() []finding {
	var list []finding
	for _, name := range []string{"HALO_NEED", "HALO_CONFORMANCE", "HALO_THREADS", "HALO_ISA", "HALO_LIBS", "HALO_MPI",
		"HALO_LIBRARY_PATH", "HALO_CUDA_PATH", "HALO_CUDA_AUTOTUNE", "HALO_CUDA_TF32", "HALO_CUDA_HOST_CONTROL",
		"HALO_PLUGIN_PATH", "HALO_LOG", "HALO_PYTHON"} {
		if v, ok := os.LookupEnv(name); ok {
			list = append(list, finding{name, "set", v})
		}
	}
	return list
}

func doctorCommand(t *tool, args []string) error {
	fl := t.flags("doctor")
	asJSON := fl.Bool("json", false, "one JSON line a finding")
	if rest, err := t.parse(fl, args); err != nil || len(rest) > 0 {
		return usageOr(err, rest)
	}
	for _, f := range findings() {
		if *asJSON {
			t.json(f)
			continue
		}
		fmt.Fprintf(t.stdout, "%-20s %-8s %s\n", f.What, f.State, f.Detail)
	}
	return nil
}

// versionText is the module's version, and the commit it was built from if the build knows it.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value[:min(len(s.Value), 12)]
		}
	}
	return v
}

func versionCommand(t *tool, args []string) error {
	if rest, err := t.parse(t.flags("version"), args); err != nil || len(rest) > 0 {
		return usageOr(err, rest)
	}
	fmt.Fprintln(t.stdout, "halo", versionText())
	return nil
}
