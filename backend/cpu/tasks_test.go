package cpu

import (
	"testing"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/shape"
)

// TestTasks wants that programs of some 20 us and more are several tasks, smaller ones one, and large ones tasks of
// 50 us, which are 1 M of the units of costs.
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		cost         int
		elements     int64
		fewest, most int64
	}{
		{cost: 20, elements: 1 << 10, fewest: 1, most: 1},
		{cost: 20, elements: 1 << 16, fewest: 4, most: 16},
		{cost: 500, elements: 5000, fewest: 3, most: 16},
		{cost: 8, elements: 1 << 24, fewest: 64, most: 256},
		{cost: 1, elements: 0},
	} {
		n := task(c.cost, c.elements, leastWork)
		if tasks := (c.elements + n - 1) / n; tasks < c.fewest || tasks > c.most {
			t.Errorf("%d elements of cost %d: %d tasks of %d, want %d to %d", c.elements, c.cost, tasks, n, c.fewest, c.most)
		}
	}
}

// TestFewBlocks wants that products of some 40 us are more than one piece, and matrices of a batch one each, several a
// task.
func TestFewBlocks(t *testing.T) {
	for _, c := range []struct{ m, n, k, batch, pieces, tasks int }{
		{64, 64, 64, 1, 1, 1}, {128, 128, 128, 1, 2, 2}, {37, 333, 1000, 1, 4, 4}, {32, 32, 32, 64, 64, 8},
		{1024, 1024, 1024, 1, 64, 64},
	} {
		f := matrices{m: c.m, n: c.n, k: c.k, a: make([]int, c.batch), b: make([]int, c.batch), c: make([]int, c.batch)}
		p, ok := f.product(shape.F32, shape.F32)
		if !ok || len(p.Pieces) != c.pieces {
			t.Errorf("%v: %d pieces, %v", c, len(p.Pieces), ok)
		}
		if tasks := (len(p.Pieces) + int(p.PerTask) - 1) / int(p.PerTask); tasks != c.tasks {
			t.Errorf("%v: %d tasks", c, tasks)
		}
	}
}

// TestTasksWithBias wants that a program that reads a row again and again is no more tasks than it has 50 us of work.
func TestTasksWithBias(t *testing.T) {
	array := pipeline.Stream{Kind: pipeline.Linear}
	plain := emitter{inputs: []pipeline.Stream{array}}
	biased := emitter{inputs: []pipeline.Stream{array, {Kind: pipeline.Strided}}}
	if n := task(20, 1<<16, plain.leastWork()); n >= 1<<15 {
		t.Errorf("tasks of %d elements", n)
	}
	if n := task(20, 1<<16, biased.leastWork()); n != 1<<16 {
		t.Errorf("tasks of %d elements with a bias", n)
	}
}
