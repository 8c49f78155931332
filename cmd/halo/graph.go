package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
)

const graphHelp = `dot is for Graphviz, svg a picture, html one page with folds and a search that needs no network.
At most --max boxes are drawn. Computations called from others are left out when they are full, and of a computation
with too many instructions each box stands for several that follow one another. The page's search knows all.
`

// graphWriters write a graph in each of the forms.
var graphWriters = map[string]func(w io.Writer, g *graph) error{
	"dot": writeDot, "svg": writeSVG, "html": writeHTML,
}

func graphCommand(t *tool, args []string) error {
	fl := t.flags("graph")
	to := fl.String("to", "", "`form`: dot, svg or html; by the end of -o's name if empty, dot if it has none")
	out := fl.String("o", "", "`file` to write; the standard output if there is none")
	most := fl.Int("max", 2000, "the most boxes")
	words, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	form := *to
	if form == "" {
		form = formOf(*out)
	}
	write := graphWriters[form]
	switch {
	case len(words) != 1:
		return exitf(exitUsage, "got %d programs, want one", len(words))
	case write == nil:
		return exitf(exitUsage, "--to, or the end of -o's name: got %q, want dot, svg or html", form)
	case *most < 1:
		return exitf(exitUsage, "--max: got %d, want 1 or more", *most)
	}
	if err := t.checkPlace(*out); err != nil {
		return err
	}
	src, err := t.readFile(words[0])
	if err != nil {
		return err
	}
	m, err := xla.Read(xla.Program{Name: words[0], Source: src})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := write(&b, graphOf(m, *most)); err != nil {
		return err
	}
	return t.writeFile(*out, b.Bytes())
}

// formOf is the form that the end of a file's name says; dot if it has none.
func formOf(name string) string {
	return cmp.Or(strings.TrimPrefix(filepath.Ext(name), "."), "dot")
}

// graph is a program as boxes and lines, one panel a computation, the entry first.
type graph struct {
	name   string
	panels []*panel
}

// panel is a computation.
type panel struct {
	number      int
	computation *hlo.Computation
	boxes       []*box                      // none if the panel is left out
	of          []int                       // box of each instruction
	names       map[*hlo.Instruction]string // of parameters that the program's producer named
}

// name is what an instruction is called.
func (p *panel) name(in *hlo.Instruction) string { return cmp.Or(p.names[in], in.Name) }

// box is an instruction, or several that follow one another.
type box struct {
	title, text, class string
	count              int   // of instructions
	inputs             []int // boxes, each once, in order
	calls              []int // panels
}

// graphOf makes the graph of m with at most most boxes. Callers come before what they call.
func graphOf(m *hlo.Module, most int) *graph {
	g := &graph{name: cmp.Or(m.Name, "module")}
	number := map[*hlo.Computation]int{}
	order := []*hlo.Computation{m.Entry}
	for _, c := range slices.Backward(m.Computations) {
		if c != m.Entry {
			order = append(order, c)
		}
	}
	for i, c := range order {
		number[c] = i
		g.panels = append(g.panels, &panel{number: i, computation: c})
	}
	g.panels[0].names = map[*hlo.Instruction]string{}
	for i, v := range xla.SignatureOf(m).Parameters {
		g.panels[0].names[m.Entry.Parameters[i]] = v.Name
	}
	for _, p := range g.panels {
		p.fill(number, most)
		most -= len(p.boxes)
	}
	return g
}

// fill makes the boxes of p, if most allow it: of the entry some are made always.
func (p *panel) fill(number map[*hlo.Computation]int, most int) {
	n := len(p.computation.Instructions)
	p.of = make([]int, n)
	size := 1
	if n > most {
		if p.number > 0 || most < 1 {
			for i := range p.of {
				p.of[i] = -1
			}
			return
		}
		size = (n + most - 1) / most
	}
	for from := 0; from < n; from += size {
		list := p.computation.Instructions[from:min(from+size, n)]
		for i := range list {
			p.of[from+i] = len(p.boxes)
		}
		p.boxes = append(p.boxes, p.boxOf(list, number))
	}
}

func (p *panel) boxOf(list []*hlo.Instruction, number map[*hlo.Computation]int) *box {
	first := list[0]
	b := &box{count: len(list), title: p.name(first), text: first.Shape.WithoutLayout().String(), class: classOf(first)}
	if last := list[len(list)-1]; len(list) > 1 {
		b.title, b.class = p.name(first)+" ... "+p.name(last), "several"
		b.text = fmt.Sprintf("%d instructions", len(list))
	}
	own := len(p.boxes)
	for _, in := range list {
		for _, o := range in.Operands {
			if k := p.of[o.Index()]; k != own {
				b.inputs = append(b.inputs, k)
			}
		}
		for _, c := range in.Called() {
			b.calls = append(b.calls, number[c])
		}
	}
	slices.Sort(b.inputs)
	slices.Sort(b.calls)
	b.inputs, b.calls = slices.Compact(b.inputs), slices.Compact(b.calls)
	return b
}

// title is what stands above a panel.
func (p *panel) title() string {
	kind := "computation"
	if p.number == 0 {
		kind = "entry"
	}
	return fmt.Sprintf("%s %s: %d instructions", kind, p.computation.Name, len(p.computation.Instructions))
}

// opClasses say how boxes of some ops look.
var opClasses = map[string]string{
	"parameter": "in", "constant": "in", "iota": "in", "dot": "heavy", "convolution": "heavy", "ragged-dot": "heavy",
	"reduce": "reduce", "reduce-window": "reduce", "scatter": "reduce", "select-and-scatter": "reduce", "sort": "reduce",
	"while": "control", "conditional": "control", "call": "control", "fusion": "control", "map": "control",
	"custom-call": "call",
}

func classOf(in *hlo.Instruction) string { return cmp.Or(opClasses[in.Op.String()], "plain") }

// clip shortens s to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// writeDot writes text for Graphviz.
func writeDot(w io.Writer, g *graph) error {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
	}
	fmt.Fprintf(w, "digraph %s {\n", quote(g.name))
	fmt.Fprintln(w, `  compound=true; node [shape=box, fontname="sans-serif", fontsize=10];`)
	for _, p := range g.panels {
		if len(p.boxes) == 0 {
			fmt.Fprintf(w, "  p%d [label=%s, style=dotted];\n", p.number, quote(p.title()+", left out"))
			continue
		}
		fmt.Fprintf(w, "  subgraph cluster_%d {\n    label=%s;\n", p.number, quote(p.title()))
		for i, b := range p.boxes {
			fmt.Fprintf(w, "    p%d_%d [label=%s, class=%s];\n", p.number, i, quote(b.title+"\n"+b.text), quote(b.class))
		}
		for i, b := range p.boxes {
			for _, k := range b.inputs {
				fmt.Fprintf(w, "    p%d_%d -> p%d_%d;\n", p.number, k, p.number, i)
			}
		}
		fmt.Fprintln(w, "  }")
	}
	for _, p := range g.panels {
		for i, b := range p.boxes {
			for _, c := range b.calls {
				fmt.Fprintf(w, "  p%d_%d -> %s;\n", p.number, i, g.anchor(c))
			}
		}
	}
	_, err := fmt.Fprintln(w, "}")
	return err
}

// anchor is the node of dot that a dashed line to a panel ends at.
func (g *graph) anchor(panel int) string {
	if n := len(g.panels[panel].boxes); n > 0 {
		return fmt.Sprintf("p%d_%d [style=dashed, lhead=cluster_%d]", panel, n-1, panel)
	}
	return fmt.Sprintf("p%d [style=dashed]", panel)
}
