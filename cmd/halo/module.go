package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// maxStream is the most bytes of a program that comes from a pipe or a device, of which some never end.
const maxStream = 1 << 30

// writeFile writes a file, or to the standard output for "" and "-".
func (t *tool) writeFile(path string, b []byte) error {
	if path == "" || path == "-" {
		_, err := t.stdout.Write(b)
		return err
	}
	return wholefile.Write(path, b)
}

// checkPlace fails if writeFile has no place for the file, before what it shall hold is made.
func (t *tool) checkPlace(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	return wholefile.CheckPlace(path)
}

// readFile reads a file, or the standard input for "-".
func (t *tool) readFile(path string) ([]byte, error) {
	if path == "-" {
		return readStream(t.in, "the standard input", maxStream)
	}
	if path == "" {
		return nil, exitf(exitUsage, "the program's name is empty, want a file, or - for the standard input")
	}
	info, err := wholefile.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder, want the file of a program%s", path, programIn(path))
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return wholefile.Read(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readStream(f, path, maxStream)
}

// programIn is a hint at a program in the folder of a case.
func programIn(dir string) string {
	found, err := filepath.Glob(filepath.Join(dir, "module.*"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return ", such as " + found[0]
}

// readStream reads what is no regular file, of at most limit bytes.
func readStream(r io.Reader, name string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes, want a regular file for so large a program", name, limit)
	}
	return b, err
}

// programs splits a file into its modules: text may hold several between lines of dashes.
func programs(path string, src []byte) []xla.Program {
	if f := xla.Detect(src); (f == xla.HLOText || f == xla.MLIRText) && bytes.Contains(src, []byte("\n// -----")) {
		return xla.Split(xla.Program{Name: path, Source: src})
	}
	return []xla.Program{{Name: path, Source: src}}
}

// checkFile judges each module of a file by its own checks, or runs it on made-up inputs.
func checkFile(ctx context.Context, o *checkOptions, path string) []outcome {
	src, err := (&tool{in: o.in}).readFile(path)
	if err != nil {
		r := outcome{File: path}
		r.settle(err)
		return []outcome{r}
	}
	var out []outcome
	all := programs(path, src)
	for i, p := range all {
		r := outcome{File: path}
		if len(all) > 1 {
			r.Module = fmt.Sprint(i)
		}
		out = append(out, guarded(ctx, o, &r,
			func(ctx context.Context, r *outcome) error { return checkModule(ctx, o, r, p) }))
	}
	return out
}

func checkModule(ctx context.Context, o *checkOptions, r *outcome, p xla.Program) error {
	snapshot, err := xla.ReadSnapshot(p)
	if errors.Is(err, xla.ErrNoEntry) {
		return errSkip{err}
	}
	if err != nil {
		return err
	}
	m := snapshot.Module
	if m.Name != "" && r.Module != "" {
		r.Module += " " + m.Name
	}
	grid, err := gridOf(m)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if len(snapshot.Arguments) == grid.Size() {
		return checkSnapshot(ctx, o, r, p.Name, snapshot, grid)
	}
	if err := nothingToRun(m); err != nil {
		return errSkip{fmt.Errorf("%w; parsed and verified", err)}
	}
	args := make([]*literal.Literal, len(m.Entry.Parameters))
	for i, param := range m.Entry.Parameters {
		if args[i], err = randomInput(param.Shape, uint64(i)+1); err != nil {
			return err
		}
	}
	h := newHandlers()
	defer h.Close()
	all := slices.Repeat([][]*literal.Literal{args}, grid.Size())
	got, err := o.runOn(ctx, r, h, xla.Program{Name: p.Name, Module: m}, all, grid)
	if err != nil || o.backend == "reference" || len(args) == 0 {
		if err == nil && !hasChecks(m) {
			r.Message = onlyRan
		}
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout/2, errSlowReference)
	defer cancel()
	err = againstReference(ctx, m, grid, all, got)
	if context.Cause(ctx) == errSlowReference && errors.Is(err, context.DeadlineExceeded) {
		return errSkip{errSlowReference}
	}
	return err
}

// onlyRan is the message of a program that passes because it ran.
const onlyRan = "ran; it has no checks and nothing to be compared with"

// hasChecks reports whether a module judges its own results.
func hasChecks(m *hlo.Module) bool {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if a, ok := in.Attrs.(*hlo.CustomCallAttrs); ok && strings.HasPrefix(a.Target, "check.") {
				return true
			}
		}
	}
	return false
}

// checkSnapshot runs a program on the arguments that its snapshot has, and compares the result with the snapshot's.
func checkSnapshot(ctx context.Context, o *checkOptions, r *outcome, name string, s *xla.Snapshot,
	grid collective.Grid) error {
	h := newHandlers()
	defer h.Close()
	got, err := o.runOn(ctx, r, h, xla.Program{Name: name, Module: s.Module}, s.Arguments, grid)
	if err != nil {
		return err
	}
	return new(meta).judgeSnapshot(s, got[0])
}

// nothingToRun is why a module cannot run on random inputs: it needs inputs whose sizes nobody says.
func nothingToRun(m *hlo.Module) error {
	for _, p := range m.Entry.Parameters {
		if p.Shape.IsDynamic() {
			return fmt.Errorf("parameter %s has the dynamic shape %v and there are no inputs", p.Name, p.Shape)
		}
		if !p.Shape.IsArray() {
			return fmt.Errorf("parameter %s is a %v and there are no inputs", p.Name, p.Shape)
		}
	}
	return nil
}

