package xla

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
)

// journal is a log that several goroutines write.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) lines(word string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), word)
}

// TestDroppedBuffers wants a warning for each buffer that is dropped without Close, also for those that are watched in
// the place of closed ones which are still in use, and what native code saw of them to be let go.
func TestDroppedBuffers(t *testing.T) {
	var log journal
	c, err := NewClient(exec.New(plain{}), ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	exe, err := c.Compile(context.Background(), Program{Source: []byte(`ENTRY e { x = f32[7] parameter(0) ROOT y = f32[7] negate(x) }`)},
		CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	const n = 20
	var closed []*Buffer
	for range n {
		x, err := FromSlice(c, make([]float32, 7))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exe.Execute(context.Background(), x); err != nil { // the result is dropped
			t.Fatal(err)
		}
		x.Close()
		closed = append(closed, x)
	}
	for end := time.Now().Add(time.Minute); log.lines("f32[7]") < n && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if got := log.lines("f32[7]"); got != n {
		t.Errorf("%d warnings, want %d:\n%s", got, n, log.text.String())
	}
	if open := c.live.buffers.Load(); open != 0 {
		t.Errorf("%d buffers are open, want none", open)
	}
	runtime.KeepAlive(closed)
}

// TestDroppedArguments wants arguments that are dropped without Close to be let go by native code: a pin that is left
// over ends the process.
func TestDroppedArguments(t *testing.T) {
	c, err := NewClient(exec.New(plain{}), ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	exe, err := c.Compile(context.Background(), Program{Source: []byte(`ENTRY e { x = f32[9000] parameter(0) ROOT y = f32[9000] negate(x) }`)},
		CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	for range 20 {
		x, err := FromSlice(c, make([]float32, 9000))
		if err != nil {
			t.Fatal(err)
		}
		out, err := exe.Execute(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
	}
	for end := time.Now().Add(time.Minute); c.live.buffers.Load() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if open := c.live.buffers.Load(); open != 0 {
		t.Errorf("%d buffers are open, want none", open)
	}
	runtime.GC() // collects what the clean-ups let go
	runtime.GC()
}
