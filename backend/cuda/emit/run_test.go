package emit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// program is a test: a module without control flow whose instructions run one by one as kernels, in C++ on this
// machine.
type program struct {
	name string
	m    *hlo.Module
	args []*literal.Literal
	tol  literal.Tolerance
	// own is set for programs that were not refused.
	steps   []string
	buffers []string
	kernels []*Kernel
	refused error
	outputs []string
	leaves  map[*hlo.Instruction][]string
	slots   int
}

func (p *program) buffer(bytes int64) string {
	n := fmt.Sprintf("b%d", p.slots)
	p.slots++
	p.buffers = append(p.buffers, fmt.Sprintf("buffer %s(%d);", n, bytes))
	return n
}

// plan lowers the instructions of the entry computation.
func (p *program) plan() {
	p.leaves = map[*hlo.Instruction][]string{}
	for _, param := range p.m.Entry.Parameters {
		p.leaves[param] = p.room(param)
		for _, b := range p.leaves[param] {
			p.buffers = append(p.buffers, b+".read();")
		}
	}
	for _, in := range p.m.Entry.Instructions {
		if err := p.instruction(in); err != nil {
			p.refused = err
			return
		}
	}
	p.outputs = p.leaves[p.m.Entry.Root]
}

func (p *program) room(in *hlo.Instruction) []string {
	var list []string
	for _, s := range leaves(in.Shape) {
		list = append(list, p.buffer(s.Size()*int64(s.Type.Bytes())))
	}
	return list
}

func (p *program) instruction(in *hlo.Instruction) error {
	switch in.Op {
	case hlo.Parameter:
		return nil
	case hlo.Tuple:
		for _, o := range in.Operands {
			p.leaves[in] = append(p.leaves[in], p.leaves[o]...)
		}
		return nil
	case hlo.GetTupleElement:
		first := skipped(in)
		p.leaves[in] = p.leaves[in.Operands[0]][first : first+in.Shape.LeafCount()]
		return nil
	case hlo.Constant:
		p.leaves[in] = p.room(in)
		p.data(p.leaves[in][0], in.Attrs.(*hlo.ConstantAttrs).Literal.RowMajor().Bytes())
		return nil
	}
	e, err := Lower(in)
	if err != nil {
		return err
	}
	if again, err := Lower(in); err != nil || !reflect.DeepEqual(again, e) {
		return fmt.Errorf("%s: lowered again it is something else: %v", in.Name, err)
	}
	p.leaves[in] = p.room(in)
	p.emission(in, e)
	return nil
}

// data fills a buffer.
func (p *program) data(b string, data []byte) {
	var text strings.Builder
	for _, c := range data {
		fmt.Fprintf(&text, "\\x%02x", c)
	}
	p.buffers = append(p.buffers, fmt.Sprintf("memcpy(%s.data(), \"%s\", %d);", b, text.String(), len(data)))
}

func (p *program) emission(in *hlo.Instruction, e *Emission) {
	names := map[Buffer]string{}
	n := 0
	for _, o := range in.Operands {
		for _, b := range p.leaves[o] {
			names[Buffer{Operand, n}] = b
			n++
		}
	}
	for i, b := range p.leaves[in] {
		names[Buffer{Result, i}] = b
	}
	for i, size := range e.Scratch {
		names[Buffer{Scratch, i}] = p.buffer(size)
	}
	for i, t := range e.Tables {
		b := p.buffer(int64(len(t)))
		names[Buffer{Table, i}] = b
		p.data(b, t)
	}
	for _, s := range e.Steps {
		switch {
		case s.Copy != nil:
			p.steps = append(p.steps, fmt.Sprintf("memcpy(%s.data(), %s.data(), %d);", names[s.Copy.Dst], names[s.Copy.Src],
				s.Copy.Bytes))
		case s.Fill != nil:
			p.steps = append(p.steps, fmt.Sprintf("memset(%s.data(), %d, %d);", names[s.Fill.Dst], s.Fill.Value, s.Fill.Bytes))
		default:
			p.launch(s.Kernel, names)
		}
	}
}

func (p *program) launch(k *Kernel, names map[Buffer]string) {
	args := make([]string, len(k.Args))
	for i, a := range k.Args {
		args[i] = names[a]
	}
	p.kernels = append(p.kernels, k)
	p.steps = append(p.steps, fmt.Sprintf("launch({%d, %d, %d}, {%d, %d, %d}, %v, [&] { %s(%s); });", k.Grid[0], k.Grid[1],
		k.Grid[2], k.Block[0], k.Block[1], k.Block[2], strings.Contains(k.Source, "__syncthreads"), k.Name,
		strings.Join(args, ", ")))
}

