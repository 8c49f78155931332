package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// caseWeights say which inputs of a case stay the same between runs: the first ones, which are arrays of a file, or
// those of some numbers.
type caseWeights struct {
	File       string   `json:"file"`
	Parameters []string `json:"parameters"`
	inputs     []int
}

// UnmarshalJSON reads an object with file and parameters, or a list of numbers.
func (w *caseWeights) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return json.Unmarshal(b, &w.inputs)
	}
	type plain caseWeights
	return json.Unmarshal(b, (*plain)(w))
}

// numbers are those of the inputs that are weights.
func (w *caseWeights) numbers() []int {
	list := w.inputs
	for i := range w.Parameters {
		list = append(list, i)
	}
	return list
}

// read reads the arrays of the file beside the case, if it names one: the first inputs.
func (w *caseWeights) read(dir string) ([]*literal.Literal, error) {
	if w.File == "" {
		return nil, nil
	}
	f, err := tensorfile.Open(filepath.Join(dir, w.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stored := make(map[string]tensorfile.Stored, len(f.Arrays))
	for _, a := range f.Arrays {
		stored[a.Name] = a
	}
	list := make([]*literal.Literal, len(w.Parameters))
	for i, name := range w.Parameters {
		a, ok := stored[name]
		if !ok {
			return nil, fmt.Errorf("%s: there is no array %q", w.File, name)
		}
		if list[i], err = a.Value(); err != nil {
			return nil, fmt.Errorf("%s: %w", w.File, err)
		}
	}
	return list, nil
}
