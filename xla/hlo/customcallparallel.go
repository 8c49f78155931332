package hlo

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// interpreter.run_parallel(inputs...) runs functions on the devices of a grid. As a custom call its called computations
// are the programs, replica by replica and in each partition by partition, and after them those that give infeeds. Its
// backend_config is the dictionary {programs = [[@f, @g], [@h, @k]], infeed = [@q]}, whose nesting says how many
// there are of each; the names do not count. Inputs and results lie one device after the other; a program that returns
// a tuple has its elements as results. The infeeds are one queue for all devices; what goes to the outfeed is dropped.

// Parallel is what a run_parallel call says.
type Parallel struct {
	// Programs are by replica and partition, as many for each.
	Programs [][]*Computation
	// Infeeds give the values of the infeed that all devices share.
	Infeeds []*Computation
}

// ParallelOf reads the custom call in; nil if its target is not run_parallel.
func ParallelOf(in *Instruction) (*Parallel, error) {
	if in.Attrs.(*CustomCallAttrs).Target != runParallel {
		return nil, nil
	}
	return newParallel(in)
}

// NewParallelFeed returns a feed as the devices of a run_parallel call share one: what goes to its outfeed is dropped.
func NewParallelFeed() *Feed {
	feed := NewFeed(0)
	feed.out.dropped = true
	return feed
}

// newParallel reads and checks a run_parallel call.
func newParallel(in *Instruction) (*Parallel, error) {
	if in.Common == nil {
		return nil, fmt.Errorf("backend_config is missing, want {programs = [[...]]}")
	}
	rows, infeeds, err := gridOf(in.Common.Config)
	if err != nil {
		return nil, err
	}
	called := in.Attrs.(*CustomCallAttrs).CalledComputations
	p := &Parallel{}
	n := 0
	for _, r := range rows {
		if r == 0 || r != rows[0] {
			return nil, fmt.Errorf("programs: got rows of %d and %d, want equal ones that are not empty", rows[0], r)
		}
		n += r
	}
	if n == 0 || len(called) != n+infeeds {
		return nil, fmt.Errorf("got %d called computations, want %d programs and %d infeeds", len(called), n, infeeds)
	}
	p.Infeeds = called[n:]
	for ; len(called) > infeeds; called = called[rows[0]:] {
		p.Programs = append(p.Programs, called[:rows[0]])
	}
	return p, p.check(in)
}

// check compares operands and results with what the programs take and return.
func (p *Parallel) check(in *Instruction) error {
	var params, results []shape.Shape
	for _, row := range p.Programs {
		for _, c := range row {
			takes, gives := c.ProgramShape()
			params = append(params, takes...)
			if gives.IsTuple() {
				results = append(results, gives.Elems...)
			} else {
				results = append(results, gives)
			}
		}
	}
	if len(params) != len(in.Operands) {
		return fmt.Errorf("got %d inputs, want %d as the programs take", len(in.Operands), len(params))
	}
	for i, s := range params {
		if !agrees(in.Operands[i].Shape, s) {
			return fmt.Errorf("input %d is %v, want %v as its program takes", i, in.Operands[i].Shape, s)
		}
	}
	if in.Shape.Type != shape.Invalid && !agrees(wrap(results), in.Shape) && !agrees(shape.TupleOf(results...), in.Shape) {
		return fmt.Errorf("the programs return %v, want %v", shape.TupleOf(results...), in.Shape)
	}
	for _, c := range p.Infeeds {
		if len(c.Parameters) != 0 {
			return fmt.Errorf("infeed %s takes %d parameters, want 0", c.Name, len(c.Parameters))
		}
	}
	return nil
}

// gridOf counts the elements of each row of programs, and of infeed, in a dictionary as above.
func gridOf(config string) (rows []int, infeeds int, err error) {
	programs, ok := after(config, "programs")
	if !ok {
		return nil, 0, fmt.Errorf("backend_config %q has no programs", config)
	}
	for rest := programs[1:]; ; {
		start := strings.IndexAny(rest, "[]")
		if start < 0 || rest[start] == ']' {
			break
		}
		n, end := countList(rest[start:])
		rows, rest = append(rows, n), rest[start+end:]
	}
	if list, ok := after(config, "infeed"); ok {
		infeeds, _ = countList(list)
	}
	return rows, infeeds, nil
}

// after returns the text from the bracket on of the dictionary's entry "name = [".
func after(dictionary, name string) (string, bool) {
	depth, quoted := 0, false
	for i := 0; i < len(dictionary); i++ {
		switch c := dictionary[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0 && strings.HasPrefix(dictionary[i:], name):
			rest := strings.TrimLeft(dictionary[i+len(name):], " =")
			return rest, strings.HasPrefix(rest, "[")
		}
	}
	return "", false
}

// countList counts the elements of the flat list that s begins with and returns where it ends; names may be quoted.
func countList(s string) (n, end int) {
	quoted, something := false, false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
			something = true
		case quoted:
		case c == ',':
			n++
		case c == ']':
			if something {
				n++
			}
			return n, i + 1
		case c != ' ':
			something = true
		}
	}
	return n, len(s)
}

func evalRunParallel(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	p, err := newParallel(in)
	if err != nil {
		return nil, err
	}
	feed := NewParallelFeed()
	for _, c := range p.Infeeds {
		l, err := e.Call(c, nil)
		if err != nil {
			return nil, err
		}
		if err := feed.TransferToInfeed(e.ctx, l); err != nil {
			return nil, err
		}
	}
	feed.CloseInfeed()
	opts := e.EvalOptions
	opts.Feeds = nil
	var perDevice [][]*literal.Literal
	for _, row := range p.Programs {
		for _, c := range row {
			n := len(c.Parameters)
			perDevice, args = append(perDevice, args[:n]), args[n:]
			opts.Feeds = append(opts.Feeds, feed)
		}
	}
	out, err := EvaluateGrid(e.ctx, p.Programs, perDevice, opts)
	if err != nil {
		return nil, err
	}
	var flat []*literal.Literal
	for _, l := range out {
		if l.Shape().IsTuple() {
			flat = append(flat, l.Elems()...)
		} else {
			flat = append(flat, l)
		}
	}
	if len(flat) == 1 && !in.Shape.IsTuple() {
		return flat[0], nil
	}
	return literal.NewTuple(flat...), nil
}
