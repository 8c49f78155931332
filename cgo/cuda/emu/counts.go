package emu

import "github.com/halo-xla/halo/cgo/cuda"

// Counts of the emulator, which a Device tells like attributes: how many calls there were since it was opened, and how
// many objects live: blocks of memory, bytes of pinned memory, streams, events, modules, graphs, users of the
// first device's context, what programs have made of libraries, and bytes of memory.
const (
	Calls cuda.Attribute = 1<<20 + iota
	Blocks
	Pinned
	Streams
	Events
	Modules
	Graphs
	Contexts
	Comms // of the emulated NCCL
	Held  // objects of the other emulated libraries
	Used  // bytes of memory
)
