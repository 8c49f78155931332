//go:build cgo

package cuda

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/nvrtc"
	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla/exec"
)

// built is what a program's thunks have in common: their kernels, compiled as one unit.
type built struct {
	functions map[string]cuda.Function
	seed      int64 // the slot of the seed, and behind it that of the word that ends loops
	stops     bool  // that is wanted
	waits     bool
}

// Build compiles the kernels of a program's thunks.
func (m *machine) Build(b *exec.Build) error {
	if err := m.device.gone(); err != nil {
		return err
	}
	all := &built{functions: map[string]cuda.Function{}, seed: int64(len(b.Places.Offsets)), waits: b.Options.Profile}
	b.Places.Built = all
	kernels := all.take(b.Thunks)
	if len(kernels) == 0 {
		return nil
	}
	code, err := m.device.compiled(emit.Unit(kernels))
	if err != nil {
		return err
	}
	module, err := m.device.LoadModule(code)
	if err != nil {
		return limit(err, int64(len(code)))
	}
	b.OnClose(func() {
		if err := m.device.CloseModule(module); err != nil {
			slog.Warn("cuda: a program's kernels", "error", err)
		}
	})
	return all.load(m.device, module, kernels)
}

// take gives b to thunks and returns their kernels.
func (b *built) take(thunks []exec.Thunk) (kernels []*emit.Kernel) {
	for _, t := range thunks {
		switch t := t.(type) {
		case *thunk:
			t.built = b
			kernels = append(kernels, kernelsOf(t.emission)...)
		case *exchanging:
			t.built = b
			kernels = append(kernels, kernelsOf(t.plan.folds...)...)
		}
	}
	b.stops = wants(kernels, emit.Stop)
	return kernels
}

// kernelsOf lists the kernels of emissions.
func kernelsOf(emissions ...*emit.Emission) []*emit.Kernel {
	var list []*emit.Kernel
	for _, e := range emissions {
		for _, s := range e.Steps {
			if s.Kernel != nil {
				list = append(list, s.Kernel)
			}
		}
	}
	return list
}

// load finds the kernels in a module.
func (b *built) load(d *device, module cuda.Module, kernels []*emit.Kernel) error {
	for _, k := range kernels {
		if _, ok := b.functions[k.Name]; ok {
			continue
		}
		f, err := d.Function(module, k.Name)
		if err == nil && k.Shared > 48<<10 {
			err = d.SetFunctionAttribute(f, cuda.FunctionMaxDynamic, int(k.Shared))
		}
		if err != nil {
			return err
		}
		b.functions[k.Name] = f
	}
	return nil
}

// decider is the kernels that loops and branches of graphs have, in a module that is loaded when they are first wanted.
type decider struct {
	mu                   sync.Mutex
	module               cuda.Module
	again, count, choose cuda.Function
}

// controlFrom is the first version of NVRTC that knows what these kernels call.
const controlFrom = 12040

func (d *device) deciding() (*decider, error) {
	c := &d.decider
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.module != (cuda.Module{}) {
		return c, nil
	}
	code, err := d.compiled(emit.Control())
	if err != nil {
		return nil, err
	}
	module, err := d.LoadModule(code)
	if err != nil {
		return nil, limit(err, int64(len(code)))
	}
	for name, f := range map[string]*cuda.Function{emit.Again: &c.again, emit.Count: &c.count, emit.Choose: &c.choose} {
		if *f, err = d.Function(module, name); err != nil {
			return nil, errors.Join(err, d.CloseModule(module))
		}
	}
	c.module = module
	return c, nil
}

func (c *decider) close(d *device) error {
	if c.module == (cuda.Module{}) {
		return nil
	}
	return d.CloseModule(c.module)
}

// compiled returns the code of a source for this device, out of the cache if it is there.
func (d *device) compiled(source string) ([]byte, error) {
	file, err := d.cached(source)
	if err != nil {
		slog.Debug("cuda: the cache of kernels", "error", err)
		return d.compile(source)
	}
	if data, err := wholefile.ReadAtMost(file, mostCode); err == nil {
		if code, ok := whole(data); ok {
			return code, nil
		}
	}
	code, err := d.compile(source)
	if err != nil {
		return nil, err
	}
	if int64(len(code)) <= mostCode-sha256.Size {
		err = errors.Join(keep(file, summed(code)), keep(file+".cu", []byte(source)))
	}
	if err != nil {
		slog.Debug("cuda: the cache of kernels", "error", err)
	}
	return code, nil
}

// mostCode is how many bytes a file of kernels has: what is longer is none of ours, and is not read.
const mostCode = 256 << 20

// summed is what is kept of code: that and its sum. Damaged code the driver refuses, or it does not and nobody knows.
func summed(code []byte) []byte {
	sum := sha256.Sum256(code)
	return append(code[:len(code):len(code)], sum[:]...)
}

// whole returns the code of a file, if it is what was kept.
func whole(data []byte) ([]byte, bool) {
	n := len(data) - sha256.Size
	if n <= 0 {
		return nil, false
	}
	return data[:n], sha256.Sum256(data[:n]) == [sha256.Size]byte(data[n:])
}

// compile makes code for the device's architecture; where the compiler does not know it, text for the newest that it
// knows, which the driver compiles.
func (d *device) compile(source string) ([]byte, error) {
	const name = "halo.cu"
	o := nvrtc.Options{Arch: d.info.Arch}
	p, err := d.compiler.Compile(source, name, o)
	if err == nil {
		return p.CUBIN, nil
	}
	var e *nvrtc.Error
	if !errors.As(err, &e) || e.Status != "NVRTC_ERROR_INVALID_OPTION" {
		return nil, fmt.Errorf("the kernels of the program: %w", err)
	}
	archs, failed := d.compiler.Archs()
	if failed != nil || len(archs) == 0 {
		return nil, errors.Join(err, failed)
	}
	o.Arch = fmt.Sprintf("compute_%d", archs[len(archs)-1])
	if p, err = d.compiler.Compile(source, name, o); err != nil {
		return nil, fmt.Errorf("the kernels of the program: %w", err)
	}
	return p.PTX, nil
}

// cached is the file for the code of a source, by all that it depends on.
func (d *device) cached(source string) (string, error) {
	folder, compiler, err := d.cache()
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d %s\n", d.info.Arch, d.info.NVRTC, compiler)
	sum.Write([]byte(source))
	return filepath.Join(folder, fmt.Sprintf("%x", sum.Sum(nil))), err
}

// cache is the folder for compiled kernels, and what tells the compiler from others: the emulated ones are many.
func (d *device) cache() (folder, compiler string, err error) {
	compiler = "nvidia"
	if d.options.Emulated {
		folder, err = emu.Kernels()
		compiler = filepath.Base(folder)
	}
	if d.options.Cache != "" {
		return d.options.Cache, compiler, err
	}
	if !d.options.Emulated {
		folder, err = emu.Cache("cuda-kernels")
	}
	return folder, compiler, err
}

// keep writes a file whole or not at all.
func keep(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
