package isolate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/shape"
)

func TestMain(m *testing.M) {
	Serve(open)
	os.Exit(m.Run())
}

// open stands for a library: its functions are in Go.
func open(spec []byte) (Instantiator, error) {
	switch string(spec) {
	case "cannot":
		return nil, errors.New("there is no such library")
	case "dies":
		fmt.Fprintln(os.Stderr, "assertion failed: never")
		os.Exit(3)
	case "hangs":
		select {}
	}
	return func(_ context.Context, s *ffi.Site) (Server, error) {
		if f := functions[s.Target]; f != nil {
			return &goServer{f: f}, nil
		}
		return nil, ffi.Errorf(ffi.NotFound, "nobody serves %s with %v", s.Target, s.Attrs)
	}, nil
}

type goServer struct {
	f     func(s *goServer, c *ffi.Call) error
	calls byte
}

func (s *goServer) Call(_ context.Context, c *ffi.Call) error { s.calls++; return s.f(s, c) }
func (s *goServer) Close()                                    {}

var functions = map[string]func(*goServer, *ffi.Call) error{
	"add": func(_ *goServer, c *ffi.Call) error {
		for i := range c.Results[0].Data {
			c.Results[0].Data[i] = c.Operands[0].Data[i] + c.Operands[1].Data[i]
		}
		return nil
	},
	"count":   func(s *goServer, c *ffi.Call) error { c.Results[0].Data[0] = s.calls; return nil },
	"process": func(_ *goServer, c *ffi.Call) error { put(c, os.Getpid()); return nil },
	"meet": func(_ *goServer, c *ffi.Call) error { // ends when two processes have come to the folder
		folder := string(c.Operands[0].Data)
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(os.Getpid())), nil, 0o666); err != nil {
			return err
		}
		for {
			if here, err := os.ReadDir(folder); err != nil || len(here) > 1 {
				put(c, os.Getpid())
				return err
			}
			time.Sleep(time.Millisecond)
		}
	},
	"fail": func(*goServer, *ffi.Call) error {
		return ffi.Errorf(ffi.DataLoss, "%s", strings.Repeat("lost %s ", 4000))
	},
	"plain": func(*goServer, *ffi.Call) error { return fmt.Errorf("not here: %w", errors.ErrUnsupported) },
	"abort": func(*goServer, *ffi.Call) error { syscall.Kill(os.Getpid(), syscall.SIGABRT); select {} },
	"exit":  func(*goServer, *ffi.Call) error { fmt.Println("good bye"); os.Exit(7); return nil },
	"hang":  func(*goServer, *ffi.Call) error { fmt.Println("here"); select {} },
	"spawn": func(*goServer, *ffi.Call) error { // a process that outlives its parent
		exec.Command("sleep", "100").Start()
		os.Exit(1)
		return nil
	},
	"shrink": func(*goServer, *ffi.Call) error { return syscall.Ftruncate(memoryFile(), 4096) },
	"extend": func(*goServer, *ffi.Call) error { return syscall.Ftruncate(memoryFile(), 1<<30) },
	"unmap":  func(*goServer, *ffi.Call) error { return syscall.Close(memoryFile()) },
	"garbage": func(*goServer, *ffi.Call) error {
		syscall.Write(socket, []byte(strings.Repeat("\x07garbage", 9999)))
		select {}
	},
	"endless": func(*goServer, *ffi.Call) error { // a message of a billion bytes
		syscall.SetNonblock(socket, false)
		for b := append([]byte("\xfc\x3b\x9a\xca\x00"), make([]byte, 1<<16)...); ; {
			if _, err := syscall.Write(socket, b); err != nil {
				select {}
			}
		}
	},
	"inherit": func(*goServer, *ffi.Call) error { // a process that has the socket, as after a fork
		c := exec.Command("sleep", "100")
		c.ExtraFiles = []*os.File{os.NewFile(socket, "socket")}
		c.Start()
		os.Exit(3)
		return nil
	},
	"flood": func(*goServer, *ffi.Call) error {
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("many words ", 1000))
		}
		return nil
	},
	"floodexit": func(*goServer, *ffi.Call) error {
		fmt.Fprintln(os.Stderr, strings.Repeat("many words ", 100000)+"at last")
		os.Exit(8)
		return nil
	},
	"close": func(*goServer, *ffi.Call) error { syscall.Close(socket); select {} },
	"roam": func(*goServer, *ffi.Call) error { // leaves the group of its process, and stops
		group, err := syscall.Getpgid(os.Getppid())
		if err = errors.Join(err, syscall.Setpgid(0, group)); err != nil {
			return err
		}
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		select {}
	},
	"fault":     func(*goServer, *ffi.Call) error { poke(nil, 16); return nil },
	"over":      func(_ *goServer, c *ffi.Call) error { poke(c.Results[0].Data, len(c.Results[0].Data)); return nil },
	"far":       func(_ *goServer, c *ffi.Call) error { poke(c.Results[0].Data, 64); return nil },
	"under":     func(_ *goServer, c *ffi.Call) error { poke(c.Results[0].Data, -1); return nil },
	"overread":  func(_ *goServer, c *ffi.Call) error { peek(c.Operands[0].Data, 64); return nil },
	"underread": func(_ *goServer, c *ffi.Call) error { peek(c.Operands[0].Data, -4); return nil },
	"operand":   func(_ *goServer, c *ffi.Call) error { poke(c.Operands[1].Data, 2); return nil },
	"nothing":   func(*goServer, *ffi.Call) error { return nil },
	"increment": func(_ *goServer, c *ffi.Call) error { c.Results[0].Data[0]++; return nil },
}

