// Package exec makes programs run: it knows what a backend must provide, turns modules into thunks over one block of
// memory, and has the backend that runs everything by the reference evaluator.
package exec

import (
	"context"
	"time"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Backend is what a device family provides to clients. New makes one of a Machine.
type Backend interface {
	// Name is what flags and reports call the backend.
	Name() string
	// Compile makes a verified module ready to run on any number of devices. It fails with errors.ErrUnsupported and a
	// sentence that names every op it cannot run.
	Compile(ctx context.Context, m *hlo.Module, o Options) (Program, error)
}

// Options say how a module is compiled.
type Options struct {
	// Handlers finds the functions behind custom calls; nil: there are none.
	Handlers hlo.Handlers
	// MemoryLimit is the greatest number of bytes that live values of one execution may take; 0: no limit.
	MemoryLimit int64
	// AllowReference lets the reference evaluator run what the machine cannot; Report lists it.
	AllowReference bool
	// Verify checks the module after each pass, and holds every thunk to the memory that it says it uses, in every run. It
	// is slow and for tests.
	Verify bool
	// Profile takes the time of every step in every run, for Report. It costs some: steps that would run together do not.
	Profile bool
	// DumpTo is a folder for the module after each pass that changed it, as text; "" is none.
	DumpTo string
	// FlushDenormals lets native kernels take sub-normal numbers for zero, operands and results; others keep them.
	FlushDenormals bool
	// Tune is how long libraries may measure which of their ways is fastest, for each of their plans; 0: they estimate.
	Tune time.Duration
	// TuneFolder keeps what was measured, for compiles to come; "": it is forgotten with the process.
	TuneFolder string
}

// Program is a compiled module. It is immutable and safe for concurrent use.
type Program interface {
	// Run runs the program once on each device: args[d] are the arguments of device d (replica-major), row-major literals
	// or in any layout. It returns one result a device and fails with ctx's error when ctx ends.
	Run(ctx context.Context, args [][]*literal.Literal, o RunOptions) ([]*literal.Literal, error)
	// Call runs the program once on one device. It is the way for programs that take microseconds.
	Call(ctx context.Context, c *Call) error
	// Report lists what runs what.
	Report() []Step
	// Close frees what the program holds, when no Run is under way. Only the first of several calls does something.
	Close()
}

// Memory is what one execution on one device takes beside arguments and constants, in bytes.
type Memory struct {
	// Peak is what is allocated: temporaries and results. Liveness is what no plan needs less than: the most that live at
	// one time, in lines of 64 bytes, results from beginning to end, temporaries in them where they fit.
	Peak, Liveness int64
}

// ID is the number of an execution, which no other of the process has.
type ID int64

// NewID returns the number of one more execution.
func NewID() ID { return ID(executions.Add(1)) }

// RunOptions say how a program runs once.
type RunOptions struct {
	// Seed seeds the generators of rng ops.
	Seed uint64
	// Replicas and Partitions say how many devices there are; 0 means 1.
	Replicas, Partitions int
	// MaxSteps limits the instructions that the reference runs, loops counted; 0: no limit.
	MaxSteps int64
	// Donated says of each device's arguments, by number, whose memory the run may overwrite: nobody else has it, and
	// nobody wants the argument any more. nil: none.
	Donated [][]bool
	// Feeds are the infeed and outfeed queues, one a device; nil: infeed and outfeed fail.
	Feeds []*hlo.Feed
	// Host serves sends to the host and receives from it; nil: they fail.
	Host hlo.HostTransfers
	// Job is the ranks among which the devices of Program.Run and of run_parallel calls are, if these are for several;
	// every rank runs the program with all arguments and gets all results. nil: all devices are here.
	Job *collective.Job

	// ID is the number of the execution, the same on all its devices; 0: it gets one when something asks.
	ID ID
}

// Step is one line of a report.
type Step struct {
	// Op is the opcode, Kernel what runs it: a library, a kernel, or "reference".
	Op, Kernel string
	// Instruction is the name of the first instruction of this kind, Count how many there are.
	Instruction string
	Count       int
	// Reason says why the reference runs it; "" if something faster does.
	Reason string
	// Bytes are those that one run of the step touches, FLOPs what it computes; 0 if unknown.
	Bytes, FLOPs int64
	// Calls are those of vendors' libraries in one run of the step, which an execution ends only between.
	Calls Calls
	// Runs are how often the step has run, and Time how long that took in all, if the program was compiled with Profile.
	Runs int64
	Time time.Duration
}
