package cpu

import (
	"github.com/halo-xla/halo/xla/pass"
)

// rounds is how often the cleaning passes run again because they have changed something.
const rounds = 4

// Passes is the pipeline of this backend.
func (m *machine) Passes() []pass.Pass {
	clean := []pass.Pass{pass.Tuples(), pass.Simplify(), pass.CSE(), pass.DCE()}
	return []pass.Pass{
		pass.Layout(),
		pass.Inline(),
		pass.DCE(),
		pass.ExpandBatchNorm(),
		pass.Repeat("clean", rounds, clean...),
		pass.Hoist(),
		pass.Convolutions(),
		pass.Repeat("tidy", rounds, clean...),
		pass.Fuse(pass.Fusible{Elementwise: fusible, Reduce: reducible, Mixed: true}),
	}
}

// passOrder says which passes must come before which others, and why.
var passOrder = []pass.Order{
	{Before: "layout", After: "clean", Because: "bitcasts between layouts are nothing that rules know"},
	{Before: "inline", After: "clean", Because: "rules and common values do not reach through calls"},
	{Before: "batchnorm", After: "clean", Because: "its factors are made of constants and are common to its uses"},
	{Before: "clean", After: "hoist", Because: "what stays the same in a loop shows when its state has been taken apart"},
	{Before: "clean", After: "convolution", Because: "its transposes move through what is left"},
	{Before: "convolution", After: "tidy", Because: "transposes that met elsewhere than in one sweep cancel there"},
	{Before: "tidy", After: "fuse", Because: "inside a fusion nothing is simplified any more"},
}
