package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// meta is what a case folder's meta.json may say.
type meta struct {
	Name          string      `json:"name"`
	File          string      `json:"file"`
	Also          []string    `json:"also"`
	Elided        []string    `json:"elided"`
	Tolerance     tolerances  `json:"tolerance"`
	Judge         string      `json:"judge"`
	NumReplicas   int64       `json:"num_replicas"`
	NumPartitions int64       `json:"num_partitions"`
	Weights       caseWeights `json:"weights"`
	pluginCase
}

// tolerances are one for all results or one a result.
type tolerances []tolerance

type tolerance struct {
	RTol float64 `json:"rtol"`
	ATol float64 `json:"atol"`
}

// UnmarshalJSON reads an object or a list of them.
func (t *tolerances) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return json.Unmarshal(b, (*[]tolerance)(t))
	}
	*t = make(tolerances, 1)
	return json.Unmarshal(b, &(*t)[0])
}

func (t tolerances) of(i int) tolerance {
	switch {
	case len(t) == 0:
		return tolerance{1e-5, 1e-6}
	case len(t) == 1:
		return t[0]
	case i < len(t):
		return t[i]
	}
	return tolerance{}
}

// stems are the first parts of the names that a case's programs may have.
var stems = []string{"module", "optimized", "unoptimized"}

// formNames are the second parts.
var formNames = []string{"mlir", "mlir.bc", "hlo", "pb", "pbtxt", "hlo.pb", "snapshot.pb", "jax_export"}

// isCase reports whether a folder is a case: it has a meta.json or a module.
func isCase(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "meta.json")); err == nil {
		return true
	}
	found, err := filepath.Glob(filepath.Join(dir, "module.*"))
	return err == nil && len(found) > 0
}

// form returns the form of a program file's name, "" if it is none.
func form(file string) (stem, name string) {
	stem, name, _ = strings.Cut(file, ".")
	if !slices.Contains(formNames, name) {
		return stem, ""
	}
	return stem, name
}

// programFiles are the files of a case that are its program.
func (m *meta) programFiles(dir string) ([]string, error) {
	if m.File != "" {
		var files []string
		for _, f := range append([]string{m.File}, m.Also...) {
			if _, name := form(f); name != "" {
				files = append(files, f)
			}
		}
		if files == nil {
			return nil, fmt.Errorf("%s: %q is no form of a program, want a name that ends in one of: %s",
				filepath.Join(dir, "meta.json"), m.File, strings.Join(formNames, ", "))
		}
		return files, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		stem, name := form(e.Name())
		if name != "" && slices.Contains(stems, stem) {
			files = append(files, e.Name())
		}
	}
	return files, nil
}

// wanted reports whether --forms asks for a file: by its form, or by its stem and form.
func (o *checkOptions) wanted(file string) bool {
	if len(o.forms) == 0 {
		return true
	}
	_, name := form(file)
	for _, f := range o.forms {
		if f == name || f == file || f == "bc" && name == "mlir.bc" {
			return true
		}
	}
	return false
}

// checkCase runs every form of a case folder's program and compares the results with its answers.
func checkCase(ctx context.Context, o *checkOptions, dir string) []outcome {
	var m meta
	files, err := m.load(dir)
	if err != nil {
		r := outcome{File: dir}
		r.settle(err)
		return []outcome{r}
	}
	var out []outcome
	add := func(file string, f func(context.Context, *outcome) error) {
		if o.wanted(file) {
			r := outcome{File: filepath.Join(dir, file)}
			out = append(out, guarded(ctx, o, &r, f))
		}
	}
	for _, file := range files {
		add(file, func(ctx context.Context, r *outcome) error { return checkForm(ctx, o, r, &m, dir, file) })
	}
	for _, file := range m.Elided {
		add(file, func(context.Context, *outcome) error { return mustRefuse(filepath.Join(dir, file)) })
	}
	if len(out) == 0 {
		r := outcome{File: dir}
		r.settle(errSkip{o.noForm(files)})
		return []outcome{r}
	}
	return out
}

// noForm is why a case with these programs has nothing to run.
func (o *checkOptions) noForm(files []string) error {
	if len(files) == 0 {
		return errors.New("the folder has no program")
	}
	return fmt.Errorf("none of the forms %s; it has %s", strings.Join(o.forms, ", "), strings.Join(files, ", "))
}

func (m *meta) load(dir string) ([]string, error) {
	b, err := wholefile.Read(filepath.Join(dir, "meta.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(b, m); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "meta.json"), err)
		}
	}
	return m.programFiles(dir)
}

func mustRefuse(path string) error {
	src, err := wholefile.Read(path)
	if err != nil {
		return err
	}
	if _, err := xla.Read(xla.Program{Name: path, Source: src}); err == nil {
		return errWrong{errors.New("accepted, want it refused: its constants were not printed")}
	}
	return nil
}

