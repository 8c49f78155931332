package main

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/xla/hlo"
)

// opLine is what ops says of one operation.
type opLine struct {
	Name      string `json:"name"`
	HLO       string `json:"hlo"`
	StableHLO string `json:"stablehlo"`
	Seeds     string `json:"seeds"`
	Row       int    `json:"row"`
	Reference bool   `json:"reference"`
	CPU       string `json:"cpu"`
	CUDA      string `json:"cuda"`
}

// opLines are the rows of the source documents, then the ops that none of them names.
func opLines() []opLine {
	var lines []opLine
	named := map[hlo.Opcode]bool{}
	for _, r := range hlo.SourceRows {
		named[r.Op] = true
		name := r.Op.String()
		lines = append(lines, opLine{r.Name, name, r.MLIR, r.Seeds, r.Row, r.Op.Info().Eval != nil, cpu.Runs(r.Op),
			cuda.Runs(r.Op)})
	}
	for op := hlo.Opcode(0); op < hlo.NumOps; op++ {
		if i := op.Info(); !named[op] {
			lines = append(lines, opLine{i.Name, i.Name, i.MLIR, "", 0, i.Eval != nil, cpu.Runs(op), cuda.Runs(op)})
		}
	}
	return lines
}

func opsCommand(t *tool, args []string) error {
	fl := t.flags("ops")
	asJSON := fl.Bool("json", false, "one JSON line an op")
	if rest, err := t.parse(fl, args); err != nil || len(rest) > 0 {
		return usageOr(err, rest)
	}
	missing := false
	for _, l := range opLines() {
		missing = missing || !l.Reference
		if *asJSON {
			t.json(l)
			continue
		}
		ref := "-"
		if l.Reference {
			ref = "reference"
		}
		fmt.Fprintf(t.stdout, "%4d %-24s %-28s %-36s %-4s %-10s cpu %-10s cuda %s\n", l.Row, l.Name, l.HLO, l.StableHLO,
			l.Seeds, ref, l.CPU, l.CUDA)
	}
	if missing {
		return errSilent
	}
	return nil
}

// usageOr returns err, or that the words are too many.
func usageOr(err error, words []string) error {
	if err != nil {
		return err
	}
	return exitf(exitUsage, "unexpected %q", words[0])
}
