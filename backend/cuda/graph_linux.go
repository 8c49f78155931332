//go:build cgo

package cuda

import (
	"errors"
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
)

// graphs are commands that were captured, with the addresses that their slots had, the last used first.
type graphs struct {
	slots []int64
	list  []*graph
}

// mostGraphs is how many lists of addresses the same commands are kept captured for: loops whose results are the next
// arguments have two.
const mostGraphs = 4

// graph is commands captured with some addresses.
type graph struct {
	exec cuda.Exec
	at   []cuda.Ptr // by the commands' slots
}

func (g *graphs) close(d *device) error {
	var errs []error
	for _, x := range g.list {
		errs = append(errs, d.CloseExec(x.exec))
	}
	return errors.Join(errs...)
}

// submit enqueues a. The first time it does so command by command, since modules are loaded and memory is touched then;
// after that it runs the graph of the addresses that the slots have now.
func (m *memory) submit(a *cuda.Array) error {
	if a.Len() < 2 {
		return m.device.Submit(a, m.stream, m.base)
	}
	g := m.graphs[a]
	if g == nil {
		m.graphs[a] = &graphs{slots: a.Slots()}
		return m.device.Submit(a, m.stream, m.base)
	}
	x, err := m.graph(g, a)
	if err != nil {
		return err
	}
	return m.device.Device.Run(x.exec, m.stream)
}

// graph returns the graph of a with the addresses of m, captured anew if there is none.
func (m *memory) graph(g *graphs, a *cuda.Array) (*graph, error) {
	for i, x := range g.list {
		if m.has(g.slots, x.at) {
			copy(g.list[1:i+1], g.list[:i])
			g.list[0] = x
			return x, nil
		}
	}
	captured, err := m.capture(a)
	if err != nil {
		return nil, err
	}
	x, err := m.ready(g, captured)
	if err = errors.Join(err, m.device.CloseGraph(captured)); err != nil {
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

// ready makes a graph that runs: one for addresses that were not used for long takes others if there are many.
func (m *memory) ready(g *graphs, captured cuda.Graph) (*graph, error) {
	if last := len(g.list) - 1; last+1 == mostGraphs {
		x := g.list[last]
		g.list = g.list[:last]
		if err := m.device.Update(x.exec, captured); err == nil {
			return &graph{exec: x.exec}, nil
		}
		if err := m.device.CloseExec(x.exec); err != nil {
			return nil, err
		}
	}
	x, err := m.device.Instantiate(captured)
	if err != nil {
		return nil, err
	}
	return &graph{exec: x}, nil
}

// capture returns the graph of a.
func (m *memory) capture(a *cuda.Array) (cuda.Graph, error) {
	d := m.device
	if err := d.Capture(m.stream); err != nil {
		return cuda.Graph{}, err
	}
	failed := d.Submit(a, m.stream, m.base)
	captured, err := d.Captured(m.stream)
	if err != nil { // the stream must not stay as it is
		if captured, again := d.Captured(m.stream); again == nil {
			err = errors.Join(err, d.CloseGraph(captured))
		}
		return cuda.Graph{}, errors.Join(failed, err)
	}
	if failed != nil {
		return cuda.Graph{}, errors.Join(failed, d.CloseGraph(captured))
	}
	return captured, nil
}
