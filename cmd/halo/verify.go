package main

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
)

// verdict is what verify says of one module.
type verdict struct {
	File    string `json:"file"`
	Module  string `json:"module"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

func verifyCommand(t *tool, args []string) error {
	fl := t.flags("verify")
	asJSON := fl.Bool("json", false, "one JSON line a module")
	paths, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return exitf(exitUsage, "no path given, want files or folders")
	}
	var files []string
	err = eachProgram(paths, func(string) bool { return false }, func(path string, _ bool) { files = append(files, path) })
	if err != nil {
		return err
	}
	rejected := false
	for _, file := range files {
		for _, v := range t.verifyFile(file) {
			rejected = rejected || v.Status != "accept"
			t.printVerdict(*asJSON, v)
		}
	}
	if rejected {
		return errSilent
	}
	return nil
}

func (t *tool) verifyFile(file string) []verdict {
	src, err := t.readFile(file)
	if err != nil {
		return []verdict{{file, "", "reject", err.Error()}}
	}
	var out []verdict
	all := programs(file, src)
	for i, p := range all {
		v := verdict{File: file, Status: "accept"}
		if len(all) > 1 {
			v.Module = fmt.Sprint(i)
		}
		err := caught(func() error { return t.verifyProgram(p) })
		switch {
		case err == nil:
		case errors.Is(err, errors.ErrUnsupported) && isMLIR(xla.Detect(p.Source)):
			v.Message = "right, but it cannot run: " + err.Error()
		default:
			v.Status, v.Message = "reject", err.Error()
		}
		out = append(out, v)
	}
	return out
}

// isMLIR reports whether programs of a format are checked before it is found that HLO lacks something.
func isMLIR(f xla.Format) bool { return f == xla.MLIRText || f == xla.MLIRBytecode }

// verifyProgram refuses what Read refuses, and attributes that nobody knows, which run only warns of.
func (t *tool) verifyProgram(p xla.Program) error {
	m, err := xla.Read(p)
	if err != nil {
		return err
	}
	if unknown := hlo.UnknownAttributes(m); len(unknown) > 0 {
		return unknown[0]
	}
	return nil
}

func (t *tool) printVerdict(asJSON bool, v verdict) {
	switch {
	case asJSON:
		t.json(v)
	case v.Status == "reject":
		fmt.Fprintf(t.stdout, "reject: %s\n", shownLines(v.Message))
	case v.Message != "":
		fmt.Fprintf(t.stdout, "accept: %s: %s\n", shown(v.File), shownLines(v.Message))
	default:
		fmt.Fprintf(t.stdout, "accept: %s\n", shown(v.File))
	}
}
