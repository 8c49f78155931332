package cpu

import (
	"context"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// Passes is the pipeline of this backend.
func (m *machine) Passes() []pass.Pass {
	return []pass.Pass{
		pass.Layout(),
		pass.Inline(),
		pass.DCE(),
		pass.ExpandBatchNorm(),
		pass.Clean("clean"),
		pass.Unroll(),
		pass.Counters(),
		pass.Clean("unrolled"),
		pass.Rounds(),
		pass.Hoist(),
		pass.Convolutions(),
		pass.Widen(widens),
		pass.Reads(widensMatrix),
		pass.Precompute(m.constants),
		pass.Apart(),
		pass.Planes(),
		pass.Arguments(),
		pass.Gates(),
		pass.Clean("tidy"),
		pass.Transposes(),
		pass.Turns(turnsBlend),
		pass.Bags(bagged),
		pass.Wraps(),
		pass.Fuse(pass.Fusible{Elementwise: fusible, Reduce: reducible, Siblings: together, Rows: inRow,
			Mixed: true, Counts: run.Available(), Max: maxFusion}),
		pass.Epilogue(contracts, fusible, true),
		pass.Frame(framed),
		pass.Pieces(),
	}
}

// maxFusion is how many instructions a fusion has at most: the inverse of erf in f64 is 270, which become one stage.
const maxFusion = 384

// constants runs a module without parameters, whose results become constants of a program.
func (m *machine) constants(ctx context.Context, module *hlo.Module) (*literal.Literal, error) {
	var inner exec.Machine = constantMachine{m}
	if run.Available() {
		inner = constantRecorder{recorder{m}}
	}
	p, err := exec.New(inner).Compile(ctx, module, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	out, err := p.Run(ctx, [][]*literal.Literal{nil}, exec.RunOptions{})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// constantMachine and constantRecorder run what a program computes from constants: all they need are fusions.
type (
	constantMachine  struct{ *machine }
	constantRecorder struct{ recorder }
)

func (constantMachine) Passes() []pass.Pass { return constantPasses }

func (constantRecorder) Passes() []pass.Pass { return constantPasses }

var constantPasses = []pass.Pass{pass.Fuse(pass.Fusible{Elementwise: fusible})}

// passOrder says which passes must come before which others, and why.
var passOrder = []pass.Order{
	{Before: "layout", After: "clean", Because: "bitcasts between layouts are nothing that rules know"},
	{Before: "inline", After: "clean", Because: "rules and common values do not reach through calls"},
	{Before: "batchnorm", After: "clean", Because: "its factors are made of constants and are common to its uses"},
	{Before: "clean", After: "unroll", Because: "rounds can be counted when the state has been taken apart"},
	{Before: "unroll", After: "unrolled", Because: "what counts rounds has become constant"},
	{Before: "clean", After: "counters", Because: "rounds can be counted when the state has been taken apart"},
	{Before: "counters", After: "unrolled", Because: "what constants choose goes, and so do counts that nobody reads"},
	{Before: "clean", After: "hoist", Because: "what stays the same in a loop shows when its state has been taken apart"},
	{Before: "unrolled", After: "rounds", Because: "rows are slices whose begins are in their simplest form"},
	{Before: "rounds", After: "hoist", Because: "its products of all rows belong before the loop"},
	{Before: "clean", After: "convolution", Because: "its transposes move through what is left"},
	{Before: "hoist", After: "precompute", Because: "constants in loops follow from constants before them"},
	{Before: "widen", After: "precompute", Because: "it converts weights, which are often constants"},
	{Before: "read", After: "precompute", Because: "weights that are constants are to stay as narrow as they are"},
	{Before: "convolution", After: "precompute", Because: "it transposes weights, which are often constants"},
	{Before: "clean", After: "arguments", Because: "it knows choices in their simplest form"},
	{Before: "arguments", After: "tidy", Because: "it compares with broadcasts that rules know"},
	{Before: "clean", After: "planes", Because: "its arrays are made of nothing but broadcasts once those are joined"},
	{Before: "planes", After: "tidy", Because: "it makes a reduction's first sum with a constant"},
	{Before: "counters", After: "apart", Because: "rounds are counted by elements of a state that stay where they are"},
	{Before: "apart", After: "tidy", Because: "its slices are of broadcasts, of slices, and of what is reshaped"},
	{Before: "clean", After: "gates", Because: "it knows slices once they are of what they are slices of"},
	{Before: "gates", After: "tidy", Because: "slices of broadcasts become broadcasts of slices there"},
	{Before: "precompute", After: "tidy", Because: "what has become a constant is known to rules"},
	{Before: "convolution", After: "tidy", Because: "transposes that met elsewhere than in one sweep cancel there"},
	{Before: "tidy", After: "transposes", Because: "those that cancel would not meet behind it, nor those that dots read"},
	{Before: "transposes", After: "fuse", Because: "what makes elements wider is fused with what follows the transpose"},
	{Before: "precompute", After: "turns", Because: "whether dots turn depends on what is known of them"},
	{Before: "transposes", After: "turns", Because: "it moves those that no dot is better for"},
	{Before: "turns", After: "fuse", Because: "a dot in a fusion with its transpose is none that an epilogue may follow"},
	{Before: "tidy", After: "bags", Because: "a gather's result may be reshaped before it is added"},
	{Before: "bags", After: "wrap", Because: "a bag's indices are wrapped in its own fusion"},
	{Before: "wrap", After: "fuse", Because: "what wraps indices is not fused with what makes them"},
	{Before: "bags", After: "fuse", Because: "a reduction that is in a fusion with what follows reads memory"},
	{Before: "fuse", After: "epilogue", Because: "an epilogue is all that is done to the elements of a contraction"},
	{Before: "epilogue", After: "frame", Because: "an edge can wait, what is done to a product's elements cannot"},
	{Before: "fuse", After: "pieces", Because: "fusions read slices where they lie, and need none of their own"},
	{Before: "frame", After: "pieces", Because: "a fusion that copies pieces has no rows to be framed"},
	{Before: "tidy", After: "fuse", Because: "inside a fusion nothing is simplified any more"},
}
