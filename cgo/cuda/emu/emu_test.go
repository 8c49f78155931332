//go:build cgo && linux

package emu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nvrtc"
	"github.com/halo-xla/halo/internal/testfile"
)

// The emulator is built where there is a g++, and is never taken for a driver.
func Example() {
	folder, err := emu.Build()
	if err != nil {
		fmt.Println(errors.Is(err, errors.ErrUnsupported))
		return
	}
	os.Setenv("HALO_CUDA_PATH", folder)
	_, err = find.System().Driver()
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output: true
}

// machine is the emulator with a stream and kernels.
type machine struct {
	*cuda.Device
	t       *testing.T
	stream  cuda.Stream
	kernels map[string]cuda.Function
}

// open starts the emulator with variables of the environment and the kernels of source.
func open(t *testing.T, source string, env ...string) *machine {
	t.Helper()
	folder, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	for i := 0; i < len(env); i += 2 {
		t.Setenv(env[i], env[i+1])
	}
	lib, err := find.Emulator(folder).Driver()
	testfile.Library(t, "cuda-emu", err)
	driver, err := cuda.Open(lib)
	check(t, err)
	m := &machine{t: t, kernels: map[string]cuda.Function{}}
	m.Device, err = driver.Device(0)
	check(t, err)
	t.Cleanup(func() { m.Close() })
	m.stream, err = m.NewStream()
	check(t, err)
	m.load(source)
	return m
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) load(source string) {
	m.t.Helper()
	folder, _ := emu.Build()
	kit, err := find.Emulator(folder).Toolkit(12040)
	check(m.t, err)
	c, err := nvrtc.Open(kit.NVRTC())
	check(m.t, err)
	p, err := c.Compile(source, "test.cu", nvrtc.Options{Arch: "sm_90"})
	check(m.t, err)
	module, err := m.LoadModule(p.CUBIN)
	check(m.t, err)
	m.kernels["k"], err = m.Function(module, "k")
	check(m.t, err)
}

// launch runs kernel k on blocks of threads, and returns what went wrong when it has run.
func (m *machine) launch(blocks, threads uint32, params ...cuda.Value) error {
	var a cuda.Array
	a.Launch(cuda.Launch{Function: m.kernels["k"], Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Params: params})
	if err := m.Submit(&a, m.stream, nil); err != nil {
		return err
	}
	return m.Synchronize(m.stream)
}

func (m *machine) floats(n int64) cuda.Value {
	m.t.Helper()
	p, err := m.Alloc(4 * n)
	check(m.t, err)
	return cuda.Word(int64(p))
}

