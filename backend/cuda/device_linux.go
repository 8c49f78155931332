//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/cgo/cufft"
	"github.com/halo-xla/halo/cgo/cusolver"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/cgo/nvrtc"
)

// device is an opened device with its compiler.
type device struct {
	*cuda.Device
	options  Options
	info     Info
	kit      *find.Toolkit
	compiler *nvrtc.Compiler
	blas     *blas
	solver   solver
	fft      transforms
	dnn      convolutions
	choices  choices // how products and convolutions are done
	staging  ring
	// conditional says whether graphs may have loops and branches, decider has the kernels that these want.
	conditional bool
	decider     decider
	warn        sync.Once // of graphs that the driver does not take
	// transfers is the stream of what no execution does.
	transfers cuda.Stream
	uuid      [16]byte
	// gpus are those of the backend, links the ways between them.
	gpus  int
	links *links
}

// open opens the driver, the device and the compiler.
func open(o Options) (*device, error) {
	if o.Plain && !o.Emulated {
		return nil, errors.New("cuda: Options.Plain is for tests on the emulator, and Options.Emulated is not set")
	}
	search, err := searchFor(o)
	if err != nil {
		return nil, err
	}
	lib, err := search.Driver()
	if err != nil {
		return nil, err
	}
	driver, err := cuda.Open(lib)
	if err != nil {
		return nil, missing(err)
	}
	d := newDevice(o)
	d.info.DriverPath = driver.Path()
	if d.info.Driver, err = driver.Version(); err != nil {
		return nil, missing(err)
	}
	if err := d.openCompiler(search); err != nil {
		return nil, err
	}
	if d.info.Device, err = o.ordinal(driver); err != nil {
		return nil, missing(err)
	}
	if d.Device, err = driver.Device(d.info.Device); err != nil {
		return nil, missing(err)
	}
	d.gpus, d.links = 1, newLinks(d.openNCCL)
	if err = d.describe(); err == nil {
		d.conditional, err = d.Conditionals()
		d.conditional = d.conditional && d.info.NVRTC >= controlFrom && !o.HostControl
	}
	if err == nil {
		d.transfers, err = d.NewStream()
	}
	if err != nil {
		return nil, errors.Join(missing(err), d.Device.Close())
	}
	if err := d.openBLAS(); err != nil {
		return nil, errors.Join(missing(err), d.CloseStream(d.transfers), d.Device.Close())
	}
	return d, nil
}

// newDevice is a device to be opened.
func newDevice(o Options) *device {
	d := &device{options: o}
	d.solver.lib = library[cusolver.Library]{name: "cusolver", open: cusolver.Open}
	d.fft.lib = library[cufft.Library]{name: "cufft", open: cufft.Open}
	d.choices = choices{known: map[string]way{}, folder: d.waysFolder}
	d.dnn.lib = library[cudnn.Library]{name: "cudnn", open: func(l *dl.Library) (*cudnn.Library, error) {
		return cudnn.Open(l, d.kit.Major)
	}}
	return d
}

// ordinal is the number of the device that o means, of those that there are.
func (o Options) ordinal(driver *cuda.Driver) (int, error) {
	n, err := driver.Devices()
	switch {
	case err != nil:
		return 0, err
	case o.Rank != 0:
		return (o.Device + o.Rank) % max(n, 1), nil
	case o.Device < 0 || o.Device >= n:
		return 0, fmt.Errorf("Options.Device is %d, want 0 to %d", o.Device, n-1)
	}
	return o.Device, nil
}

// count is how many devices o means.
func (o Options) count(driver *cuda.Driver) (int, error) {
	n, err := driver.Devices()
	switch {
	case err != nil:
		return 0, err
	case o.Devices == AllDevices:
		return n - o.Device, nil
	case o.Rank == 0 && o.Devices > n-o.Device:
		return 0, fmt.Errorf("Options.Devices is %d, from GPU %d on, want at most %d", o.Devices, o.Device,
			n-o.Device)
	}
	return max(o.Devices, 1), nil
}

func searchFor(o Options) (*find.Search, error) {
	if !o.Emulated {
		return find.System(), nil
	}
	if err := emu.CheckEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	folder, err := emu.Build()
	if err != nil {
		return nil, err
	}
	return find.Emulator(folder), nil
}

// missing makes an error of the driver one of a machine that has no GPU to run on.
func missing(err error) error {
	return dl.Missing(fmt.Errorf("no GPU can be used: %w", err))
}

func (d *device) openCompiler(search *find.Search) (err error) {
	if d.kit, err = search.Toolkit(d.info.Driver); err != nil {
		return err
	}
	if d.compiler, err = nvrtc.Open(d.kit.NVRTC()); err != nil {
		return err
	}
	major, minor, err := d.compiler.Version()
	d.info.NVRTC, d.info.NVRTCPath = major*1000+minor*10, d.compiler.Path()
	return err
}

// openNCCL opens what carries between GPUs.
func (d *device) openNCCL() (*nccl.Library, error) {
	return openLibrary(d.kit, "nccl", nccl.Open)
}