// gridOf returns on how many devices m runs: one, if it has nothing to do with others.
func gridOf(m *hlo.Module) (collective.Grid, error) {
	if !hlo.Meets(m) {
		return collective.Grid{}, nil
	}
	grid := collective.Grid{Replicas: m.Config.NumReplicas, Partitions: m.Config.NumPartitions}
	return grid, grid.Check()
}

// runOn is runThreads on the devices of a grid.
func (o *checkOptions) runOn(ctx context.Context, r *outcome, h handlers, p xla.Program, args [][]*literal.Literal,
	grid collective.Grid) ([][]*literal.Literal, error) {
	return o.runThreads(ctx, r, h, p, args, int(max(grid.Replicas, 1)), int(max(grid.Partitions, 1)))
}

// runThreads compiles and runs a program with each thread count, and fails it if the bits of the results differ.
func (o *checkOptions) runThreads(ctx context.Context, r *outcome, h handlers, p xla.Program,
	args [][]*literal.Literal, replicas, partitions int) ([][]*literal.Literal, error) {
	var first [][]*literal.Literal
	for _, n := range o.counts {
		got, err := o.compileAndRun(ctx, r, h, p, n, args, replicas, partitions)
		if err != nil {
			return nil, err
		}
		sum := digest(got)
		if first == nil {
			first, r.Outputs = got, sum
		}
		if sum != r.Outputs {
			return nil, errWrong{fmt.Errorf("the results with %d threads differ in bits from those with %d", n, o.counts[0])}
		}
	}
	return first, nil
}

// compileAndRun runs a program once on a client of its own with so many threads, 0 for the backend's choice.
func (o *checkOptions) compileAndRun(ctx context.Context, r *outcome, h handlers, p xla.Program, threads int,
	args [][]*literal.Literal, replicas, partitions int) ([][]*literal.Literal, error) {
	backend, err := newBackend(o.backend, hardware{threads, o.tf32})
	if err != nil {
		return nil, err
	}
	client, err := clientFor(backend, h, o.job, replicas*partitions)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, p,
		xla.CompileOptions{AllowReference: true, Replicas: replicas, Partitions: partitions})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	if o.backend != "reference" {
		r.Fallbacks = fallbacks(exe)
	}
	got, err := execute(ctx, exe, xla.RunOptions{}, args)
	if err != nil {
		return nil, err
	}
	return got, shareResults(ctx, o.job, exe, got)
}

func fallbacks(exe *xla.Executable) []string {
	var list []string
	for _, s := range exe.Report() {
		if line := s.Op + ":" + s.Reason; s.Reason != "" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// execute runs exe once on every device and returns the results of each, of those in other processes none.
func execute(ctx context.Context, exe *xla.Executable, o xla.RunOptions,
	args [][]*literal.Literal) ([][]*literal.Literal, error) {
	in := make([][]*xla.Buffer, len(args))
	defer func() { closeAll(in) }()
	devices := exe.Devices()
	for d := range args {
		if !devices[d].Local() {
			continue
		}
		for _, l := range args[d] {
			b, err := devices[d].FromLiteral(l)
			if err != nil {
				return nil, err
			}
			in[d] = append(in[d], b)
		}
	}
	out, err := exe.ExecuteDevices(ctx, o, in)
	if err != nil {
		var wrong errWrong
		if errors.As(err, &wrong) {
			return nil, wrong
		}
		return nil, err
	}
	defer closeAll(out)
	results := make([][]*literal.Literal, len(out))
	for d := range out {
		for _, b := range out[d] {
			l, err := b.Literal()
			if err != nil {
				return nil, err
			}
			results[d] = append(results[d], l)
		}
	}
	return results, nil
}

func closeAll(lists [][]*xla.Buffer) {
	for _, b := range slices.Concat(lists...) {
		b.Close()
	}
}

// digest is the SHA-256 of the results' types, sizes and bytes.
func digest(results [][]*literal.Literal) string {
	h := sha256.New()
	for _, list := range results {
		for _, l := range list {
			writeDigest(h, l)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeDigest(h hash.Hash, l *literal.Literal) {
	io.WriteString(h, l.Shape().String())
	h.Write(l.RowMajor().Bytes())
	for _, e := range l.Elems() {
		writeDigest(h, e)
	}
}

// errSlowReference is why a program that ran has nothing to be compared with.
var errSlowReference = errors.New("ran; the reference did not finish within half of the time limit")

// againstReference compares the results of all devices with the reference's on the same inputs.
func againstReference(ctx context.Context, m *hlo.Module, grid collective.Grid, args,
	got [][]*literal.Literal) error {
	o := &checkOptions{backend: "reference", counts: []int{0}}
	h := newHandlers()
	defer h.Close()
	want, err := o.runOn(ctx, &outcome{}, h, xla.Program{Module: m}, args, grid)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	for d := range got {
		for i := range got[d] {
			if diff := literal.Compare(got[d][i], want[d][i], toleranceOf(m, want[d][i])); diff != nil {
				return errWrong{fmt.Errorf("result %d%s differs from the reference: %v", i, deviceSuffix(d, len(got)), diff)}
			}
		}
	}
	return nil
}