func put(c *ffi.Call, v int) { binary.NativeEndian.PutUint32(c.Results[0].Data, uint32(v)) }

// memoryFile finds the file of the shared memory, as a hostile function would.
func memoryFile() int {
	for fd := range 100 {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); strings.HasPrefix(name, "/memfd:halo") {
			return fd
		}
	}
	return -1
}

// poke writes outside of an array, as C does.
//
//go:nocheckptr
func poke(b []byte, at int) { *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), at)) = 1 }

var sink byte

//go:nocheckptr
func peek(b []byte, at int) { sink = *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), at)) }

func call(target string, operands ...string) (*ffi.Site, *ffi.Call) {
	s := &ffi.Site{Target: target, Version: ffi.TypedFFI, Attrs: ffi.Attrs{{Name: "a", Value: "text"}, {Name: "b", Value: ffi.Attrs{
		{Name: "c", Value: ffi.Array{Type: shape.S32, Data: []byte{1, 0, 0, 0}}}}}, {Name: "d", Value: ffi.Scalar{Type: shape.U8, Data: []byte{9}}}}}
	c := &ffi.Call{Site: s, RunID: 5}
	for _, o := range operands {
		v := ffi.Value{Type: shape.U8, Dims: []int64{int64(len(o))}}
		s.Operands, c.Operands = append(s.Operands, v), append(c.Operands, ffi.Buffer{Value: v, Data: []byte(o)})
	}
	v := ffi.Value{Type: shape.U8, Dims: []int64{4}}
	s.Results, c.Results = []ffi.Value{v}, []ffi.Buffer{{Value: v, Data: make([]byte, 4)}}
	return s, c
}

