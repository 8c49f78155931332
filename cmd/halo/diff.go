package main

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

const diffHelp = `Runs M on two backends with the same inputs, random ones where none are given, and compares the
results with the tolerances of the operations. --bisect looks for the first instruction whose result differs.
` + inputHelp

type diffOptions struct {
	hardware
	backends [2]string
	seed     uint64
	bisect   bool
	plugins  pluginFlags
	handlers handlers
}

func diffCommand(t *tool, args []string) error {
	fl := t.flags("diff")
	o := diffOptions{hardware: usual()}
	names := fl.String("backends", "cpu,reference", "the two backends")
	fl.IntVar(&o.threads, "threads", 0, "threads to use; 0: as many as there are")
	fl.Uint64Var(&o.seed, "seed", 0, "seed of the random number generators")
	fl.BoolVar(&o.bisect, "bisect", false, "find the first instruction that differs")
	o.plugins.add(fl)
	words, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	a, b, two := strings.Cut(*names, ",")
	if len(words) == 0 || !two {
		return exitf(exitUsage, "want a program, and two backends such as cpu,reference")
	}
	o.backends = [2]string{a, b}
	for _, name := range o.backends {
		if _, err := newBackend(name, o.hardware); err != nil {
			return err
		}
	}
	src, err := t.readFile(words[0])
	if err != nil {
		return err
	}
	s, err := xla.ReadSnapshot(xla.Program{Name: words[0], Source: src})
	if err != nil {
		return err
	}
	o.handlers = newHandlers()
	defer o.handlers.Close()
	if err := t.loadPlugins(o.handlers, o.plugins); err != nil {
		return err
	}
	in, err := diffInputs(s, words[1:])
	if err != nil {
		return err
	}
	return t.diff(&o, s.Module, in)
}

// diffInputs are the inputs that are given; without any they are those of the program's file, or random.
func diffInputs(s *xla.Snapshot, words []string) ([]*literal.Literal, error) {
	if len(words) == 0 && len(s.Arguments) == 1 {
		return s.Arguments[0], nil
	}
	sig := xla.SignatureOf(s.Module)
	if len(words) == 0 {
		for i := range sig.Parameters {
			words = append(words, fmt.Sprintf("random:%d", i+1))
		}
	}
	return inputs(sig, words, nil)
}

func (t *tool) diff(o *diffOptions, m *hlo.Module, args []*literal.Literal) error {
	err := t.differs(o, m, args)
	if err == nil {
		fmt.Fprintf(t.stdout, "%s and %s agree\n", o.backends[0], o.backends[1])
		return nil
	}
	if o.bisect {
		t.bisect(o, m, args)
	}
	return err
}

// differs runs m on both backends and says where the results differ.
func (t *tool) differs(o *diffOptions, m *hlo.Module, args []*literal.Literal) error {
	var results [2][]*literal.Literal
	for i, name := range o.backends {
		var err error
		if results[i], err = t.runOn(o, name, m, args); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for i, got := range results[0] {
		if d := literal.Compare(got, results[1][i], toleranceOf(m, results[1][i])); d != nil {
			return exitf(exitDiffers, "result %d of %s differs from that of %s: %v", i, o.backends[0], o.backends[1], d)
		}
	}
	return nil
}

func (t *tool) runOn(o *diffOptions, name string, m *hlo.Module, args []*literal.Literal) ([]*literal.Literal, error) {
	backend, err := newBackend(name, o.hardware)
	if err != nil {
		return nil, err
	}
	client, err := xla.NewClient(backend, xla.ClientOptions{Handlers: o.handlers.all()})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	exe, err := client.Compile(t.ctx, xla.Program{Name: m.Name, Module: m}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	return t.runOnce(&runOptions{seed: o.seed}, client, exe, args)
}

// bisect prints the first instruction of the entry whose result differs, with the values that it gets: all before it
// are compared by halving the list.
func (t *tool) bisect(o *diffOptions, m *hlo.Module, args []*literal.Literal) {
	list := comparable(m.Entry)
	low, high := 0, len(list)-1 // what is before low agrees; high differs, or is the last
	for low < high {
		middle := (low + high) / 2
		if t.differs(o, pass.Cut(m, list[middle]), args) == nil {
			low = middle + 1
		} else {
			high = middle
		}
	}
	in := list[low]
	fmt.Fprintf(t.stdout, "the first instruction that differs is %s at %s:\n", in.Name, in.Pos)
	if err := t.differs(o, pass.Cut(m, in), args); err != nil {
		fmt.Fprintf(t.stdout, "  %v\n", err)
	}
	for i, operand := range in.Operands {
		if operand.Shape.IsArray() {
			t.printOperand(o, i, operand, m, args)
		}
	}
}

func (t *tool) printOperand(o *diffOptions, i int, in *hlo.Instruction, m *hlo.Module, args []*literal.Literal) {
	l, err := t.runOn(o, o.backends[1], pass.Cut(m, in), args)
	if err != nil || len(l) != 1 {
		return
	}
	text := l[0].String()
	if len(text) > maxOperandText {
		text = text[:maxOperandText] + "..."
	}
	fmt.Fprintf(t.stdout, "  operand %d, %s: %s\n", i, in.Name, text)
}

// maxOperandText bounds what is printed of an operand.
const maxOperandText = 400

// comparable are the instructions whose results can be compared alone: arrays, and the root.
func comparable(c *hlo.Computation) []*hlo.Instruction {
	var list []*hlo.Instruction
	for _, in := range c.Instructions {
		if in.Shape.IsArray() && in != c.Root {
			list = append(list, in)
		}
	}
	return append(list, c.Root)
}