// cpp is the C++ of programs, which read their arguments and write their results one after the other.
func cpp(list []*program) string {
	shim, err := os.ReadFile("testdata/shim.h")
	if err != nil {
		panic(err)
	}
	var kernels []*Kernel
	var functions, calls strings.Builder
	for i, p := range list {
		kernels = append(kernels, p.kernels...)
		fmt.Fprintf(&functions, "static void program%d() {\n  %s\n", i, strings.Join(append(p.buffers, p.steps...), "\n  "))
		for _, o := range p.outputs {
			fmt.Fprintf(&functions, "  %s.write();\n", o)
		}
		functions.WriteString("}\n")
		fmt.Fprintf(&calls, "  fprintf(stderr, \"%d\\n\");\n  program%d();\n", i, i)
	}
	return string(shim) + Unit(kernels) + functions.String() + "int main() {\n" + calls.String() + "}\n"
}

// refusals are what there is no kernel for in programs of tests.
var refusals = regexp.MustCompile(`^(` +
	`there is no kernel for (async-start|batch-norm-(grad|inference|training)|conditional|copy-start|domain|` +
	`get-dimension-size|opt-barrier|ragged-dot|rng|rng-get-and-update-state|scaled-dot|scan|stochastic-convert|while)|` +
	`(dynamic-(broadcast-in-dim|convolution|gather|iota|pad|reshape)|real-dynamic-slice|set-dimension-size) ` +
	`has dynamic dimensions|` +
	`after-all of token\[\]|` +
	`reshape from s32\[2,3\] to s32\[6\]|` + // of another layout
	`no kernel has while inside): `)

// ready plans programs, and returns those that there are kernels for: all but those of refusals, and no fewer than
// atLeast unless $HALO_OP picks some.
func ready(t *testing.T, list []*program, atLeast int) []*program {
	t.Helper()
	var out []*program
	for _, p := range list {
		switch p.plan(); {
		case p.refused == nil:
			out = append(out, p)
		case !errors.Is(p.refused, errors.ErrUnsupported) || !refusals.MatchString(p.refused.Error()):
			t.Errorf("%s: %v", p.name, p.refused)
		}
	}
	if len(out) < atLeast && os.Getenv("HALO_OP") == "" {
		t.Errorf("there are %d programs, want %d or more", len(out), atLeast)
	}
	return out
}

// runAll runs programs, of which there must be so many, and compares their results with the evaluator's.
func runAll(t *testing.T, list []*program, atLeast int) {
	t.Helper()
	gxx, err := exec.LookPath("g++")
	testfile.Library(t, "cuda-emu", err)
	list = ready(t, list, atLeast)
	var stdin bytes.Buffer
	for _, p := range list {
		for _, a := range p.args {
			for _, l := range a.Leaves() {
				stdin.Write(l.RowMajor().Bytes())
			}
		}
	}
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "kernels.cpp"), filepath.Join(dir, "kernels")
	keepKernels(t, list)
	if err := os.WriteFile(file, []byte(cpp(list)), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gxx, "-std=c++17", "-O1", "-ffp-contract=off", "-w", "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, head(string(out), 4000))
	}
	cmd := exec.Command(binary)
	cmd.Stdin = &stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	for i, p := range list {
		if started := strings.Contains("\n"+stderr.String(), fmt.Sprintf("\n%d\n", i)); !started {
			t.Fatalf("%s has not begun: %v: %s", p.name, err, tail(stderr.String(), 200))
		}
		if err != nil && !strings.Contains("\n"+stderr.String(), fmt.Sprintf("\n%d\n", i+1)) {
			t.Fatalf("%s: %v: %s", p.name, err, tail(stderr.String(), 200))
		}
		p.check(t, &stdout)
	}
	if stdout.Len() > 0 {
		t.Errorf("%d bytes are left of the results", stdout.Len())
	}
}

// keepKernels writes the sources of the kernels to the folder $HALO_KEEP, for TestKernels of backend/cuda.
func keepKernels(t *testing.T, list []*program) {
	folder := os.Getenv("HALO_KEEP")
	if folder == "" {
		return
	}
	var kernels []*Kernel
	for _, p := range list {
		kernels = append(kernels, p.kernels...)
	}
	name := strings.NewReplacer("/", "_", "=", "_").Replace(t.Name()) + ".cu"
	if err := os.WriteFile(filepath.Join(folder, name), []byte(Unit(kernels)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func head(s string, n int) string { return s[:min(n, len(s))] }
func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// check reads the program's results and compares them.
func (p *program) check(t *testing.T, stdout *bytes.Buffer) {
	want, err := hlo.Evaluate(context.Background(), p.m, p.args, hlo.EvalOptions{})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	var got []*literal.Literal
	for _, w := range want.Leaves() {
		l, err := literal.FromBytes(w.Shape(), bytes.Clone(stdout.Next(len(w.Bytes()))))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		got = append(got, l)
	}
	for i, w := range want.Leaves() {
		if d := literal.Compare(got[i], w, p.tol); d != nil {
			text := ""
			for _, k := range p.kernels {
				text += k.Source
			}
			t.Errorf("%s: result %d: %v\n%s\n%s", p.name, i, d, head(p.m.Text(), 1500), head(text, 2500))
			return
		}
	}
}