func (m *machine) read(at cuda.Value, n int) []float32 {
	m.t.Helper()
	data := make([]byte, 4*n)
	check(m.t, m.Out(data, cuda.Ptr(at.Offset)))
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

const sums = `
#define KERNEL extern "C" __global__ void
template <class T> static __device__ __forceinline__ T twice(T v) { return v + v; }
KERNEL __launch_bounds__(96) k(float *out, long long n) {
  __shared__ float part[96];
  const long long i = blockIdx.x * 96ll + threadIdx.x;
  part[threadIdx.x] = i < n ? twice((float)threadIdx.x) : 0.0f;
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 96; j++) sum += part[j];
  for (int d = 16; d > 0; d /= 2) sum = fmaxf(sum, __shfl_xor_sync(0xffffffffu, sum, d));
  __syncthreads();
  part[threadIdx.x] = __shfl_up_sync(0xffffffffu, (float)(threadIdx.x & 31), 1);
  const unsigned low = __ballot_sync(0xffffffffu, threadIdx.x % 32 < 5);
  if (i < n) atomicAdd(out + blockIdx.x, sum / 96 + part[threadIdx.x] * 0 + (low == 31 ? 1 : 0));
}`

// Barriers, shuffles and atomics do what they should, in whatever order threads run.
func TestKernel(t *testing.T) {
	for _, seed := range []string{"1", "2", "3"} {
		m := open(t, sums, "HALO_CUDA_EMU_SEED", seed)
		out := m.floats(3)
		check(t, m.FillAsync(cuda.Ptr(out.Offset), 0, 3, m.stream))
		check(t, m.launch(3, 96, out, cuda.Word(3*96)))
		for i, got := range m.read(out, 3) {
			if want := float32(96*95 + 96); got != want {
				t.Errorf("seed %s, block %d: got %v, want %v", seed, i, got, want)
			}
		}
	}
}

// TestFaults wants each fault of a kernel found and told.
func TestFaults(t *testing.T) {
	const head = `extern "C" __global__ void k(float *x, float *y) { `
	for _, test := range []struct{ name, source, want string }{
		{"past the end", head + "x[32] = 1; }", "memory after a block of 128 bytes was overwritten"},
		{"before the beginning", head + "x[-1] = 1; }", "memory before a block of 128 bytes was overwritten"},
		{"divergent barrier", head + "if (threadIdx.x < 7) __syncthreads(); }", "divergent barrier"},
		{"two barriers", head + "if (threadIdx.x < 7)\n __syncthreads();\n else\n __syncthreads(); }", "waits elsewhere"},
		{"lanes that left", head + "if (threadIdx.x > 7) __shfl_xor_sync(~0u, 1, 1); }", "not all of which come"},
		{"freed", head + "*x = *y; }", "parameter 1 is memory that was freed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, test.source)
			x, y := m.floats(32), m.floats(32)
			if test.name == "freed" {
				check(t, m.Free(cuda.Ptr(y.Offset)))
			}
			err := m.launch(1, 32, x, y)
			var e *cuda.Error
			if !errors.As(err, &e) || !e.Lost() || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to contain %q", err, test.want)
			}
			if m.Synchronize(m.stream) == nil {
				t.Error("the device is as good as new")
			}
		})
	}
}

// TestPoison wants fresh memory, shared or not, to hold NaN.
func TestPoison(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) { __shared__ float s[2]; x[threadIdx.x] = s[threadIdx.x]; }`)
	x := m.floats(3)
	check(t, m.launch(1, 2, x))
	for i, v := range m.read(x, 3) {
		if v == v {
			t.Errorf("element %d is %v, want NaN", i, v)
		}
	}
}

// TestWait wants results to be seen only after a wait for the stream.
func TestWait(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) { *x = 7; }`)
	x := m.floats(1)
	var a cuda.Array
	a.Launch(cuda.Launch{Function: m.kernels["k"], Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1},
		Params: []cuda.Value{x}})
	check(t, m.Submit(&a, m.stream, nil))
	if got := m.read(x, 1)[0]; got == 7 {
		t.Error("a copy that waits for nobody has the result")
	}
	check(t, m.Synchronize(m.stream))
	if got := m.read(x, 1)[0]; got != 7 {
		t.Errorf("after the wait: got %v", got)
	}
}

// TestGraph wants a captured launch to run as often as its graph, with the parameters of an update.
func TestGraph(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) { *x += 1; }`)
	x, y := m.floats(1), m.floats(1)
	check(t, m.FillAsync(cuda.Ptr(x.Offset), 0, 1, m.stream))
	check(t, m.FillAsync(cuda.Ptr(y.Offset), 0, 1, m.stream))
	graph := func(base cuda.Value) cuda.Graph {
		var a cuda.Array
		a.Launch(cuda.Launch{Function: m.kernels["k"], Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1},
			Params: []cuda.Value{{Slot: 0}}})
		check(t, m.Capture(m.stream))
		check(t, m.Submit(&a, m.stream, []cuda.Ptr{cuda.Ptr(base.Offset)}))
		g, err := m.Captured(m.stream)
		check(t, err)
		return g
	}
	exec, err := m.Instantiate(graph(x))
	check(t, err)
	check(t, m.Run(exec, m.stream))
	check(t, m.Run(exec, m.stream))
	check(t, m.Update(exec, graph(y)))
	check(t, m.Run(exec, m.stream))
	check(t, m.Synchronize(m.stream))
	if a, b := m.read(x, 1)[0], m.read(y, 1)[0]; a != 2 || b != 1 {
		t.Errorf("got %v and %v, want 2 and 1", a, b)
	}
}

// TestInjected wants the call with a number to fail, once.
func TestInjected(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) {}`)
	calls, err := m.Attribute(emu.Calls)
	check(t, err)
	m.Close()
	failed := 0
	for n := 1; n <= calls; n++ {
		t.Setenv("HALO_CUDA_EMU_FAIL", fmt.Sprint(n))
		folder, _ := emu.Build()
		lib, err := find.Emulator(folder).Driver()
		check(t, err)
		if d, err := cuda.Open(lib); err != nil {
			failed++
		} else if v, err := d.Device(0); err != nil {
			failed++
		} else {
			if _, err = v.NewStream(); err != nil {
				failed++
			}
			if v.Close() != nil {
				failed++
				t.Setenv("HALO_CUDA_EMU_FAIL", "")
				check(t, v.Close())
			}
		}
	}
	if failed == 0 || failed >= calls {
		t.Errorf("%d of %d faults came", failed, calls)
	}
}

