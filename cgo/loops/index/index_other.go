//go:build !cgo || !linux

package index

import "github.com/halo-xla/halo/cgo/loops/run"

const none = "index: bug: this build has no native kernels, ask run.Available"

// Gather panics: this build has no native kernels.
func (p *Plan) Gather(run.ISA, run.Ref, run.Ref, Window) run.Record { panic(none) }

// GatherColumns panics: this build has no native kernels.
func (p *Plan) GatherColumns(run.Ref, run.Ref, run.Ref, int, int64, []Axis) run.Record { panic(none) }

// Bags panics: this build has no native kernels.
func (p *Plan) Bags(run.Ref, run.Ref, run.Ref, int64, int64, int64) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (b *Blend) Record(run.ISA) run.Record { panic(none) }

// Scatter panics: this build has no native kernels.
func Scatter(...Body) run.Record { panic(none) }
