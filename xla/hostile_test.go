package xla

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestHandlerEndsItsGoroutine runs a custom call whose function does what t.FailNow does.
func TestHandlerEndsItsGoroutine(t *testing.T) {
	exit := func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
		runtime.Goexit()
		return nil, nil
	}
	c, err := NewClient(Reference(), ClientOptions{Handlers: HandlerMap{"exit": exit}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := c.Compile(context.Background(), Program{Source: []byte(
		"HloModule m\nENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"exit\" }")}, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Execute(context.Background()); err == nil || !strings.Contains(err.Error(), "ended its goroutine") {
		t.Errorf("got %v, want an error that says that the goroutine ended", err)
	}
}

// TestLiteralWithoutType wants the zero Literal refused.
func TestLiteralWithoutType(t *testing.T) {
	c, err := NewClient(Reference(), ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := c.FromLiteral(&literal.Literal{}); err == nil {
		b.Close()
		t.Error("a buffer of the zero Literal: got no error")
	}
}
