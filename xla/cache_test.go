package xla

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// counting is a backend that counts the programs that it has compiled and that are closed.
type counting struct {
	exec.Backend
	compiled, closed int
}

type countingProgram struct {
	exec.Program
	b *counting
}

func (b *counting) Compile(ctx context.Context, m *hlo.Module, o exec.Options) (exec.Program, error) {
	p, err := b.Backend.Compile(ctx, m, o)
	b.compiled++
	return countingProgram{p, b}, err
}

func (p countingProgram) Close() {
	p.b.closed++
	p.Program.Close()
}

// negation is a program with a number in it.
func negation(i int) Program {
	return Program{Source: fmt.Appendf(nil, "ENTRY e%d { x = f32[2] parameter(0) ROOT y = f32[2] negate(x) }", i)}
}

// events is an observer that keeps what it is told.
type events struct {
	compiles []CompileEvent
	executes []ExecuteEvent
}

func (e *events) Compiled(c CompileEvent) { e.compiles = append(e.compiles, c) }
func (e *events) Executed(x ExecuteEvent) { e.executes = append(e.executes, x) }

func TestCache(t *testing.T) {
	b, seen, ctx := &counting{Backend: Reference()}, &events{}, context.Background()
	c, err := NewClient(b, ClientOptions{CachePrograms: 2, Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	compile := func(i int, o CompileOptions) *Executable {
		x, err := c.Compile(ctx, negation(i), o)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	want := func(what string, compiled, closed int) {
		t.Helper()
		if b.compiled != compiled || b.closed != closed {
			t.Errorf("%s: %d compiled and %d closed, want %d and %d", what, b.compiled, b.closed, compiled, closed)
		}
	}
	first, again := compile(1, CompileOptions{}), compile(1, CompileOptions{})
	want("the same text twice", 1, 0)
	first.Close()
	again.Close()
	compile(1, CompileOptions{}).Close()
	want("the same text later", 1, 0)
	compile(1, CompileOptions{AllowReference: true}).Close()
	want("other options", 2, 0)
	held := compile(2, CompileOptions{})
	want("a third program", 3, 1)
	compile(3, CompileOptions{}).Close()
	compile(4, CompileOptions{}).Close()
	want("an open program is dropped", 5, 2)
	x, err := FromSlice(c, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	out, err := held.Execute(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	out[0].Close()
	x.Close()
	held.Close()
	want("and closed with its last user", 5, 3)
	c.Close()
	want("the client is closed", 5, 5)
	if got := c.Totals(); got != (Totals{Compiles: 7, Cached: 2, Executions: 1}) {
		t.Errorf("got %+v", got)
	}
	if len(seen.compiles) != 7 || !seen.compiles[1].Cached || len(seen.executes) != 1 || seen.executes[0].Devices != 1 {
		t.Errorf("the observer got %+v", seen)
	}
}

// closing is a backend whose client is closed while it compiles.
type closing struct {
	counting
	client *Client
}

func (b *closing) Compile(ctx context.Context, m *hlo.Module, o exec.Options) (exec.Program, error) {
	b.client.Close()
	return b.counting.Compile(ctx, m, o)
}

// TestCloseWhileCompiling wants nothing to be left of a program whose compile ends after the client.
func TestCloseWhileCompiling(t *testing.T) {
	b := &closing{counting: counting{Backend: Reference()}}
	var err error
	if b.client, err = NewClient(b, ClientOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.Compile(context.Background(), negation(1), CompileOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want that the client is closed", err)
	}
	if b.compiled != 1 || b.closed != 1 {
		t.Errorf("%d programs compiled and %d closed, want one each", b.compiled, b.closed)
	}
}

// TestCacheTuned wants programs that are to be tuned to be compiled, though they are kept untuned.
func TestCacheTuned(t *testing.T) {
	b := &counting{Backend: Reference()}
	c, err := NewClient(b, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, o := range []CompileOptions{{}, {Tune: time.Second}, {Tune: time.Second, TuneFolder: t.TempDir()}} {
		x, err := c.Compile(context.Background(), negation(1), o)
		if err != nil {
			t.Fatal(err)
		}
		if x.Close(); b.compiled != i+1 {
			t.Errorf("%d compiled with %+v, want %d", b.compiled, o, i+1)
		}
	}
}

// TestBind wants a bound parameter to be no parameter any more, and its buffer to be free to close.
func TestBind(t *testing.T) {
	ctx := context.Background()
	c, err := NewClient(exec.New(plain{}), ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const text = `ENTRY e { w = f32[2] parameter(0)
  x = f32[2] parameter(1)
  ROOT y = f32[2] multiply(w, x) }`
	w, err := FromSlice(c, []float32{10, 100})
	if err != nil {
		t.Fatal(err)
	}
	exe, err := c.Compile(ctx, Program{Source: []byte(text)},
		CompileOptions{AllowReference: true, Bind: map[int]*Buffer{0: w}})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	w.Close()
	if got := exe.Signature().String(); got != "(x f32[2]) -> (result0 f32[2])" {
		t.Errorf("got the signature %s", got)
	}
	x, err := FromSlice(c, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	out, err := exe.Execute(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	defer out[0].Close()
	if got, err := ToSlice[float32](out[0]); err != nil || got[0] != 10 || got[1] != 200 {
		t.Errorf("got %v, %v, want 10 and 200", got, err)
	}
	if _, err := c.Compile(ctx, Program{Source: []byte(text)}, CompileOptions{Bind: map[int]*Buffer{7: x}}); err == nil {
		t.Error("a parameter that there is not was bound")
	}
}
