package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// benchProgram is a program with its inputs in place.
type benchProgram struct {
	handlers             handlers
	client               *xla.Client
	exe                  *xla.Executable
	path                 string
	module               *hlo.Module
	args                 [][]*xla.Buffer
	weights              []int               // the inputs that are bound
	bound                map[int]*xla.Buffer // they, which are no arguments
	replicas, partitions int
}

// openBench reads a program and its inputs: those of the case folder, or random ones.
func (t *tool) openBench(o *benchOptions, path string) (*benchProgram, error) {
	backend, err := newBackend(o.backend, o.hardware)
	if err != nil {
		return nil, err
	}
	p := &benchProgram{handlers: newHandlers(), path: path, replicas: 1, partitions: 1}
	if err := t.loadPlugins(p.handlers, o.plugins); err != nil {
		return nil, err
	}
	var literals [][]*literal.Literal
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		literals, err = p.readCase(path, o.plugins.files == nil)
		if err != nil {
			return nil, err
		}
	} else if literals, err = t.readProgram(p, path); err != nil {
		return nil, err
	}
	if p.client, err = xla.NewClient(backend, xla.ClientOptions{Handlers: p.handlers.all(),
		Devices: p.replicas * p.partitions}); err != nil {
		return nil, err
	}
	return p, p.place(literals)
}

// readCase reads the first form of a case folder's program and its inputs. own says that the case's library serves it.
func (p *benchProgram) readCase(dir string, own bool) ([][]*literal.Literal, error) {
	var m meta
	files, err := m.load(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no program", dir)
	}
	if m.Library != "" && own {
		if err := p.handlers.Load(m.Library, &m.Manifest); err != nil {
			return nil, absent(err)
		}
	}
	p.path = filepath.Join(dir, files[0])
	src, err := wholefile.Read(p.path)
	if err != nil {
		return nil, err
	}
	snapshot, err := xla.ReadSnapshot(xla.Program{Name: p.path, Source: src})
	if err != nil {
		return nil, err
	}
	p.module = snapshot.Module
	p.replicas, p.partitions = int(max(m.NumReplicas, 1)), int(max(m.NumPartitions, 1))
	if p.replicas*p.partitions == 1 {
		p.weights = m.Weights.numbers()
	}
	for _, i := range p.weights {
		if n := len(p.module.Entry.Parameters); i < 0 || i >= n {
			return nil, fmt.Errorf("%s: weights: got input %d, want 0 to %d", filepath.Join(dir, "meta.json"), i, n-1)
		}
	}
	if len(snapshot.Arguments) == p.replicas*p.partitions {
		return snapshot.Arguments, nil
	}
	return m.inputs(dir, p.module, p.replicas*p.partitions)
}

// readProgram reads a program and makes random inputs, unless it is a snapshot, which has some.
func (t *tool) readProgram(p *benchProgram, path string) ([][]*literal.Literal, error) {
	src, err := t.readFile(path)
	if err != nil {
		return nil, err
	}
	snapshot, err := xla.ReadSnapshot(xla.Program{Name: path, Source: src})
	if err != nil {
		return nil, err
	}
	p.module = snapshot.Module
	if len(snapshot.Arguments) == 1 {
		return snapshot.Arguments, nil
	}
	if err := nothingToRun(p.module); err != nil {
		return nil, fmt.Errorf("%w; give a folder that has the program and its input_N.npy", err)
	}
	args := make([]*literal.Literal, len(p.module.Entry.Parameters))
	for i, param := range p.module.Entry.Parameters {
		if args[i], err = randomInput(param.Shape, uint64(i)+1); err != nil {
			return nil, err
		}
	}
	c := p.module.Config
	p.replicas, p.partitions = int(max(c.NumReplicas, 1)), int(max(c.NumPartitions, 1))
	if err := (collective.Grid{Replicas: c.NumReplicas, Partitions: c.NumPartitions}).Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return slices.Repeat([][]*literal.Literal{args}, p.replicas*p.partitions), nil
}

// place makes buffers of the inputs.
func (p *benchProgram) place(literals [][]*literal.Literal) error {
	p.args, p.bound = make([][]*xla.Buffer, len(literals)), map[int]*xla.Buffer{}
	devices := p.client.Devices()
	for d := range literals {
		for i, l := range literals[d] {
			b, err := devices[d].FromLiteral(l)
			if err != nil {
				return err
			}
			if slices.Contains(p.weights, i) {
				p.bound[i] = b
			} else {
				p.args[d] = append(p.args[d], b)
			}
		}
	}
	return nil
}

func (p *benchProgram) compile(ctx context.Context, o *benchOptions) (err error) {
	p.exe, err = p.client.Compile(ctx, xla.Program{Name: p.path, Module: p.module},
		xla.CompileOptions{AllowReference: o.allowFallback, Bind: p.bound, Replicas: p.replicas,
			Partitions: p.partitions, Profile: o.report})
	return err
}

// warmUp runs the program with all callers until what is made at the first runs is there: memory, threads, caches.
func (p *benchProgram) warmUp(ctx context.Context, callers int) error {
	begin := time.Now()
	return byAll(callers, func() error {
		for i := 0; i < 3 || i < 100 && time.Since(begin) < 100*time.Millisecond; i++ {
			if err := p.run(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// byAll calls f on n goroutines at once and returns the first of their errors.
func byAll(n int, f func() error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// run executes the program once on its devices and closes the results.
func (p *benchProgram) run(ctx context.Context) error {
	if p.replicas*p.partitions > 1 {
		out, err := p.exe.ExecuteDevices(ctx, xla.RunOptions{}, p.args)
		closeAll(out)
		return err
	}
	out, err := p.exe.Execute(ctx, p.args[0]...)
	for _, b := range out {
		b.Close()
	}
	return err
}

func (p *benchProgram) close() {
	for _, b := range slices.Concat(append(p.args, slices.Collect(maps.Values(p.bound)))...) {
		b.Close()
	}
	if p.exe != nil {
		p.exe.Close()
	}
	p.client.Close()
	p.handlers.Close()
}
