//go:build cgo

package cuda

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// graphs are those of a node with the addresses that its slots had, the last used first.
type graphs struct {
	slots   []int64
	list    []*graph
	refused bool // the driver does not take them
}

// mostGraphs is how many lists of addresses the same commands are kept captured for: loops whose results are the next
// arguments have two.
const mostGraphs = 4

// graph is one with some addresses.
type graph struct {
	exec cuda.Exec
	at   []cuda.Ptr // by the node's slots
}

func (g *graphs) close(d *device) error {
	var errs []error
	for _, x := range g.list {
		errs = append(errs, d.CloseExec(x.exec))
	}
	return errors.Join(errs...)
}

// do does p. A node is done by the host the first time, since modules are loaded and memory is touched then; after that
// it runs as the graph of the addresses that its slots have now, unless it is a single command.
func (m *memory) do(r *exec.Run, p part) error {
	n, ok := p.(node)
	if c, plain := p.(*commands); !ok || !n.fits() || plain && c.Len() < 2 {
		return p.run(r, m)
	}
	if m.graphs[n] == nil {
		m.graphs[n] = &graphs{slots: slotsOf(n)}
		return p.run(r, m)
	}
	if done, err := m.launch(n); done || err != nil {
		return err
	}
	return p.run(r, m)
}

