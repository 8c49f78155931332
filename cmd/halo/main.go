// Halo runs, checks, verifies and converts XLA programs.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
)

// The exit codes of every command.
const (
	exitOK = iota
	exitFailure
	exitUsage
	exitDiffers
	exitResource
	exitMissing
)

// command is one of the tool's commands. run gets the arguments after the command's name.
type command struct {
	name, usage, what string
	more              string // what -h adds, in whole lines
	run               func(t *tool, args []string) error
}

const inputHelp = `M is a program, told by its content: a file of HLO or StableHLO text or of MLIR bytecode,
a HloModuleProto or HloSnapshot, or a container of jax.export; - is the standard input.
Inputs come in the program's order, or as name=INPUT:
  @file.npy                an array in numpy's format; @file.npz or .safetensors: the array of the name
  2x2xf32=1,2,3,4          its elements, row-major; HLO's names of types: f32, bf16, s32, u8, pred, ...
  random:SEED              normal numbers; integers from -10 to 10
  zeros, ones, iota        iota counts 0, 1, 2, ... row-major
  5x6xf32=random:SEED      and so for the others, where the program leaves the sizes open
For a program of several devices %d in a word is the device's number: @x.d%d.npy; other words
are for all devices. Under mpirun, srun or halo launch the devices are in all processes.
`

const checkHelp = `PATH is a program with its own checks (- is the standard input), a folder of a program
with its input_N.npy and expected_N.npy, or a folder of such.
A program that has neither runs on random inputs.
Under mpirun, srun or halo launch the devices of programs are in all processes.
`

var commands []command

// init fills the table: commands reach it back for help.
func init() {
	commands = []command{
		{"run", "M [input...] [flags]", "run a program", inputHelp, runCommand},
		{"check", "[flags] PATH...", "run programs that know their answers", checkHelp, checkCommand},
		{"bench", "M [flags]", "time a program", benchHelp, benchCommand},
		{"diff", "M [input...] [--backends A,B] [--bisect]", "compare two backends", diffHelp, diffCommand},
		{"verify", "[--json] PATH...", "parse and verify programs", "", verifyCommand},
		{"convert", "M --to hlo|hlo-proto|hlo-prototext|stablehlo|bytecode [-o F]", "write a program in another form", "",
			convertCommand},
		{"inspect", "F [--json]", "describe a program or a data file", "", inspectCommand},
		{"graph", "M [--to dot|svg|html] [-o F]", "draw a program", graphHelp, graphCommand},
		{"ops", "[--json]", "list the operations and what runs them", "", opsCommand},
		{"plugin", "COMMAND ...", "help authors of custom calls", "", pluginCommand},
		{"launch", "-n N CMD...", "start a job of several processes", launchHelp, launchCommand},
		{"doctor", "[--json]", "say what is installed here", "", doctorCommand},
		{"version", "", "print the version", "", versionCommand},
		{"help", "[COMMAND]", "print this, or what COMMAND -h prints", "", helpCommand},
	}
}

// tool is what commands work with.
type tool struct {
	ctx            context.Context
	in             io.Reader
	stdout, stderr io.Writer
	job            *collective.Job // nil: this process is alone
}

// exitError ends the tool with a code other than that of its cause.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func exitf(code int, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// errSilent ends the tool with exitFailure when everything has been said already.
var errSilent = errors.New("failed")

