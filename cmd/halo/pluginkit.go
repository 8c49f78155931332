package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/customcall/plugin"
	"github.com/halo-xla/halo/internal/wholefile"
)

const pluginNewHelp = `It writes a folder NAME with a function, a Makefile, the headers, and cases for halo plugin test.
`

func pluginNew(t *tool, args []string) error {
	fl := t.flags("plugin new")
	language := fl.String("lang", "c", "`language`: "+strings.Join(plugin.Languages(), ", "))
	names, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return exitf(exitUsage, "got %d names, want one", len(names))
	}
	err = plugin.New(names[0], filepath.Base(names[0]), *language)
	if path := new(fs.PathError); err != nil && !errors.As(err, &path) {
		return exitf(exitUsage, "%w", err)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(t.stdout, "%s: written; next: cd %[1]s && make test\n", names[0])
	return nil
}

const pluginTestHelp = `It runs the cases in DIR/cases, or in DIR, with the libraries in DIR/build, DIR/target/release
or DIR, each in a process of its own. A case is a folder as for halo check.
`

func pluginTest(t *tool, args []string) error {
	fl := t.flags("plugin test")
	o := &checkOptions{hardware: usual(), counts: []int{0}, timeout: 2 * time.Minute, isolate: true}
	fl.StringVar(&o.backend, "backend", "cpu", "what runs the programs")
	fl.BoolVar(&o.json, "json", false, "one JSON line per form of a case")
	dirs, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(dirs) != 1 {
		return exitf(exitUsage, "got %d folders, want one", len(dirs))
	}
	if info, err := wholefile.Stat(dirs[0]); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is a file, want the folder of a project or of its cases", dirs[0])
	}
	if o.plugins, err = librariesOf(dirs[0]); err != nil {
		return err
	}
	o.paths = []string{dirs[0]}
	if cases := filepath.Join(dirs[0], "cases"); isFolder(cases) {
		o.paths = []string{cases}
	}
	if _, err := newBackend(o.backend, o.hardware); err != nil {
		return err
	}
	return t.check(o)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// librariesOf is the folder of a project's libraries.
func librariesOf(dir string) (string, error) {
	var tried []string
	for _, sub := range []string{"build", "target/release", ".", "../build", "../../build"} {
		folder := filepath.Join(dir, sub)
		if found, _ := filepath.Glob(filepath.Join(folder, "*.so")); len(found) > 0 {
			return folder, nil
		}
		tried = append(tried, folder)
	}
	return "", fmt.Errorf("there is no *.so in %s; run make first", strings.Join(tried, ", "))
}

const pluginCheckHelp = `It runs the cases of FILE, which are in a folder cases beside it or above, and tries each call
again: results that are not written, operands that are, differences between calls; and what the flags
add. The library runs in a process of its own, so that a crash is a finding.
`

func pluginCheck(t *tool, args []string) error {
	fl := t.flags("plugin check")
	c := &plugin.Checker{}
	asJSON := fl.Bool("json", false, "one JSON line a finding")
	cases := fl.String("cases", "", "`folder` of the cases")
	fl.BoolVar(&c.ASan, "asan", false, "with AddressSanitizer; the library is built with -fsanitize=address")
	fl.BoolVar(&c.GuardPages, "guard-pages", false, "pages that must not be touched lie around every array")
	fl.IntVar(&c.Race, "race", 0, "make so many calls at the same time")
	files, err := t.parse(fl, args)
	switch {
	case err != nil:
		return err
	case c.Race < 0 || c.Race > cpu.MaxThreads:
		return exitf(exitUsage, "--race: got %d, want 0 to %d calls", c.Race, cpu.MaxThreads)
	}
	o, err := caseOptions(files, *cases)
	if err != nil {
		return err
	}
	o.isolate, o.wrap = true, func(h customcall.Handler) customcall.Handler { return c.Wrap(h) }
	if c.ASan {
		if o.isolateEnv, err = sanitized(files[0]); err != nil {
			return err
		}
	}
	failed := t.runQuietly(o)
	findings, calls := c.Findings()
	for _, f := range findings {
		if *asJSON {
			t.json(f)
		} else {
			fmt.Fprintf(t.stdout, "%s: %s: %s\n", f.Target, f.Trial, f.What)
		}
	}
	fmt.Fprintf(t.stdout, "%s tried, %s, %s failed\n", counted(calls, "call"), counted(len(findings), "finding"),
		counted(failed, "case"))
	if calls == 0 && failed == 0 {
		return fmt.Errorf("no case in %s called a function of %s; --cases names another folder", o.paths[0], files[0])
	}
	if failed > 0 || len(findings) > 0 {
		return errSilent
	}
	return t.ctx.Err()
}

// caseOptions are those of the cases of a library.
func caseOptions(files []string, cases string) (*checkOptions, error) {
	if len(files) != 1 {
		return nil, exitf(exitUsage, "got %d libraries, want one", len(files))
	}
	if err := library.Check(files[0]); err != nil {
		return nil, err
	}
	if err := given("--cases", cases); err != nil {
		return nil, err
	}
	dir := filepath.Dir(files[0])
	for _, sub := range []string{"cases", "../cases", "../../cases"} {
		if folder := filepath.Join(dir, sub); cases == "" && isFolder(folder) {
			cases = folder
		}
	}
	if cases == "" {
		return nil, fmt.Errorf("%s: there is no folder cases beside it or above; give one with --cases", files[0])
	}
	return &checkOptions{backend: "cpu", counts: []int{0}, timeout: 2 * time.Minute, plugins: dir,
		library: filepath.Base(files[0]), paths: []string{cases}}, nil
}

// given fails if a flag names a file or folder that is not there.
func given(flag, path string) error {
	if path == "" {
		return nil
	}
	if _, err := wholefile.Stat(path); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// runQuietly runs the cases and tells of those that failed; how many is its result.
func (t *tool) runQuietly(o *checkOptions) (failed int) {
	jobs, err := collect(o)
	if err != nil {
		fmt.Fprintln(t.stderr, "halo plugin:", err)
		return 1
	}
	for _, j := range jobs { // one after another: findings come in order, times are undisturbed
		for _, r := range j.run(t.ctx, o, j.path) {
			if r.Status != statusPass && r.Status != statusSkip {
				failed++
				fmt.Fprintf(t.stderr, "%s: %s: %s\n", r.Status, r.File, r.Message)
			}
		}
	}
	return failed
}

// sanitized is the environment of processes that load a library with AddressSanitizer.
func sanitized(file string) ([]string, error) {
	f, err := library.Open(file)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Needed {
		if strings.HasPrefix(n.Name, "libasan.so") && n.Path != "" {
			return []string{"LD_PRELOAD=" + n.Path,
				"ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0"}, nil
		}
	}
	return nil, errors.New(file + " was not built with -fsanitize=address (or its libasan is not found): make asan")
}

// counted is a number of things, of which there may be one.
func counted[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
