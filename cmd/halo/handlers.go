package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla"
)

// handlers serve custom calls in the tool: the calls of self-checking programs, and those of a registry. Linear algebra
// comes after both, see all.
type handlers struct {
	*customcall.Registry
	own xla.HandlerMap
}

// newHandlers returns handlers with what every program of the tool may call. Close it.
func newHandlers() handlers { return handlers{customcall.New(), newExpectations()} }

// all returns the handlers with those of linear algebra.
func (h handlers) all() xla.Handlers { return lapack.Handlers{User: h} }

// Lookup finds a handler among both.
func (h handlers) Lookup(target string) (xla.Handler, bool) {
	if f, ok := h.own[target]; ok {
		return f, true
	}
	return h.Registry.Lookup(target)
}

// pluginFlags are the flags of commands that compile programs, whose custom calls libraries may serve.
type pluginFlags struct {
	files   listFlag
	isolate bool
}

func (p *pluginFlags) add(fl *flag.FlagSet) {
	fl.Var(&p.files, "plugin", "`file` of a custom-call library, or manifest *.json; may be given again")
	fl.BoolVar(&p.isolate, "isolate", false, "run the functions of --plugin in a process of their own")
}

// loadPlugins loads the libraries or manifests that --plugin names, and what is in the folders of $HALO_PLUGIN_PATH, of
// which what does not load is only told.
func (t *tool) loadPlugins(h handlers, p pluginFlags) error {
	for _, f := range p.files {
		if err := h.loadPlugin(f, p.isolate); err != nil {
			return absent(err)
		}
	}
	if err := h.LoadFolders(os.Getenv("HALO_PLUGIN_PATH")); err != nil {
		for _, fault := range strings.Split(err.Error(), "\n") {
			fmt.Fprintf(t.stderr, "halo: HALO_PLUGIN_PATH: %s\n", fault)
		}
	}
	return nil
}

// absent gives an error about what is not there the code for that; a file that is there and wrong is a failure.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) {
		return &exitError{exitMissing, err}
	}
	return err
}

// loadPlugin loads a library, or that of a manifest, into this process or one of its own.
func (h handlers) loadPlugin(file string, isolated bool) error {
	if !strings.HasSuffix(file, ".json") {
		return h.loadLibrary(file, nil, isolated)
	}
	m, err := customcall.ReadManifest(file)
	if err != nil {
		return err
	}
	if err := h.loadLibrary(m.Library, m, isolated); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (h handlers) loadLibrary(file string, m *customcall.Manifest, isolated bool) error {
	if isolated {
		return h.LoadIsolated(file, m, isolate.Options{})
	}
	return h.Load(file, m)
}

// pluginCase is what a case says of its custom-call library.
type pluginCase struct {
	customcall.Manifest
	Expect        string `json:"expect"`
	ErrorContains string `json:"error_contains"`
	ErrorCode     string `json:"error_code"`
	// Exit is the exit status of a process that is lost, or minus its signal.
	Exit int `json:"exit"`
}

// load loads the case's library from the folder of --plugins; without one it is looked for in $HALO_PLUGIN_PATH. A
// library that is expected to crash or hang, or every one with --isolate, runs in a process of its own.
func (p *pluginCase) load(h handlers, o *checkOptions) error {
	path := p.Library
	if o.plugins != "" {
		path = filepath.Join(o.plugins, path)
	}
	err := p.loadFile(h, o, path)
	if errors.Is(err, fs.ErrNotExist) && o.plugins == "" {
		err = fmt.Errorf("%w; --plugins says which folder it is in", err)
	}
	if err != nil || o.wrap == nil {
		return err
	}
	h.Wrap(o.wrap)
	return nil
}

func (p *pluginCase) loadFile(h handlers, o *checkOptions, path string) error {
	alone := isolate.Options{Processes: 1, Timeout: o.timeout, Env: o.isolateEnv}
	switch {
	case p.Expect == "crash" || p.Expect == "hang":
		alone.Output = io.Discard
		if p.Expect == "hang" {
			alone.Timeout = hangTime
		}
	case !o.isolate, p.Platform == customcall.CUDA: // whose arrays no other process sees
		return h.Load(path, &p.Manifest)
	}
	return h.LoadIsolated(path, &p.Manifest, alone)
}

// hangTime is how long a function that is expected to hang may take to do something else.
const hangTime = 3 * time.Second

// lost judges the failure of a case whose process is expected to be lost.
func (p *pluginCase) lost(err error) error {
	var death *isolate.Death
	var coded *ffi.Error
	switch {
	case err == nil:
		return errWrong{fmt.Errorf("ran, want a %s", p.Expect)}
	case p.Expect == "hang" && errors.As(err, &coded) && coded.Code == ffi.DeadlineExceeded:
		return nil
	case p.Expect == "hang" || !errors.As(err, &death):
		return errWrong{fmt.Errorf("got the error %q, want a %s", err, p.Expect)}
	}
	exit := death.Exit
	if death.Signal != 0 {
		exit = -int(death.Signal)
	}
	if p.Exit != 0 && exit != p.Exit {
		return errWrong{fmt.Errorf("got the error %q, want the exit status %d (below 0: the signal)", err, p.Exit)}
	}
	return nil
}

// judge turns the failure that the case expects into success, and anything else into a wrong answer.
func (p *pluginCase) judge(err error) error {
	switch p.Expect {
	case "error":
	case "crash", "hang":
		return p.lost(err)
	default:
		return err
	}
	if err == nil {
		return errWrong{fmt.Errorf("ran, want an error with %q", p.ErrorContains)}
	}
	if !strings.Contains(err.Error(), p.ErrorContains) {
		return errWrong{fmt.Errorf("got the error %q, want one with %q", err, p.ErrorContains)}
	}
	var coded *ffi.Error
	if p.ErrorCode != "" && (!errors.As(err, &coded) || coded.Code.String() != p.ErrorCode) {
		return errWrong{fmt.Errorf("got the error %q, want the code %s", err, p.ErrorCode)}
	}
	return nil
}