func checkForm(ctx context.Context, o *checkOptions, r *outcome, m *meta, dir, file string) error {
	h := newHandlers()
	defer h.Close()
	if m.Library == "" {
		return m.run(ctx, o, r, h, dir, file)
	}
	if o.library != "" && (m.Library != o.library || m.Expect == "crash" || m.Expect == "hang") {
		return errSkip{fmt.Errorf("a case of %s that is expected to be %s", m.Library, orElse(m.Expect, "ok"))}
	}
	if err := m.pluginCase.load(h, o); err != nil {
		return m.pluginCase.judge(err)
	}
	return m.pluginCase.judge(m.run(ctx, o, r, h, dir, file))
}

// run runs one form of the case and compares its results.
func (m *meta) run(ctx context.Context, o *checkOptions, r *outcome, h handlers, dir, file string) error {
	path := filepath.Join(dir, file)
	src, err := wholefile.Read(path)
	if err != nil {
		return err
	}
	snapshot, err := xla.ReadSnapshot(xla.Program{Name: path, Source: src})
	if err != nil {
		return err
	}
	mod := snapshot.Module
	if m.NumReplicas == 0 && m.NumPartitions == 0 {
		m.NumReplicas, m.NumPartitions = mod.Config.NumReplicas, mod.Config.NumPartitions
	}
	grid := collective.Grid{Replicas: m.NumReplicas, Partitions: m.NumPartitions}
	if err := grid.Check(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, "meta.json"), err)
	}
	replicas, partitions := int(max(m.NumReplicas, 1)), int(max(m.NumPartitions, 1))
	args := snapshot.Arguments
	if len(args) != replicas*partitions {
		if args, err = m.inputs(dir, mod, replicas*partitions); err != nil {
			return err
		}
	}
	got, err := o.runThreads(ctx, r, h, xla.Program{Name: path, Module: mod}, args, replicas, partitions)
	if err != nil {
		return err
	}
	if err := m.judgeSnapshot(snapshot, got[0]); err != nil {
		return err
	}
	for d := range got {
		if err := m.judgeAll(dir, got[d], deviceSuffix(d, len(got))); err != nil {
			return err
		}
	}
	return nil
}

// deviceSuffix is the part of a data file's name that says the device, "" for the only one.
func deviceSuffix(d, devices int) string {
	if devices == 1 {
		return ""
	}
	return fmt.Sprintf(".d%d", d)
}

// inputs reads the arguments of every device.
func (m *meta) inputs(dir string, mod *hlo.Module, devices int) ([][]*literal.Literal, error) {
	weights, err := m.Weights.read(dir)
	if err != nil {
		return nil, err
	}
	args := make([][]*literal.Literal, devices)
	for d := range args {
		for i, p := range mod.Entry.Parameters {
			if i < len(weights) {
				args[d] = append(args[d], weights[i])
				continue
			}
			l, err := readArray(dataFile(dir, "input", i-len(weights), deviceSuffix(d, devices)), p.Shape)
			if err != nil {
				return nil, err
			}
			args[d] = append(args[d], l)
		}
	}
	return args, nil
}

// dataFile is array i of a kind for a device: all have the same if there is none for each.
func dataFile(dir, kind string, i int, suffix string) string {
	path := filepath.Join(dir, fmt.Sprintf("%s_%d%s.npy", kind, i, suffix))
	if _, err := os.Stat(path); err != nil {
		return filepath.Join(dir, fmt.Sprintf("%s_%d.npy", kind, i))
	}
	return path
}

// readArray reads a npy file as an array of the shape's type: raw bits of the same width are taken as they are.
func readArray(path string, want shape.Shape) (*literal.Literal, error) {
	b, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	l, err := literal.ParseNPY(b, want.Type)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// judgeAll compares the results of one device with the case's answers.
func (m *meta) judgeAll(dir string, got []*literal.Literal, suffix string) error {
	for i, g := range got {
		path := dataFile(dir, "expected", i, suffix)
		want, err := readArray(path, g.Shape())
		if errors.Is(err, fs.ErrNotExist) && i == 0 {
			return errSkip{errors.New("ran; there are no answers to compare with")}
		}
		if err != nil {
			return err
		}
		if err := m.judge(i, g, want); err != nil {
			return errWrong{fmt.Errorf("result %d: %w", i, err)}
		}
	}
	return nil
}

// judgeSnapshot compares results with the one that a snapshot has.
func (m *meta) judgeSnapshot(s *xla.Snapshot, got []*literal.Literal) error {
	if s.Result == nil {
		return nil
	}
	want := s.Result.Leaves()
	if len(got) != len(want) {
		return errWrong{fmt.Errorf("got %d results, the snapshot has %d", len(got), len(want))}
	}
	for i, g := range got {
		if err := m.judge(i, g, want[i]); err != nil {
			return errWrong{fmt.Errorf("result %d of the snapshot: %w", i, err)}
		}
	}
	return nil
}

// bits says whether results must be equal to the bit: a plug-in's with no tolerance.
func (m *meta) bits(t tolerance) bool { return m.Library != "" && t == tolerance{} }

func (m *meta) judge(i int, got, want *literal.Literal) error {
	t := m.Tolerance.of(i)
	return difference(literal.Compare(got, want, literal.Tolerance{
		RTol: t.RTol, ATol: t.ATol, Abs: m.Judge == "abs", ShapeOnly: m.Judge == "shape", Bits: m.bits(t),
	}))
}
