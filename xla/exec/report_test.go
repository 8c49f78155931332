package exec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// mustCompile compiles text for the bare machine.
func mustCompile(t testing.TB, text string, o Options) *program {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(bare{}).Compile(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x.(*program)
}

func run(t testing.TB, p Program, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

const twoSteps = `ENTRY e { x = f32[100] parameter(0)
  y = f32[100] negate(x)
  ROOT z = f32[100] add(y, x) }`

func TestReport(t *testing.T) {
	p := mustCompile(t, twoSteps, Options{AllowReference: true, Profile: true})
	for range 3 {
		run(t, p, literal.Zeros(p.module.Entry.Root.Shape))
	}
	list := p.Report()
	if len(list) != 2 {
		t.Fatalf("got %d steps, want 2: %v", len(list), list)
	}
	add := list[1]
	if add.Op != "add" || add.Instruction != "z" || add.Kernel != "reference" || add.Reason == "" || add.Bytes != 1200 ||
		add.FLOPs != 100 || add.Runs != 3 || add.Time <= 0 {
		t.Errorf("got %+v", add)
	}
}

// TestDump wants stages that can be read back, and a plan that names every step.
func TestDump(t *testing.T) {
	dir := t.TempDir()
	mustCompile(t, twoSteps, Options{AllowReference: true, DumpTo: dir})
	text, err := os.ReadFile(filepath.Join(dir, "00.input.hlo"))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := hlo.Parse(text, "00.input.hlo"); err != nil || m.Text() != string(text) {
		t.Errorf("the dump reads back as %v, %v", m, err)
	}
	plan, err := os.ReadFile(filepath.Join(dir, "assignment.txt"))
	if err != nil || !strings.Contains(string(plan), "negate y: reference") || !strings.Contains(string(plan), "add z") {
		t.Errorf("got the plan %s, %v", plan, err)
	}
}

// TestLacking wants every op without a kernel in the sentence of refusal.
func TestLacking(t *testing.T) {
	m, err := hlo.Parse([]byte(twoSteps), "test.hlo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(bare{}).Compile(context.Background(), m, Options{})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("got %v, want %v", err, errors.ErrUnsupported)
	}
	for _, want := range []string{"bare", "negate at test.hlo:2:", "add at test.hlo:3:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to say %q", err, want)
		}
	}
}

// TestMemoryLimit wants programs refused whose plan is beyond the limit, with the figure.
func TestMemoryLimit(t *testing.T) {
	m, err := hlo.Parse([]byte(twoSteps), "test.hlo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(bare{}).Compile(context.Background(), m, Options{AllowReference: true, MemoryLimit: 500})
	if !errors.Is(err, hlo.ErrLimit) || !strings.Contains(err.Error(), "896") || !strings.Contains(err.Error(), "500") {
		t.Errorf("got %v, want the limit of 500 bytes passed with 896", err)
	}
}
