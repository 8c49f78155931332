package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// TestShown wants texts that print to stay, and others to be escaped.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"dense/kernel":         "dense/kernel",
		"größe 名":              "größe 名",
		"\x1b[2J":              `\x1b[2J`,
		"a\nb\tc":              `a\nb\tc`,
		"\u202egnp":            `\u202egnp`,
		"\x9b31m":              `\x9b31m`,
		"\ufffd":               "\ufffd",
		`"quoted" \ backslash`: `"quoted" \ backslash`,
	} {
		if got := shown(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := shownLines("a\nb\x1b"); got != "a\nb\\x1b" {
		t.Errorf("lines: got %q", got)
	}
	long := "begin" + strings.Repeat("x", 3<<20) + "end"
	if got := shownLines(long); len(got) > maxMessage+64 || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") {
		t.Errorf("a long message: got %d bytes, want both ends of it", len(got))
	}
}

// TestInspectNames wants a file's names to send nothing to the terminal.
func TestInspectNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	name := "w\x1b]0;title\a\nforged line"
	if err := tensorfile.WriteSafetensors(path, []tensorfile.Array{{Name: name, Value: literal.Scalar(float32(1))}}); err != nil {
		t.Fatal(err)
	}
	_, stdout, stderr := halo(t, ".", "", "inspect", path)
	if strings.ContainsAny(stdout, "\x1b\a") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, `\x1b]0;title\a\nforged line`) {
		t.Errorf("got %q %s", stdout, stderr)
	}
}

// A tool that is told to stop while it prints does not go on to print.
func TestUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	printing, forever := make(chan struct{}), make(chan struct{})
	defer close(forever)
	go func() {
		<-printing
		stop()
	}()
	tl := &tool{ctx: ctx}
	err := tl.untilStopped(func() {
		close(printing)
		<-forever
	})
	if !errors.Is(err, context.Canceled) || codeOf(err) != exitResource {
		t.Errorf("got %v and code %d, want %d", err, codeOf(err), exitResource)
	}
	if err := (&tool{ctx: t.Context()}).untilStopped(func() {}); err != nil {
		t.Error(err)
	}
}

// TestInspectUnknownSizes wants figures that leave arrays out to say so.
func TestInspectUnknownSizes(t *testing.T) {
	for size, want := range map[string]bool{"?": true, "3": false} {
		path := filepath.Join(t.TempDir(), "p.mlir")
		write(t, path, []byte(`func.func @main(%a: tensor<`+size+`xf32>) -> tensor<`+size+`xf32> {
  %0 = stablehlo.add %a, %a : tensor<`+size+`xf32>
  return %0 : tensor<`+size+`xf32>
}`))
		_, stdout, stderr := halo(t, ".", "", "inspect", path)
		if got := strings.Contains(stdout, "sizes are not known (?)"); got != want {
			t.Errorf("size %s: got %v, want %v: %s%s", size, got, want, stdout, stderr)
		}
	}
}