func (d *device) describe() error {
	var err error
	if d.info.Name, err = d.Name(); err != nil {
		return err
	}
	if d.uuid, err = d.ID(); err != nil {
		return err
	}
	if d.info.Memory, err = d.TotalMemory(); err != nil {
		return err
	}
	major, err := d.Attribute(cuda.ComputeMajor)
	if err != nil {
		return err
	}
	minor, err := d.Attribute(cuda.ComputeMinor)
	d.info.Arch = fmt.Sprintf("sm_%d%d", major, minor)
	return err
}

// Close gives up the device and what transfers need. No program may be left.
func (d *device) Close() error {
	d.links.close()
	errs := []error{d.blas.close(d), d.solver.close(d), d.dnn.close(d), d.decider.close(d), d.CloseStream(d.transfers)}
	for i := range d.staging.pieces {
		p := &d.staging.pieces[i]
		if p.memory != nil {
			errs = append(errs, d.FreeHost(p.memory), d.CloseEvent(p.free))
		}
	}
	return errors.Join(append(errs, d.Device.Close())...)
}

// gone fails once nothing runs on the device any more.
func (d *device) gone() error {
	if err := d.Lost(); err != nil {
		return fmt.Errorf("the GPU is lost to this process: %w", err)
	}
	return nil
}

// alloc allocates memory, of the pool if there is one.
func (d *device) alloc(bytes int64, s cuda.Stream) (cuda.Ptr, error) {
	if d.Pooled() {
		return d.AllocAsync(bytes, s)
	}
	return d.Alloc(bytes)
}

func (d *device) release(p cuda.Ptr, s cuda.Stream) error {
	if d.Pooled() {
		return d.FreeAsync(p, s)
	}
	return d.Free(p)
}

// ring is pinned memory of the host that transfers go through, piece by piece.
type ring struct {
	mu     sync.Mutex
	pieces [ringPieces]piece
	next   int
}

const (
	ringPieces = 4
	pieceBytes = 1 << 20
)

// piece is a part of the ring, and the event after which it is free.
type piece struct {
	memory unsafe.Pointer
	free   cuda.Event
	used   bool
}

// take returns the next piece when it is free. The ring is locked.
func (d *device) take() (*piece, error) {
	p := &d.staging.pieces[d.staging.next]
	d.staging.next = (d.staging.next + 1) % ringPieces
	if p.used {
		err := d.WaitFor(p.free)
		p.used = err != nil // a copy may still be under way
		return p, err
	}
	if p.memory != nil {
		return p, nil
	}
	event, err := d.NewEvent()
	if err != nil {
		return nil, err
	}
	memory, err := d.AllocHost(pieceBytes)
	if err != nil {
		return nil, errors.Join(err, d.CloseEvent(event))
	}
	p.free, p.memory = event, memory
	return p, nil
}

// in enqueues a copy of data, which may change once in has returned.
func (d *device) in(dst cuda.Ptr, data []byte, s cuda.Stream) error {
	d.staging.mu.Lock()
	defer d.staging.mu.Unlock()
	for len(data) > 0 {
		p, err := d.take()
		if err != nil {
			return err
		}
		n := copy(bytesAt(p.memory, pieceBytes), data)
		if err := d.InAsync(dst, p.memory, int64(n), s); err != nil {
			return err
		}
		if err := d.Record(p.free, s); err != nil {
			return errors.Join(err, d.Synchronize(s))
		}
		p.used = true
		data, dst = data[n:], dst+cuda.Ptr(n)
	}
	return nil
}

// out copies from the device to data and returns when that is done: while one piece comes, the one before is copied.
func (d *device) out(data []byte, src cuda.Ptr, s cuda.Stream) error {
	d.staging.mu.Lock()
	defer d.staging.mu.Unlock()
	var before *piece
	var rest []byte
	for len(data) > 0 || before != nil {
		var p *piece
		var part []byte
		if len(data) > 0 {
			part = data[:min(len(data), pieceBytes)]
			var err error
			if p, err = d.fetch(src, int64(len(part)), s); err != nil {
				return err
			}
			data, src = data[len(part):], src+cuda.Ptr(len(part))
		}
		if before != nil {
			if err := d.WaitFor(before.free); err != nil {
				return err
			}
			before.used = false
			copy(rest, bytesAt(before.memory, pieceBytes))
		}
		before, rest = p, part
	}
	return nil
}

// fetch enqueues a copy from the device to a piece.
func (d *device) fetch(src cuda.Ptr, bytes int64, s cuda.Stream) (*piece, error) {
	p, err := d.take()
	if err != nil {
		return nil, err
	}
	if err := d.OutAsync(p.memory, src, bytes, s); err != nil {
		return nil, err
	}
	p.used = true
	if err := d.Record(p.free, s); err != nil {
		p.used = false
		return nil, errors.Join(err, d.Synchronize(s))
	}
	return p, nil
}
