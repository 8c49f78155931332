package main

import (
	"fmt"
	"os"
	"strings"

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
	words, err := t.parse(fl, args)
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
	text, err := convertAll(programs(words[0], src), write)
	if err != nil {
		return err
	}
	if *out == "" || *out == "-" {
		_, err = fmt.Fprint(t.stdout, text)
		return err
	}
	return os.WriteFile(*out, []byte(text), 0o666)
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