func main() {
	customcall.ServeIsolated()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		time.AfterFunc(sameSignal, stop)                // after that the next signal ends it at once
		if len(os.Args) < 2 || os.Args[1] != "launch" { // which has its --grace
			time.AfterFunc(stopping, func() {
				fmt.Fprintf(os.Stderr, "halo: told to stop, and not done after %v\n", stopping)
				os.Exit(exitResource)
			})
		}
	})
	code := realMain(&tool{ctx: ctx, in: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// sameSignal is how long a second signal is still the first: timeout(1) sends it to its child and to the group of that.
const sameSignal = 500 * time.Millisecond

// stopping is how long a command has to end once it is told to: reading a program does not listen, nor do functions of
// plug-ins that have their own mind.
const stopping = 5 * time.Second

func realMain(t *tool, args []string) int {
	if err := setLog(t.stderr, os.Getenv("HALO_LOG")); err != nil {
		fmt.Fprintf(t.stderr, "halo: %v\n", err)
		return exitUsage
	}
	if len(args) == 0 {
		helpCommand(&tool{stdout: t.stderr}, nil)
		return exitUsage
	}
	if err := checkEnvironment(); err != nil {
		fmt.Fprintf(t.stderr, "halo: %v\n", err)
		return exitUsage
	}
	name := strings.TrimLeft(args[0], "-")
	if name == "h" {
		name = "help"
	}
	if c := commandOf(name); c != nil {
		return t.do(*c, args[1:])
	}
	fmt.Fprintf(t.stderr, "halo: unknown command %q%s; halo help lists the commands\n", args[0],
		spelling.Meant(name, commandNames()))
	return exitUsage
}

// do runs a command and returns its exit code, which is no 0 if what it printed is lost.
func (t *tool) do(c command, args []string) int {
	out := &output{w: t.stdout}
	t.stdout = out
	err := c.run(t, args)
	code := t.report(c, err)
	if lost := out.failure(); lost != nil && !errors.Is(err, lost) {
		code = cmp.Or(code, t.report(c, lost))
	}
	return code
}

func commandOf(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

func commandNames() []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}

// setLog lets the library's log through to w from level on: debug, info, warn or error; "" is warn.
func setLog(w io.Writer, level string) error {
	l := slog.LevelWarn
	if level != "" && l.UnmarshalText([]byte(level)) != nil {
		return fmt.Errorf("HALO_LOG: got %q, want debug, info, warn or error", level)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})))
	return nil
}

func (t *tool) report(c command, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errSilent):
		return codeOf(err)
	}
	name := c.name
	if sub := (*subcommandError)(nil); errors.As(err, &sub) {
		name = sub.name
	}
	fmt.Fprintf(t.stderr, "halo %s: %s\n", name, shownLines(strings.TrimPrefix(err.Error(), name+": ")))
	return codeOf(err)
}

func codeOf(err error) int {
	var coded *exitError
	var known *xla.Error
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &known) && (known.Code == xla.ResourceExhausted || known.Code == xla.Cancelled),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exitResource
	}
	return exitFailure
}

func helpCommand(t *tool, args []string) error {
	if len(args) > 0 && args[0] != "-h" && args[0] != "--help" {
		c := commandOf(args[0])
		if c == nil {
			return exitf(exitUsage, "unknown command %q%s", args[0], spelling.Meant(args[0], commandNames()))
		}
		return c.run(t, append(slices.Clone(args[1:]), "-h")) // of plugin, another word is a command of its own
	}
	fmt.Fprintln(t.stdout, "halo runs XLA programs: HLO and StableHLO.")
	for _, c := range commands {
		fmt.Fprintf(t.stdout, "  halo %-8s %-32s %s\n", c.name, c.usage, c.what)
	}
	fmt.Fprintln(t.stdout, "halo COMMAND -h says more of a command and lists its flags.")
	return nil
}

// flags makes the flag set of a command.
func (t *tool) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet("halo "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // report says what is wrong
	fs.Usage = func() {}
	return fs
}

// explain prints a command's arguments and flags.
func (t *tool) explain(fs *flag.FlagSet) {
	for _, c := range append(slices.Clone(commands), pluginCommands...) {
		if "halo "+c.name == fs.Name() {
			fmt.Fprintf(t.stdout, "%s: %s\n%s", strings.TrimSpace("halo "+c.name+" "+c.usage), c.what, c.more)
		}
	}
	var flags strings.Builder
	fs.SetOutput(&flags)
	fs.PrintDefaults()
	fmt.Fprint(t.stdout, dashed(flags.String()))
}

// parse parses flags anywhere among the arguments and returns those that are none. After "--" all are none.
func (t *tool) parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := t.parseFirst(fs, args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			return rest, nil
		}
		if n := len(args) - fs.NArg(); n > 0 && args[n-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
}

// parseFirst parses the flags before the first argument that is none.
func (t *tool) parseFirst(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		t.explain(fs)
		return err
	case err != nil:
		return exitf(exitUsage, "%s%s; %s -h lists the flags", dashed(wantValue(fs, err)), meantFlag(fs, err), fs.Name())
	}
	return nil
}

// json prints v on one line.
func (t *tool) json(v any) error {
	e := json.NewEncoder(t.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
