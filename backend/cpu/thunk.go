package cpu

import "github.com/halo-xla/halo/xla/exec"

// thunk is a kernel in Go with its operands bound.
type thunk struct {
	kernel  string
	uses    []exec.Use
	inPlace []exec.Pair
	run     func(r *exec.Run) error
}

// goThunk returns the thunk that runs a kernel in Go; kernel is its name in reports, "go transpose".
func goThunk(kernel string, uses []exec.Use, run func(r *exec.Run) error) *thunk {
	return &thunk{kernel: kernel, uses: uses, run: run}
}

// overwriting says which results may have the memory of which operands.
func (t *thunk) overwriting(pairs ...exec.Pair) *thunk {
	t.inPlace = pairs
	return t
}

func (t *thunk) Run(r *exec.Run) error { return t.run(r) }

func (t *thunk) Uses() []exec.Use { return t.uses }

func (t *thunk) InPlace() []exec.Pair { return t.inPlace }

func (t *thunk) Kernel() string { return t.kernel }
