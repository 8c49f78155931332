package emit

import "github.com/halo-xla/halo/xla/hlo"

func emitCholesky(e *Emission, in *hlo.Instruction)        { refuse("%s", in.Op) }
func emitFft(e *Emission, in *hlo.Instruction)             { refuse("%s", in.Op) }
func emitRandomBits(e *Emission, in *hlo.Instruction)      { refuse("%s", in.Op) }
func emitScatter(e *Emission, in *hlo.Instruction)         { refuse("%s", in.Op) }
func emitSort(e *Emission, in *hlo.Instruction)            { refuse("%s", in.Op) }
func emitTopK(e *Emission, in *hlo.Instruction)            { refuse("%s", in.Op) }
func emitTriangularSolve(e *Emission, in *hlo.Instruction) { refuse("%s", in.Op) }
func emitTranspose(e *Emission, in *hlo.Instruction)       { emitLoop(e, in) }
func emitReduceWindow(e *Emission, in *hlo.Instruction)    { emitLoop(e, in) }
func emitUpdate(e *Emission, in *hlo.Instruction)          { emitLoop(e, in) }