func newPool(t *testing.T, spec string, o Options) *Pool {
	t.Helper()
	if o.Output == nil {
		o.Output = io.Discard
	}
	p, err := Open("lib.so", []byte(spec), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func instantiate(t *testing.T, p *Pool, s *ffi.Site, state bool) *Instance {
	t.Helper()
	i, err := p.Instantiate(context.Background(), s, state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i
}

func TestCall(t *testing.T) {
	p := newPool(t, "", Options{Processes: 1})
	s, c := call("add", "\x01\x02\x03\x04", "\x10\x20\x30\x40")
	i := instantiate(t, p, s, false)
	for range 3 {
		clear(c.Results[0].Data)
		if err := i.Call(context.Background(), c); err != nil || string(c.Results[0].Data) != "\x11\x22\x33\x44" {
			t.Fatalf("got %q, %v", c.Results[0].Data, err)
		}
	}
	large := strings.Repeat("\x07", 3<<20) // more than was shared before
	s, c = call("add", large, large)
	c.Results[0].Data = make([]byte, len(large))
	s.Results[0].Dims[0] = int64(len(large))
	if err := instantiate(t, p, s, false).Call(context.Background(), c); err != nil || c.Results[0].Data[len(large)-1] != 14 {
		t.Fatalf("large: %v", err)
	}
}

// A function that ends its process is an error of its call; the next one works.
func TestDeaths(t *testing.T) {
	p := newPool(t, "", Options{Processes: 1})
	impatient := newPool(t, "", Options{Processes: 1})
	good, c := call("add", "\x01\x01\x01\x01", "\x02\x02\x02\x02")
	works := instantiate(t, p, good, false)
	deaths := map[string]string{
		"fail": "DATA_LOSS: lost %s lost", "plain": "not here: unsupported operation",
		"abort": `lib.so: the process that served "abort" died of SIGABRT`,
		"exit":  `the process that served "exit" ended with exit status 7; it had said: good bye`,
		"hang":  `the process that served "hang" did not answer within 100ms and was ended`,
		"spawn": "ended with exit status 1", "close": `the process that served "close"`,
		"roam":   `the process that served "roam" did not answer within 100ms and was ended`,
		"shrink": "operation not permitted", "extend": "", "unmap": "", "flood": "",
		"garbage":   `served "garbage" sent no answer that can be read and was ended: `,
		"endless":   `served "endless" sent no answer that can be read and was ended: `,
		"inherit":   `the process that served "inherit" ended with exit status 3`,
		"floodexit": `ended with exit status 8; it had said: `,
	}
	for _, target := range slices.Sorted(maps.Keys(deaths)) { // "unmap", which the others do not survive, is the last
		want := deaths[target]
		if target == "abort" && !crash.Available {
			want = "ended with exit status 2" // Go's own words about the signal
		}
		s, bad := call(target)
		pool := p
		if target == "hang" || target == "roam" {
			pool = impatient
		}
		i := instantiate(t, pool, s, false)
		if pool == impatient { // only its call may take no longer
			impatient.slots[0].process.options.Timeout = 100 * time.Millisecond
		}
		err := i.Call(context.Background(), bad)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %.300v, want %q", target, err, want)
		}
		if target == "floodexit" && (len(err.Error()) > 2*tailBytes || !strings.HasSuffix(err.Error(), "at last")) {
			t.Errorf("%s: got %d bytes, want the end of what it said", target, len(err.Error()))
		}
		if errors.Is(err, errors.ErrUnsupported) != (target == "plain") {
			t.Errorf("%s: whether it is unsupported is lost", target)
		}
		for range 2 {
			clear(c.Results[0].Data)
			if err := works.Call(context.Background(), c); err != nil || c.Results[0].Data[0] != 3 {
				t.Errorf("after %s: got %v, %v", target, c.Results[0].Data, err)
			}
		}
	}
	s, _ := call("nobody")
	_, err := p.Instantiate(context.Background(), s, false)
	var known *ffi.Error
	if !errors.As(err, &known) || known.Code != ffi.NotFound || !strings.Contains(known.Message, "[1 0 0 0]") {
		t.Errorf("got %v, want NOT_FOUND and the attributes", err)
	}
}

func TestStart(t *testing.T) {
	s, _ := call("add")
	for _, c := range []struct {
		spec, want string
		o          Options
	}{
		{"cannot", "there is no such library", Options{}},
		{"dies", "ServeIsolated first?) ended with exit status 3; it had said: assertion failed: never", Options{}},
		{"hangs", "the process that opened it was ended: context deadline exceeded", Options{StartTimeout: time.Second}},
		{"", "does its main call customcall.ServeIsolated first?) ended with exit status 0", Options{Helper: "/bin/true"}},
		{"", "no such file or directory", Options{Helper: "/bin/nowhere"}},
	} {
		_, err := newPool(t, c.spec, c.o).Instantiate(context.Background(), s, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: got %v, want %q", c.spec, c.o.Helper, err, c.want)
		}
	}
	served.Store(false)
	defer served.Store(true)
	if _, err := Open("lib.so", nil, Options{}); err == nil || !strings.Contains(err.Error(), "must call customcall.ServeIsolated") {
		t.Errorf("got %v, want to be told what is missing", err)
	}
}

// writer calls itself when something is written.
type writer func()

func (w writer) Write(b []byte) (int, error) { w(); return len(b), nil }

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := newPool(t, "", Options{Processes: 1, Output: writer(cancel)})
	s, c := call("hang")
	i := instantiate(t, p, s, false)
	if err := i.Call(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s, c = call("process")
	if err := instantiate(t, p, s, false).Call(context.Background(), c); err != nil {
		t.Error(err)
	}
}

// A context that has ended before a call ends no process: an instance keeps its state.
func TestCancelledBefore(t *testing.T) {
	p := newPool(t, "", Options{Processes: 1})
	s, c := call("count")
	i := instantiate(t, p, s, true)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for n := range 3 {
		if err := i.Call(context.Background(), c); err != nil || int(c.Results[0].Data[0]) != n+1 {
			t.Fatalf("call %d: got %d, %v", n, c.Results[0].Data[0], err)
		}
		if err := i.Call(ended, c); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the context has ended", err)
		}
	}
}

// What happens when a context ends is over when the call is: it would end the next one.
func TestCancelledTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began, over := make(chan bool), false
		stop := whenEnded(ctx, func() {
			began <- true
			time.Sleep(time.Second) // until all others wait
			over = true
		})
		cancel()
		<-began
		if stop(); !over {
			t.Error("the call ended before what its context began")
		}
	})
}

