package main

import (
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// convertForm is a form that convert writes.
type convertForm struct {
	write func(m *hlo.Module, version string) (string, error)
	one   bool // a file holds one module
}

// writers are the forms that convert writes.
var writers = map[string]convertForm{
	"hlo": {write: func(m *hlo.Module, _ string) (string, error) { return m.Text(), nil }},
	"hlo-proto": {one: true, write: func(m *hlo.Module, _ string) (string, error) {
		return string(xla.HLOModuleProto(m)), nil
	}},
	"hlo-prototext": {one: true, write: func(m *hlo.Module, _ string) (string, error) {
		return xla.HLOModuleProtoText(m), nil
	}},
	"stablehlo": {write: func(m *hlo.Module, _ string) (string, error) { return xla.StableHLO(m) }},
	"bytecode": {one: true, write: func(m *hlo.Module, version string) (string, error) {
		b, err := xla.Bytecode(m, version)
		return string(b), err
	}},
}

func convertCommand(t *tool, args []string) error {
	fl := t.flags("convert")
	to := fl.String("to", "", "hlo, hlo-proto, hlo-prototext, stablehlo or bytecode")
	version := fl.String("vhlo", "", "version of bytecode, such as 1.0.0; the oldest from 1.0.0 on that will do if empty")
	out := fl.String("o", "", "file to write; standard output if empty")
	words, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return exitf(exitUsage, "got %d programs, want one", len(words))
	}
	form, err := wantedForm(*to, *version)
	if err != nil {
		return err
	}
	if err := t.checkPlace(*out); err != nil {
		return err
	}
	src, err := t.readFile(words[0])
	if err != nil {
		return err
	}
	all := programs(words[0], src)
	if form.one && len(all) > 1 {
		return exitf(exitUsage, "%s holds %d modules, --to %s takes one", words[0], len(all), *to)
	}
	text, err := convertAll(all, func(m *hlo.Module) (string, error) { return form.write(m, *version) })
	if err != nil {
		return err
	}
	return t.writeFile(*out, []byte(text))
}

// wantedForm is the form that the flags name.
func wantedForm(to, version string) (convertForm, error) {
	form, ok := writers[to]
	switch {
	case !ok:
		return form, exitf(exitUsage, "--to: got %q, want hlo, hlo-proto, hlo-prototext, stablehlo or bytecode", to)
	case version == "":
		return form, nil
	case to != "bytecode":
		return form, exitf(exitUsage, "--vhlo: got a version with --to %s, want it with --to bytecode only", to)
	}
	if _, err := stablehlo.ParseVHLOVersion(version); err != nil {
		return form, exitf(exitUsage, "--vhlo: %w", err)
	}
	return form, nil
}

// convertAll writes the modules of a file, with lines of dashes between them.
func convertAll(all []xla.Program, write func(m *hlo.Module) (string, error)) (string, error) {
	texts := make([]string, len(all))
	for i, p := range all {
		m, err := xla.Read(p)
		if err != nil {
			return "", err
		}
		if texts[i], err = write(m); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, "\n// -----\n\n"), nil
}
