package pass

import "github.com/halo-xla/halo/xla/hlo"

// Cut returns the program whose result is that of in, an instruction of m's entry, without what in does not need. The
// parameters are those of m. Layouts and aliases that m states for its own result are left out.
func Cut(m *hlo.Module, in *hlo.Instruction) *hlo.Module {
	me := &moduleEditor{m: m, made: map[*hlo.Computation]*hlo.Computation{}}
	e := me.editor(m.Entry)
	e.keepAll()
	e.root, e.dirty = e.of(in), true
	n := hlo.NewModule(m.Name, e.finish())
	n.Config = hlo.ModuleConfig{NumReplicas: m.Config.NumReplicas, NumPartitions: m.Config.NumPartitions}
	return n
}