// Instances with state have one process each; others take any that is free, and there are never more than allowed.
func TestProcesses(t *testing.T) {
	p := newPool(t, "", Options{Processes: 2})
	folder := t.TempDir()
	s, _ := call("meet", folder)
	i := instantiate(t, p, s, false)
	var mu sync.Mutex
	seen := map[uint32]int{}
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			_, c := call("meet", folder)
			if err := i.Call(context.Background(), c); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[binary.NativeEndian.Uint32(c.Results[0].Data)]++
		})
	}
	done.Wait()
	if len(seen) != 2 {
		t.Errorf("got calls by process %v, want two processes", seen)
	}
	s, c := call("count")
	counter := instantiate(t, p, s, true)
	for n := range 5 {
		if err := counter.Call(context.Background(), c); err != nil || int(c.Results[0].Data[0]) != n+1 {
			t.Fatalf("call %d: got %d, %v", n, c.Results[0].Data[0], err)
		}
	}
}

// open files and processes of this process.
func resources(t *testing.T) (files, children int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	testfile.Library(t, "proc", err)
	_, err = os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	testfile.Library(t, "proc", err)
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		b, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		children += len(strings.Fields(string(b)))
	}
	return len(entries), children
}

func TestNothingLeaks(t *testing.T) {
	round := func() {
		ctx, cancel := context.WithCancel(context.Background())
		p, err := Open("lib.so", nil, Options{Processes: 2, Output: writer(cancel)}) // "hang" is the first that prints
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"add", "hang", "abort", "exit", "spawn"} {
			s, c := call(target, "1234", "1234")
			i, err := p.Instantiate(context.Background(), s, target == "hang")
			if err != nil {
				t.Fatal(err)
			}
			within := context.Background()
			if target == "hang" {
				within = ctx
			}
			i.Call(within, c)
			defer i.Close() // after the pool
		}
		p.Close()
	}
	round()
	files, children := resources(t)
	for range 3 {
		round()
	}
	if f, c := resources(t); f > files || c > children || c > 0 {
		t.Errorf("got %d files and %d processes, want at most %d and none", f, c, files)
	}
}

