package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

type runOptions struct {
	hardware
	backend, out, dump    string
	snapshot              string
	weights, weightsOrder string
	expect                listFlag
	plugins               pluginFlags
	report, noReference   bool
	lenient, ftz          bool
	seed                  uint64
	rtol, atol            float64
}

// listFlag collects a flag that may be given several times.
type listFlag []string

func (l *listFlag) String() string     { return strings.Join(*l, ",") }
func (l *listFlag) Set(s string) error { *l = append(*l, s); return nil }

func runCommand(t *tool, args []string) error {
	o, words, err := t.parseRun(args)
	return t.inJob(err, func() error { return t.runProgram(o, words[0], words[1:]) })
}

// parseRun returns the flags, and the program with its inputs.
func (t *tool) parseRun(args []string) (*runOptions, []string, error) {
	fl := t.flags("run")
	o := &runOptions{}
	fl.StringVar(&o.backend, "backend", "cpu", "what runs the program")
	fl.StringVar(&o.out, "out", "", "`folder` for the results, as result_N.npy, or a file ending in .npz")
	fl.StringVar(&o.dump, "dump", "", "`folder` for the program as it was understood")
	fl.StringVar(&o.snapshot, "snapshot", "", "`file` for a HloSnapshot: the program with these inputs and results")
	fl.StringVar(&o.weights, "weights", "", "safetensors or npz `file` with arguments by name")
	fl.StringVar(&o.weightsOrder, "weights-order", "name",
		"how arrays of --weights become arguments: by name, or to the first parameters as in the file or sorted")
	fl.Var(&o.expect, "expect", "npy `file` with a wanted result; once for each, in order")
	o.plugins.add(fl)
	fl.BoolVar(&o.report, "report", false, "list what ran what")
	fl.BoolVar(&o.noReference, "no-reference", false, "refuse programs that the backend cannot run whole")
	fl.BoolVar(&o.lenient, "lenient", false, "let elementwise ops mix float types, as XLA does")
	fl.BoolVar(&o.ftz, "ftz", false, "flush sub-normal numbers to zero")
	o.flagTF32(fl, "let a GPU round f32 to TF32 in products, as HALO_CUDA_TF32=1 does")
	fl.Bool("fast-math", false, "allow more ULPs than the table of operations; no backend of this build has a use for it")
	fl.Uint64Var(&o.seed, "seed", 0, "seed of the random number generators")
	fl.IntVar(&o.threads, "threads", 0, "threads to use, 0 for as many as the process may; the reference uses one")
	fl.Float64Var(&o.rtol, "rtol", 1e-5, "relative tolerance of --expect")
	fl.Float64Var(&o.atol, "atol", 1e-6, "absolute tolerance of --expect")
	words, err := t.parse(fl, args)
	if err != nil {
		return nil, nil, err
	}
	if len(words) == 0 {
		return nil, nil, exitf(exitUsage, "no program given, want halo run PROGRAM and its inputs; halo run -h says more")
	}
	return o, words, o.check()
}

// check refuses flags that cannot be meant.
func (o *runOptions) check() error {
	if strings.HasSuffix(o.out, ".npy") {
		return exitf(exitUsage, "--out: got %q, want a folder, or a file that ends in .npz: each result has a .npy", o.out)
	}
	if !(o.rtol >= 0 && o.atol >= 0) { // NaN is not either
		return exitf(exitUsage, "--rtol %g, --atol %g: want numbers that are not negative", o.rtol, o.atol)
	}
	return checkOrder(o.weightsOrder)
}

// checkFiles fails if a wanted result of one of the devices is not there, or if what the run writes has no place: a run
// may take long. It makes the folder of --out.
func (o *runOptions) checkFiles(devices int) error {
	for d := range devices {
		for _, path := range forDevice(o.expect, d) {
			if err := given("--expect", path); err != nil {
				return err
			}
		}
	}
	out := o.out
	if out != "" && !strings.HasSuffix(out, ".npz") {
		if err := os.MkdirAll(out, 0o777); err != nil {
			return err
		}
		out = filepath.Join(out, "result_0.npy")
	}
	for _, path := range []string{out, o.snapshot} {
		if path == "" {
			continue
		}
		if err := wholefile.CheckPlace(path); err != nil {
			return err
		}
	}
	return nil
}

// runnable is a program of run's that is ready.
type runnable struct {
	snapshot *xla.Snapshot
	devices  int
	client   *xla.Client
	exe      *xla.Executable
	args     [][]*literal.Literal // of the devices that are here
	closing  []io.Closer
}

// Close closes what is open, the last first. It always returns nil.
func (r *runnable) Close() error {
	for _, c := range slices.Backward(r.closing) {
		_ = c.Close()
	}
	return nil
}