// TestMemory wants memory to end where it is said to.
func TestMemory(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) {}`, "HALO_CUDA_EMU_MEMORY", "1000000")
	p, err := m.Alloc(900000)
	check(t, err)
	if _, err := m.Alloc(200000); !errors.Is(err, cuda.ErrOutOfMemory) {
		t.Errorf("got %v", err)
	}
	check(t, m.Free(p))
	if err := m.Free(p); err == nil || !strings.Contains(err.Error(), "freed twice") {
		t.Errorf("got %v", err)
	}
	if err := m.In(p, make([]byte, 4)); err == nil || !strings.Contains(err.Error(), "freed") {
		t.Errorf("got %v", err)
	}
}

// again is a loop's kernel: it counts in x, and goes on while that is less than n.
const again = `extern "C" __global__ void k(float *x, unsigned long long c, unsigned long long n) {
  *x += 1;
  cudaGraphSetConditional(c, *x < n);
}`

// captured captures a launch of k into a graph, behind some nodes.
func (m *machine) captured(g cuda.Graph, after []cuda.Node, params ...cuda.Value) []cuda.Node {
	m.t.Helper()
	var a cuda.Array
	a.Launch(cuda.Launch{Function: m.kernels["k"], Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params})
	check(m.t, m.CaptureInto(m.stream, g, after...))
	check(m.t, m.Submit(&a, m.stream, nil))
	last, err := m.Last(m.stream)
	check(m.t, err)
	_, err = m.Captured(m.stream)
	check(m.t, err)
	return last
}

// TestConditional wants a loop, and one in it, to run as often as kernels say, in a graph that outlives what it is made of.
func TestConditional(t *testing.T) {
	m := open(t, again)
	if ok, err := m.Conditionals(); !ok || err != nil {
		t.Fatalf("the driver has no conditional nodes, %v", err)
	}
	x, y := m.floats(1), m.floats(1)
	g, err := m.NewGraph()
	check(t, err)
	outer, err := m.NewCondition(g)
	check(t, err)
	first := m.captured(g, nil, x, cuda.Word(int64(outer)), cuda.Word(4))
	_, body, err := m.Conditional(g, outer, true, first...)
	check(t, err)
	inner, err := m.NewCondition(body)
	check(t, err)
	first = m.captured(body, nil, y, cuda.Word(int64(inner)), cuda.Word(10))
	loop, most, err := m.Conditional(body, inner, true, first...)
	check(t, err)
	m.captured(most, nil, y, cuda.Word(int64(inner)), cuda.Word(10))
	m.captured(body, []cuda.Node{loop}, x, cuda.Word(int64(outer)), cuda.Word(4))
	exec, err := m.Instantiate(g)
	check(t, err)
	if _, err := m.Instantiate(g); err == nil || !strings.Contains(err.Error(), "instantiated already") {
		t.Errorf("a second instance: got %v", err)
	}
	if m.CloseGraph(body) == nil {
		t.Error("the body of a node can be freed")
	}
	check(t, m.CloseGraph(g))
	if err := m.Update(exec, g); err == nil {
		t.Error("an update by a graph that is gone")
	}
	for range 2 {
		check(t, m.FillAsync(cuda.Ptr(x.Offset), 0, 1, m.stream))
		check(t, m.FillAsync(cuda.Ptr(y.Offset), 0, 1, m.stream))
		check(t, m.Run(exec, m.stream))
		check(t, m.Synchronize(m.stream))
		// The inner loop ends at 10, and once more each time that it is begun.
		if a, b := m.read(x, 1)[0], m.read(y, 1)[0]; a != 4 || b != 12 {
			t.Errorf("got %v and %v, want 4 and 12", a, b)
		}
	}
	check(t, m.CloseExec(exec))
}

// TestConditionalFaults wants what is wrong with conditions found and told.
func TestConditionalFaults(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error
		want string
	}{
		"not set": {func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error {
			_, _, err := m.Conditional(g, c, true)
			return err
		}, "before its condition is set"},
		"not behind": {func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error { // whichever comes first
			m.captured(g, nil, x, cuda.Word(int64(c)), cuda.Word(4))
			_, body, err := m.Conditional(g, c, true)
			m.captured(body, nil, x, cuda.Word(int64(c)), cuda.Word(4))
			return err
		}, "before its condition is set"},
		"unused": {func(*machine, cuda.Graph, cuda.Condition, cuda.Value) error { return nil }, "has no node"},
		"used twice": {func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error {
			n, _, err := m.Conditional(g, c, true, m.captured(g, nil, x, cuda.Word(int64(c)), cuda.Word(4))...)
			check(m.t, err)
			_, _, err = m.Conditional(g, c, false, n)
			return err
		}, "for another node of it"},
		"of another graph": {func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error {
			_, _, err := m.Conditional(g, c, true, m.captured(g, nil, x, cuda.Word(int64(c)+1000), cuda.Word(4))...)
			return err
		}, "is not of the graph that runs"},
		"a host's copy": {func(m *machine, g cuda.Graph, c cuda.Condition, x cuda.Value) error {
			_, body, err := m.Conditional(g, c, true, m.captured(g, nil, x, cuda.Word(int64(c)), cuda.Word(4))...)
			check(m.t, err)
			p, err := m.AllocHost(4)
			check(m.t, err)
			check(m.t, m.CaptureInto(m.stream, body))
			return m.OutAsync(p, cuda.Ptr(x.Offset), 4, m.stream)
		}, "copies on the device alone"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			for seed := 1; seed < 20 && err == nil; seed++ {
				m := open(t, again, "HALO_CUDA_EMU_SEED", fmt.Sprint(seed))
				x := m.floats(1)
				check(t, m.FillAsync(cuda.Ptr(x.Offset), 0, 1, m.stream))
				g, failed := m.NewGraph()
				check(t, failed)
				c, failed := m.NewCondition(g)
				check(t, failed)
				err = test.run(m, g, c, x)
				if err != nil {
					break
				}
				exec, failed := m.Instantiate(g)
				if err = failed; err != nil {
					break
				}
				check(t, m.Run(exec, m.stream))
				err = m.Synchronize(m.stream)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to contain %q", err, test.want)
			}
		})
	}
}

// TestMapped wants kernels to find the host's memory that was allocated for them, and no other.
func TestMapped(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x, const volatile unsigned *word) { *x = *word; }`)
	p, at, err := m.AllocMapped(4)
	check(t, err)
	*(*uint32)(p) = 7
	x := m.floats(1)
	check(t, m.launch(1, 1, x, cuda.Word(int64(at))))
	if got := m.read(x, 1)[0]; got != 7 {
		t.Errorf("got %v, want 7", got)
	}
	check(t, m.FreeHost(p))
}

// TestOldDriver wants a driver of before CUDA 12.3 to have no conditional nodes.
func TestOldDriver(t *testing.T) {
	m := open(t, `extern "C" __global__ void k(float *x) {}`, "HALO_CUDA_EMU_VERSION", "12020")
	if ok, err := m.Conditionals(); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	g, err := m.NewGraph()
	check(t, err)
	if _, err := m.NewCondition(g); err == nil {
		t.Error("there are conditions")
	}
}
