package main

import (
	"fmt"
	"os"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
)

// writers are the forms that convert writes.
var writers = map[string]func(m *hlo.Module) (string, error){
	"hlo":       func(m *hlo.Module) (string, error) { return m.Text(), nil },
	"stablehlo": xla.StableHLO,
}

func convertCommand(t *tool, args []string) error {
	fl := t.flags("convert")
	to := fl.String("to", "", "hlo or stablehlo")
	out := fl.String("o", "", "file to write; standard output if empty")
	words, err := parse(fl, args)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return exitf(exitUsage, "got %d programs, want one", len(words))
	}
	write, ok := writers[*to]
	if !ok {
		return exitf(exitUsage, "--to %q, want hlo or stablehlo", *to)
	}
	src, err := t.readFile(words[0])
	if err != nil {
		return err
	}
	m, err := xla.Read(xla.Program{Name: words[0], Source: src})
	if err != nil {
		return err
	}
	text, err := write(m)
	if err != nil {
		return err
	}
	if *out == "" || *out == "-" {
		_, err = fmt.Fprint(t.stdout, text)
		return err
	}
	return os.WriteFile(*out, []byte(text), 0o666)
}