// launch enqueues n as a graph, and reports whether that can be done.
func (m *memory) launch(n node) (done bool, err error) {
	g := m.graphs[n]
	if g == nil {
		g = &graphs{slots: slotsOf(n)}
		m.graphs[n] = g
	}
	if g.refused || !n.ready(m) {
		return false, nil
	}
	x, err := m.graph(g, n)
	if _, plain := n.(*commands); !plain && isRefused(err) {
		m.device.warn.Do(func() { slog.Warn("cuda: the host decides on a loop or a branch", "reason", err) })
		g.refused = true
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, m.device.Device.Run(x.exec, m.stream)
}

// graph returns the graph of n with the addresses of m, captured anew if there is none.
func (m *memory) graph(g *graphs, n node) (*graph, error) {
	for i, x := range g.list {
		if m.has(g.slots, x.at) {
			copy(g.list[1:i+1], g.list[:i])
			g.list[0] = x
			return x, nil
		}
	}
	written, err := m.write(n)
	if err != nil {
		return nil, err
	}
	_, plain := n.(*commands)
	x, err := m.instance(g, written, plain)
	if err = errors.Join(err, m.device.CloseGraph(written)); err != nil {
		if x != nil {
			err = errors.Join(err, m.device.CloseExec(x.exec))
		}
		return nil, err
	}
	for _, s := range g.slots {
		x.at = append(x.at, m.base[s])
	}
	g.list = slices.Insert(g.list, 0, x)
	return x, nil
}

// has reports whether slots have the addresses at.
func (m *memory) has(slots []int64, at []cuda.Ptr) bool {
	for i, s := range slots {
		if m.base[s] != at[i] {
			return false
		}
	}
	return true
}

// instance makes a graph that runs: one for addresses that were not used for long takes others if there are many,
// unless there are conditions, which belong to the graph that they were made for.
func (m *memory) instance(g *graphs, written cuda.Graph, plain bool) (*graph, error) {
	if last := len(g.list) - 1; last+1 == mostGraphs {
		x := g.list[last]
		g.list = g.list[:last]
		if plain && m.device.Update(x.exec, written) == nil {
			return &graph{exec: x.exec}, nil
		}
		if err := m.device.CloseExec(x.exec); err != nil {
			return nil, err
		}
	}
	x, err := m.device.Instantiate(written)
	if err != nil {
		return nil, err
	}
	return &graph{exec: x}, nil
}

// write returns the graph of n.
func (m *memory) write(n node) (cuda.Graph, error) {
	c, plain := n.(*commands)
	if plain && c.branches(m) == nil {
		return m.capture(&c.Array)
	}
	g, err := m.written(n)
	if plain && isRefused(err) {
		return m.capture(&c.Array)
	}
	return g, err
}

// isRefused reports whether the driver does not take what it was given.
func isRefused(err error) bool {
	var e *cuda.Error
	return errors.As(err, &e) && e.Refused()
}

// written returns the graph of n, piece by piece.
func (m *memory) written(n node) (cuda.Graph, error) {
	g, err := m.device.NewGraph()
	if err != nil {
		return g, err
	}
	if err := n.write(&writer{m: m, graph: g}); err != nil {
		return cuda.Graph{}, errors.Join(err, m.device.CloseGraph(g))
	}
	return g, nil
}

// capture returns the graph of a, which any driver has.
func (m *memory) capture(a *cuda.Array) (cuda.Graph, error) {
	d := m.device
	if err := d.Capture(m.stream); err != nil {
		return cuda.Graph{}, err
	}
	failed := d.Submit(a, m.stream, m.base)
	captured, err := m.endCapture()
	if err = errors.Join(failed, err); err != nil && captured != (cuda.Graph{}) {
		return cuda.Graph{}, errors.Join(err, d.CloseGraph(captured))
	}
	return captured, err
}

// endCapture ends a capture. It tries twice: the stream must not stay as it is.
func (m *memory) endCapture() (cuda.Graph, error) {
	g, err := m.device.Captured(m.stream)
	if err != nil {
		if again, failed := m.device.Captured(m.stream); failed == nil {
			g = again
		}
	}
	return g, err
}

// writer writes a graph.
type writer struct {
	m     *memory
	graph cuda.Graph
	last  []cuda.Node // which all that comes next is behind
}

// commands writes the nodes of a, each behind the one before.
func (w *writer) commands(a *cuda.Array) (err error) {
	w.last, err = w.behind(w.last, a)
	return err
}

// behind writes the nodes of a behind some others, and returns the last.
func (w *writer) behind(after []cuda.Node, a *cuda.Array) ([]cuda.Node, error) {
	d, s := w.m.device, w.m.stream
	if err := d.CaptureInto(s, w.graph, after...); err != nil {
		return nil, err
	}
	failed := d.Submit(a, s, w.m.base)
	last, err := d.Last(s)
	_, ended := w.m.endCapture()
	return last, errors.Join(failed, err, ended)
}

// branches writes the nodes of pieces of work that wait for those that they depend on, and for no others.
func (w *writer) branches(c *commands, before [][]int) error {
	ends, followed := make([][]cuda.Node, len(c.work)), make([]bool, len(c.work))
	from := 0
	for i, p := range c.work {
		after := w.last
		if len(before[i]) > 0 {
			after = nil
		}
		for _, k := range before[i] {
			followed[k] = true
			after = append(after, ends[k]...)
		}
		var err error
		if ends[i], err = w.behind(unique(after), c.Range(from, p.end)); err != nil {
			return err
		}
		from = p.end
	}
	w.last = nil
	for i, e := range ends {
		if !followed[i] {
			w.last = append(w.last, e...)
		}
	}
	w.last = unique(w.last)
	return nil
}

// unique returns nodes each once.
func unique(list []cuda.Node) (out []cuda.Node) {
	for _, n := range list {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// parts writes the nodes of parts that fit.
func (w *writer) parts(list []part) error {
	for _, p := range list {
		if err := p.(node).write(w); err != nil {
			return err
		}
	}
	return nil
}

// conditional adds a node whose body runs if a condition is set, once or as long as it is, and returns its writer.
func (w *writer) conditional(c cuda.Condition, loops bool) (*writer, error) {
	n, body, err := w.m.device.Conditional(w.graph, c, loops, w.last...)
	w.last = []cuda.Node{n}
	return &writer{m: w.m, graph: body}, err
}

// deciding returns the kernels that decide, and the word that ends loops.
func (w *writer) deciding() (*decider, cuda.Ptr, error) {
	k, err := w.m.device.deciding()
	if err != nil {
		return nil, 0, err
	}
	stop, err := w.m.stop.on(w.m.device)
	return k, stop, err
}

// slotsOf lists the slots of n, each once, in order.
func slotsOf(n node) []int64 {
	list := n.slots(nil)
	slices.Sort(list)
	return slices.Compact(list)
}