func (t *tool) runProgram(o *runOptions, path string, words []string) error {
	r := &runnable{}
	defer r.Close()
	if err := t.ready(t.prepare(r, o, path, words)); err != nil {
		return err
	}
	results, err := t.runOnAll(o, r)
	if err != nil || !t.speaks() {
		return err
	}
	if o.snapshot != "" {
		if err := writeSnapshot(o, r.snapshot.Module, r.args[0], results[0]); err != nil {
			return err
		}
	}
	return t.finish(o, r.exe, results)
}

// prepare reads and compiles a program and reads its arguments.
func (t *tool) prepare(r *runnable, o *runOptions, path string, words []string) error {
	src, err := t.readFile(path)
	if err != nil {
		return err
	}
	backend, err := newBackend(o.backend, o.hardware)
	if err != nil {
		return err
	}
	h := newHandlers()
	r.closing = append(r.closing, h)
	if err := t.loadPlugins(h, o.plugins); err != nil {
		return err
	}
	if r.snapshot, err = xla.ReadSnapshot(xla.Program{Name: path, Source: src, Lenient: o.lenient}); err != nil {
		return err
	}
	m := r.snapshot.Module
	if err := dumpText(o.dump, "00.input.hlo", m); err != nil {
		return err
	}
	if r.devices = devicesOf(m); r.devices > 1 && o.snapshot != "" {
		return exitf(exitUsage, "a snapshot has the arguments of one device, and the program is for %d", r.devices)
	}
	if r.client, err = clientFor(backend, h, t.job, r.devices); err != nil {
		return err
	}
	r.closing = append(r.closing, r.client)
	r.exe, err = r.client.Compile(t.ctx, xla.Program{Name: path, Module: m},
		xla.CompileOptions{AllowReference: !o.noReference, Profile: o.report, DumpTo: o.dump, FlushDenormals: o.ftz})
	if err != nil {
		return err
	}
	r.closing = append(r.closing, r.exe)
	if err := r.readArguments(o, words); err != nil || !t.speaks() {
		return err
	}
	return o.checkFiles(r.devices)
}

// readArguments reads the arguments of the devices that are here.
func (r *runnable) readArguments(o *runOptions, words []string) error {
	weights, err := weightArguments(o.weights, o.weightsOrder, r.exe.Signature())
	if err != nil {
		return err
	}
	if len(words) == 0 && len(weights) == 0 {
		weights = snapshotArguments(r.snapshot)
	}
	r.args = make([][]*literal.Literal, r.devices)
	for d, dev := range r.exe.Devices()[:min(r.devices, len(r.exe.Devices()))] {
		if r.devices == 1 || dev.Local() {
			if r.args[d], err = inputs(r.exe.Signature(), forDevice(words, d), weights); err != nil {
				return err
			}
		}
	}
	return nil
}

// devicesOf returns on how many devices m runs: one, if it has nothing to do with others.
func devicesOf(m *hlo.Module) int {
	if !hlo.Meets(m) {
		return 1
	}
	return collective.Grid{Replicas: m.Config.NumReplicas, Partitions: m.Config.NumPartitions}.Size()
}

// runOnAll runs the program on its devices and returns the results of all.
func (t *tool) runOnAll(o *runOptions, r *runnable) ([][]*literal.Literal, error) {
	if r.devices == 1 {
		one, err := t.runOnce(o, r.client, r.exe, r.args[0])
		return [][]*literal.Literal{one}, err
	}
	results, err := execute(t.ctx, r.exe, xla.RunOptions{Seed: o.seed}, r.args)
	if err != nil {
		return nil, err
	}
	return results, shareResults(t.ctx, t.job, r.exe, results)
}

// writeSnapshot keeps an execution, for others to repeat it.
func writeSnapshot(o *runOptions, m *hlo.Module, args, results []*literal.Literal) error {
	s := &xla.Snapshot{Module: m, Arguments: [][]*literal.Literal{args}, Platform: o.backend}
	if s.Result = literal.NewTuple(results...); len(results) == 1 && !m.Entry.Root.Shape.IsTuple() {
		s.Result = results[0]
	}
	return wholefile.Write(o.snapshot, xla.HLOSnapshot(s))
}

// dumpText writes a program into a folder, if one is named: constants make its text long.
func dumpText(dir, name string, m *hlo.Module) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(m.Text()), 0o666)
}

// snapshotArguments are the arguments that the program's file has itself, by number.
func snapshotArguments(s *xla.Snapshot) map[int]*literal.Literal {
	given := map[int]*literal.Literal{}
	if len(s.Arguments) == 1 {
		for i, l := range s.Arguments[0] {
			given[i] = l
		}
	}
	return given
}