func TestTry(t *testing.T) {
	testfile.Native(t, crash.Available)
	p := newPool(t, "", Options{Processes: 1})
	for _, c := range []struct {
		target, want string
		atEnd        bool
	}{
		{"over", "the function wrote at byte 4 of result 0 (u8[4]), which has 4 bytes", false},
		{"over", "the function wrote at byte 4 of result 0", true},
		{"under", "the function wrote 1 byte before the start of result 0 (u8[4])", true},
		{"under", "which touched memory 1 byte before the start of result 0 (u8[4])", false},
		{"far", "which touched memory at byte 64 of result 0 (u8[4]), which has 4 bytes", true},
		{"overread", "which touched memory at byte 64 of operand 0 (u8[3]), which has 3 bytes", true},
		{"underread", "which touched memory 4 bytes before the start of operand 0", false},
		{"operand", "which wrote to operand 1 (u8[3]), at its byte 2: operands must not be changed", false},
		{"fault", "died of SIGSEGV at address 0x10", false},
		{"add", "", false}, {"add", "", true}, {"nothing", "", true},
	} {
		s, made := call(c.target, "abc", "def")
		s.Results[0].Dims[0], made.Results[0].Data = 4, make([]byte, 4)
		if c.target == "add" {
			s.Results[0].Dims[0], made.Results[0].Data = 3, make([]byte, 3)
		}
		results, findings, err := instantiate(t, p, s, false).Try(context.Background(), made, Trial{AtEnd: c.atEnd, Fill: 0xAA, Copies: 3})
		said := strings.Join(findings, "\n")
		if err != nil {
			said += err.Error()
		}
		if !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s at the end %v: got %q, want %q", c.target, c.atEnd, said, c.want)
		}
		if c.target == "nothing" && (len(results) != 3 || results[2][0].Data[3] != 0xAA) {
			t.Errorf("nothing: got %v", results)
		}
		if c.target == "add" && (len(results) != 3 || results[2][0].Data[0] != 0xC5) {
			t.Errorf("add: got %v", results)
		}
	}
	s, c := call("operand", "abc", "def")
	_, findings, err := instantiate(t, p, s, false).Try(context.Background(), c, Trial{Open: true})
	if err != nil || len(findings) != 1 || findings[0] != "the function wrote to operand 1 (u8[3]), at its byte 2: operands must not be changed" {
		t.Errorf("without guard pages: got %q, %v", findings, err)
	}
	s, c = call("increment", "abcd")
	s.Aliases = []ffi.Alias{{Result: 0, Operand: 0}}
	var results [][]ffi.Buffer
	results, findings, err = instantiate(t, p, s, false).Try(context.Background(), c, Trial{Copies: 2, AtEnd: true})
	if err != nil || len(findings) > 0 || string(results[1][0].Data) != "bbcd" || string(c.Operands[0].Data) != "abcd" {
		t.Errorf("aliased: got %v, %q, %v", results, findings, err)
	}
}

func ExamplePool() {
	p, err := Open("lib.so", nil, Options{Timeout: time.Minute, Output: io.Discard})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	site, c := call("exit")
	i, err := p.Instantiate(context.Background(), site, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer i.Close()
	fmt.Println(i.Call(context.Background(), c))
	// Output: INTERNAL: lib.so: the process that served "exit" ended with exit status 7; it had said: good bye
}

func BenchmarkCall(b *testing.B) {
	p, err := Open("lib.so", nil, Options{Processes: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	s, c := call("add", "1234", "1234")
	i, err := p.Instantiate(context.Background(), s, false)
	if err != nil {
		b.Fatal(err)
	}
	defer i.Close()
	for b.Loop() {
		if err := i.Call(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}
