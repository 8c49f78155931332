package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/internal/spelling"
)

// pluginCommands are the commands after "halo plugin".
var pluginCommands []command

func init() {
	pluginCommands = []command{
		{"plugin new", "[--lang c|cc|rust|cuda] NAME", "begin a project", pluginNewHelp, pluginNew},
		{"plugin inspect", "FILE [--json]", "describe a library without loading it", inspectHelp, pluginInspect},
		{"plugin test", "[flags] DIR", "run a project's cases", pluginTestHelp, pluginTest},
		{"plugin check", "[flags] FILE", "look for errors of memory and races", pluginCheckHelp, pluginCheck},
		{"plugin bench", "[flags] FILE", "time the functions of a library", pluginBenchHelp, pluginBench},
	}
}

const inspectHelp = `It reads the ELF file: the calling conventions, the functions that programs may call, the
libraries and symbols that it needs and who provides them, and why it would not load on this machine.
Exit 1 if it would not.
`

// pluginHelp lists them.
func pluginHelp() string {
	var s strings.Builder
	for _, c := range pluginCommands {
		fmt.Fprintf(&s, "  halo %-15s %-38s %s\n", c.name, c.usage, c.what)
	}
	return s.String()
}

func pluginCommand(t *tool, args []string) error {
	if len(args) == 0 {
		return exitf(exitUsage, "no command given, want one of\n%s", strings.TrimSuffix(pluginHelp(), "\n"))
	}
	for _, c := range pluginCommands {
		if c.name == "plugin "+args[0] {
			return subcommand(c.name, c.run(t, args[1:]))
		}
	}
	if args[0] == "help" && len(args) > 1 {
		return pluginCommand(t, []string{args[1], "-h"})
	}
	if args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprintf(t.stdout, "halo plugin: for authors of custom calls\n%s", pluginHelp())
		return nil
	}
	var names []string
	for _, c := range pluginCommands {
		names = append(names, strings.TrimPrefix(c.name, "plugin "))
	}
	return exitf(exitUsage, "unknown command %q%s, want one of\n%s", args[0], spelling.Meant(args[0], names),
		strings.TrimSuffix(pluginHelp(), "\n"))
}

// subcommandError is the error of a command of two words.
type subcommandError struct {
	name string
	error
}

func (e *subcommandError) Unwrap() error { return e.error }

func subcommand(name string, err error) error {
	if err == nil {
		return nil
	}
	return &subcommandError{name, err}
}

func pluginInspect(t *tool, args []string) error {
	fl := t.flags("plugin inspect")
	asJSON := fl.Bool("json", false, "print JSON")
	files, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return exitf(exitUsage, "got %d files, want one", len(files))
	}
	if strings.HasSuffix(files[0], ".json") {
		return manifestInspected(files[0])
	}
	f, err := library.Open(files[0])
	if err != nil {
		return err
	}
	if *asJSON {
		t.json(f)
	} else {
		t.describeLibrary(f)
	}
	if !f.Loads {
		return errSilent
	}
	return nil
}

// manifestInspected says what is wrong with a manifest, or which library is to be looked at instead of it.
func manifestInspected(path string) error {
	m, err := customcall.ReadManifest(path)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: it is a manifest, want its library, %s", path, m.Library)
}

// describeLibrary prints what a library is, a thing a line, and what is wrong with it at the end.
func (t *tool) describeLibrary(f *library.File) {
	line := func(format string, args ...any) { fmt.Fprintf(t.stdout, format+"\n", args...) }
	line("%s: shared library for %s%s", f.Path, f.Machine, prefixed(", soname ", f.SoName))
	for _, abi := range f.ABIs {
		line("  convention  %s", abi)
	}
	for _, target := range f.Targets {
		line("  function    %s%s", target.Name, prefixed(", ", target.ABI))
	}
	for _, y := range f.Types {
		line("  type        %s%s", y.ID, prefixed(", ", y.Info))
	}
	for _, n := range f.Needed {
		line("  needs       %s: %s", n.Name, orElse(n.Path, "not found"))
	}
	for _, family := range slices.Sorted(maps.Keys(f.Versions)) {
		here := ""
		if family == "GLIBC" {
			here = prefixed(", here is ", f.GlibcHere)
		}
		line("  needs       %s %s%s", family, f.Versions[family], here)
	}
	for _, u := range f.Undefined {
		if u.Provider == "" || u.Provider == "halo" {
			line("  symbol      %s: %s", u.Name, providedBy(u))
		}
	}
	for _, lib := range f.CUDA.Libraries {
		line("  CUDA        %s", lib)
	}
	if f.CUDA.DeviceCode {
		line("  CUDA        it has code for GPUs")
	}
	for _, n := range f.Notes {
		line("  note        %s", n)
	}
	for _, p := range f.Problems {
		line("  problem     %s", p)
	}
	line("%s", map[bool]string{true: "it loads here, as far as can be seen", false: "it does not load here"}[f.Loads])
}

func providedBy(u library.Symbol) string {
	switch {
	case u.Provider != "":
		return "from " + u.Provider
	case u.Weak:
		return "from nobody, which is allowed"
	}
	return "from nobody"
}

// prefixed is s after a prefix, or nothing if s is.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
