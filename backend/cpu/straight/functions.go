package straight

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/internal/code"
)

// Stages of one value and of two that the code calls C functions for: those of pipeline's calls.def.
var (
	calls1 = strings.Fields("exp expm1 log log1p logistic tanh sinh cosh asinh acosh atanh sin cos tan asin acos atan " +
		"cbrt erf erfc gelu_erfc erf_inv")
	calls2 = strings.Fields("pow atan2")
)

// pays reports whether code is worth it: a function's vectors go through memory, which costs what few jumps do, and the
// stages of a sweep that reduces ask for what is next more evenly.
func (l *list) pays() bool {
	functions, others, each := 0, 0, 1
	for i := range l.stages {
		switch name := l.stages[i].Name; {
		case slices.Contains(calls1, name), slices.Contains(calls2, name):
			functions++
		case strings.HasPrefix(name, "acc_"):
			each = 2
		case name != "load" && name != "store":
			others++
		}
	}
	return others >= each*functions
}

func addFunctions(all map[string]recipe) {
	for _, name := range calls1 {
		all[name] = func(m *maker, _ *pipeline.Stage) { m.register = m.call(name, m.register) }
	}
	for _, name := range calls2 {
		all[name] = func(m *maker, s *pipeline.Stage) { m.register = m.call(name, m.register, m.at(s.A)) }
	}
}

// call is what the function of a stage makes of values, if it has one for such lanes.
func (m *maker) call(name string, args ...code.Value) code.Value {
	function := pipeline.Call(name, m.level, m.Lane())
	if function == nil {
		m.failed = true
		return 0
	}
	return m.Call(function, args...)
}
