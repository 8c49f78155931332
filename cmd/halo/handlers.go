package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/halo-xla/halo/customcall"
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

// loadPlugins loads the libraries or manifests that --plugin names, and what is in the folders of $HALO_PLUGIN_PATH, of
// which what does not load is only told.
func (t *tool) loadPlugins(h handlers, files []string) error {
	for _, f := range files {
		var err error
		if strings.HasSuffix(f, ".json") {
			err = h.LoadManifest(f)
		} else {
			err = h.Load(f, nil)
		}
		if err != nil {
			return exitf(exitMissing, "%w", err)
		}
	}
	if err := h.LoadFolders(os.Getenv("HALO_PLUGIN_PATH")); err != nil {
		fmt.Fprintf(t.stderr, "halo: HALO_PLUGIN_PATH: %v\n", err)
	}
	return nil
}

// plugin is what a case says of its custom-call library.
type plugin struct {
	customcall.Manifest
	Expect        string `json:"expect"`
	ErrorContains string `json:"error_contains"`
	ErrorCode     string `json:"error_code"`
}

// load loads the case's library from the folder of --plugins; without one it is looked for in $HALO_PLUGIN_PATH.
func (p *plugin) load(h handlers, folder string) error {
	if p.Expect == "crash" || p.Expect == "hang" {
		return fmt.Errorf("a library that is expected to %s needs a process of its own: %w", p.Expect, errors.ErrUnsupported)
	}
	path := p.Library
	if folder != "" {
		path = filepath.Join(folder, path)
	}
	return h.Load(path, &p.Manifest)
}

// judge turns the failure that the case expects into success, and anything else into a wrong answer.
func (p *plugin) judge(err error) error {
	if p.Expect != "error" {
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
