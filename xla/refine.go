package xla

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// refining is a program with unbounded dimensions. For each list of sizes that its arguments come with it is refined to
// a static program, which is compiled once and kept within bounds. What cannot be refined runs as it is, every dynamic
// instruction by itself.
type refining struct {
	module  *hlo.Module
	compile func(ctx context.Context, m *hlo.Module) (exec.Program, error)
	logger  *slog.Logger
	// general is the program as it is; nil if the backend refused that, with refused.
	general exec.Program
	refused error

	programs *cache
	mu       sync.Mutex
	// valued are the parameters on whose values sizes depend, as far as that has come out; last is the key of the program
	// that ran last.
	valued []int
	last   string
}

// maxRefined is how many static programs a dynamic one keeps.
const maxRefined = 32

// isUnbounded reports whether m has dimensions of any size.
func isUnbounded(m *hlo.Module) bool {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.IsDynamic() && slices.ContainsFunc(in.Shape.Leaves(), hlo.IsUnbounded) {
				return true
			}
		}
	}
	return false
}

// newRefining wraps what a backend made of m, or why it made nothing.
func (c *Client) newRefining(m *hlo.Module, general exec.Program, refused error,
	compile func(ctx context.Context, m *hlo.Module) (exec.Program, error)) *refining {
	return &refining{module: m, compile: compile, logger: c.logger(), general: general, refused: refused,
		programs: newCache(maxRefined)}
}

// Run runs the static program for the sizes of args.
func (p *refining) Run(ctx context.Context, args [][]*literal.Literal, o exec.RunOptions) ([]*literal.Literal, error) {
	list := make([][]argument, len(args))
	for d := range args {
		list[d] = argumentsOf(args[d], nil)
	}
	s, err := p.take(ctx, list)
	if err != nil {
		return nil, err
	}
	defer p.programs.release(s)
	return s.program.Run(ctx, args, o)
}

// Call runs the static program for the sizes of c's arguments.
func (p *refining) Call(ctx context.Context, c *exec.Call) error {
	s, err := p.take(ctx, [][]argument{argumentsOf(c.Args, c.Arrays)})
	if err != nil {
		return err
	}
	defer p.programs.release(s)
	return s.program.Call(ctx, c)
}

// Report is that of the static program that ran last, or of the general one.
func (p *refining) Report() []exec.Step {
	p.mu.Lock()
	last := p.last
	p.mu.Unlock()
	if s := p.programs.find(last); s != nil {
		defer p.programs.release(s)
		return s.program.Report()
	}
	if p.general == nil {
		return nil
	}
	return p.general.Report()
}

// Close closes all programs.
func (p *refining) Close() {
	p.programs.clear()
	if p.general != nil {
		p.general.Close()
	}
}

// argument is a literal, or an array in the memory of a device.
type argument struct {
	literal *literal.Literal
	array   *exec.Array
}

// argumentsOf lists arguments: arrays are those that are no literals.
func argumentsOf(literals []*literal.Literal, arrays []*exec.Array) []argument {
	out := make([]argument, len(literals))
	for i, l := range literals {
		if out[i].literal = l; l == nil {
			out[i].array = arrays[i]
		}
	}
	return out
}

func (a argument) shape() shape.Shape {
	if a.array != nil {
		return a.array.Shape()
	}
	return a.literal.Shape()
}

// value returns the row-major value.
func (a argument) value() (*literal.Literal, error) {
	if a.array == nil {
		return a.literal.RowMajor(), nil
	}
	l, err := a.array.Literal()
	if err != nil {
		return nil, err
	}
	return l.RowMajor(), nil
}

// take returns the program for args until it is released.
func (p *refining) take(ctx context.Context, args [][]argument) (*shared, error) {
	key, err := p.key(args)
	if err != nil {
		return nil, err
	}
	s := p.programs.find(key)
	if s == nil {
		if s, err = p.make(ctx, args); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.last = s.name
	p.mu.Unlock()
	return s, nil
}

// make compiles the program for args. The general one serves where there is none.
func (p *refining) make(ctx context.Context, args [][]argument) (*shared, error) {
	m, err := p.refine(args)
	var program exec.Program
	if err == nil {
		program, err = p.compile(ctx, m)
	}
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		p.logger.LogAttrs(ctx, slog.LevelDebug, "xla: a dynamic program is not refined", slog.String("why", err.Error()))
		if p.general == nil {
			return nil, errors.Join(err, p.refused)
		}
		program = kept{p.general}
	}
	key, err := p.key(args) // by now it is known which values count
	if err != nil {
		program.Close()
		return nil, err
	}
	s := &shared{program: program, key: key, name: key}
	p.programs.add(s)
	return s, nil
}

// kept is a program that is closed by somebody else.
type kept struct{ exec.Program }

func (kept) Close() {}

// refine returns the static program for args.
func (p *refining) refine(args [][]argument) (*hlo.Module, error) {
	for _, list := range args[1:] {
		if !slices.EqualFunc(list, args[0], func(a, b argument) bool { return a.shape().Compatible(b.shape()) }) {
			return nil, fmt.Errorf("the devices have arguments of different sizes: %w", errors.ErrUnsupported)
		}
	}
	for {
		list, err := p.arguments(args[0])
		if err != nil {
			return nil, err
		}
		m, err := pass.Refine(p.module, list)
		var needs *pass.NeedsValues
		if !errors.As(err, &needs) {
			if err == nil {
				err = hlo.Verify(m)
			}
			return m, err
		}
		if len(args) > 1 || !p.need(needs.Parameters) {
			return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
		}
	}
}

// need notes that the values of parameters count, and reports whether that is news.
func (p *refining) need(parameters []int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := false
	for _, i := range parameters {
		if !slices.Contains(p.valued, i) {
			p.valued, news = append(slices.Clone(p.valued), i), true
		}
	}
	slices.Sort(p.valued)
	return news
}

func (p *refining) values() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.valued
}

func (p *refining) arguments(list []argument) (_ []pass.Argument, err error) {
	out := make([]pass.Argument, len(list))
	for i, a := range list {
		out[i].Shape = a.shape()
	}
	for _, i := range p.values() {
		if out[i].Value, err = list[i].value(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// key identifies the static program for args.
func (p *refining) key(args [][]argument) (string, error) {
	var b strings.Builder
	for _, list := range args {
		for _, a := range list {
			b.Write(a.shape().WithoutLayout().Append(nil, false))
			b.WriteByte(' ')
		}
		for _, i := range p.values() {
			l, err := list[i].value()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%d=%x ", i, l.Bytes())
		}
	}
	return b.String(), nil
}