func (t *tool) runOnce(o *runOptions, client *xla.Client, exe *xla.Executable,
	args []*literal.Literal) ([]*literal.Literal, error) {
	var in []*xla.Buffer
	for _, l := range args {
		b, err := client.FromLiteral(l)
		if err != nil {
			return nil, err
		}
		defer b.Close()
		in = append(in, b)
	}
	out, err := exe.ExecuteWith(t.ctx, xla.RunOptions{Seed: o.seed}, in...)
	if err != nil {
		return nil, err
	}
	var results []*literal.Literal
	for _, b := range out {
		defer b.Close()
		l, err := b.Literal()
		if err != nil {
			return nil, err
		}
		results = append(results, l)
	}
	return results, nil
}

func (t *tool) finish(o *runOptions, exe *xla.Executable, results [][]*literal.Literal) error {
	if o.report {
		for _, s := range exe.Report() {
			t.printf("%s\n", stepText(s))
		}
	}
	switch {
	case strings.HasSuffix(o.out, ".npz"):
		if err := t.writeArchive(o.out, resultArrays(results)); err != nil {
			return err
		}
	case o.out != "":
		if err := t.writeResults(o.out, results); err != nil {
			return err
		}
	case len(o.expect) == 0:
		return t.untilStopped(func() { t.printResults(results) })
	}
	return t.compare(o, results)
}

// untilStopped calls f, and fails if the tool is told to stop meanwhile: f is left behind then, as the process ends.
func (t *tool) untilStopped(f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

// stepText is a step as a line of a report.
func stepText(s exec.Step) string {
	return fmt.Sprintf("%-20s %-24s %5d  %-28s %12d bytes %12d flops %10v  %s", s.Op, s.Instruction, s.Count, s.Kernel,
		s.Bytes, s.FLOPs, s.Time, strings.TrimSpace(callsText(s.Calls)+" "+s.Reason))
}

// callsText says which calls of libraries a step makes; "" if none.
func callsText(c exec.Calls) string {
	switch {
	case c.Count == 0:
		return ""
	case c.Longest == 0:
		return fmt.Sprintf("calls: %d, of unknown length", c.Count)
	}
	return fmt.Sprintf("calls: %d, the longest about %v", c.Count, c.Longest)
}

// printResults prints the results, those of several devices with the device.
func (t *tool) printResults(results [][]*literal.Literal) {
	for d, list := range results {
		for _, l := range list {
			if len(results) > 1 {
				fmt.Fprintf(t.stdout, "device %d: ", d)
			}
			fmt.Fprintln(t.stdout, l)
		}
	}
}

// resultArrays are the results as files have them, device by device.
func resultArrays(results [][]*literal.Literal) []tensorfile.Array {
	var arrays []tensorfile.Array
	for d, list := range results {
		for i, l := range list {
			name := fmt.Sprintf("result_%d%s", i, deviceSuffix(d, len(results)))
			arrays = append(arrays, tensorfile.Array{Name: name, Value: l})
		}
	}
	return arrays
}

func (t *tool) writeArchive(path string, arrays []tensorfile.Array) error {
	return t.writeMuch(path, func(w io.Writer) error { return tensorfile.EncodeNPZ(w, arrays) })
}

func (t *tool) writeResults(dir string, results [][]*literal.Literal) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, a := range resultArrays(results) {
		npy := func(w io.Writer) error { return literal.WriteNPY(w, a.Value) }
		if err := t.writeMuch(filepath.Join(dir, a.Name+".npy"), npy); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return nil
}

// compare compares the results with the wanted ones.
func (t *tool) compare(o *runOptions, results [][]*literal.Literal) error {
	for d, list := range results {
		err := t.compareOne(o, list, forDevice(o.expect, d))
		if err != nil && len(results) > 1 {
			err = &exitError{codeOf(err), fmt.Errorf("device %d: %w", d, err)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tool) compareOne(o *runOptions, results []*literal.Literal, expect []string) error {
	if len(expect) > len(results) {
		return exitf(exitUsage, "got %d wanted results, but the program has %d", len(expect), len(results))
	}
	for i, path := range expect {
		want, err := readInput(path, results[i].Shape())
		if err != nil {
			return err
		}
		m := meta{Tolerance: tolerances{{o.rtol, o.atol}}}
		if err := m.judge(0, results[i], want); err != nil {
			return exitf(exitDiffers, "result %d: %w", i, err)
		}
		fmt.Fprintf(t.stdout, "result %d: as wanted in %s\n", i, path)
	}
	return nil
}
