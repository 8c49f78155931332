package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/export"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
	"github.com/halo-xla/halo/xla/tensorfile"
)

// description is what inspect says of a program.
type description struct {
	File       string              `json:"file"`
	Name       string              `json:"name"`
	Parameters []valueLine         `json:"parameters"`
	Results    []valueLine         `json:"results"`
	Ops        map[string]int      `json:"ops"`
	Bytes      int64               `json:"constant_bytes"`
	Elements   int64               `json:"parameter_elements"`
	Arguments  int64               `json:"parameter_bytes"`
	FLOPs      int64               `json:"flops"`
	Moved      int64               `json:"bytes"`
	Replicas   int64               `json:"num_replicas"`
	Partitions int64               `json:"num_partitions"`
	Lacks      map[string][]string `json:"lacks"`
	Memory     map[string]int64    `json:"peak_bytes"` // beside arguments and constants, where a backend plans it
	Exported   *exportLine         `json:"exported,omitempty"`
	refused    map[string]bool     // the backends that lack something without which nothing runs
	absent     map[string]bool     // the backends that this machine lacks
	open       bool                // there are parameters of unknown sizes
}

// exportLine is what inspect says of a jax.export container besides its program.
type exportLine struct {
	Function          string   `json:"function"`
	Inputs            []string `json:"inputs"`
	Outputs           []string `json:"outputs"`
	Unused            []string `json:"unused_inputs"`
	Platforms         []string `json:"platforms"`
	Devices           int      `json:"devices"`
	CallingConvention int      `json:"calling_convention"`
	JAXVersion        string   `json:"jax_version,omitempty"`
	Checks            []string `json:"disabled_checks,omitempty"`
	Effects           []string `json:"ordered_effects,omitempty"`
	VJP               bool     `json:"vjp"`
}

// exported describes a container, nil if src is none.
func exported(src []byte) *exportLine {
	if xla.Detect(src) != xla.JAXExport {
		return nil
	}
	e, err := export.Parse(src)
	if err != nil {
		return nil
	}
	x := &exportLine{Function: e.Function, Platforms: e.Platforms, Devices: e.Devices, JAXVersion: e.JAXVersion,
		CallingConvention: e.CallingConvention, Checks: e.Checks, Effects: e.Effects, VJP: e.VJP != nil,
		Inputs: arrayLines(e.Inputs), Outputs: arrayLines(e.Outputs), Unused: []string{}}
	for i, a := range e.Inputs {
		if !slices.Contains(e.Kept, i) {
			x.Unused = append(x.Unused, a.Name)
		}
	}
	return x
}

func arrayLines(arrays []export.Array) []string {
	list := []string{}
	for _, a := range arrays {
		list = append(list, strings.TrimSpace(a.Name+" "+a.String()+" "+a.Sharding))
	}
	return list
}

type valueLine struct {
	Name     string `json:"name"`
	Shape    string `json:"shape"`
	Sharding string `json:"sharding,omitempty"`
}

// arrayLine is what inspect says of an array in a data file.
type arrayLine struct {
	Name   string  `json:"name"`
	DType  string  `json:"dtype"`
	Shape  []int64 `json:"shape"`
	SHA256 string  `json:"sha256"`
}

func inspectCommand(t *tool, args []string) error {
	fl := t.flags("inspect")
	asJSON := fl.Bool("json", false, "print JSON")
	var plugins pluginFlags
	plugins.add(fl)
	words, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return exitf(exitUsage, "got %d files, want one", len(words))
	}
	if tensorfile.IsData(words[0]) {
		return t.inspectData(words[0], *asJSON)
	}
	src, err := t.readFile(words[0])
	if err != nil {
		return err
	}
	m, err := xla.Read(xla.Program{Name: words[0], Source: src})
	if err != nil {
		return err
	}
	if unknown := hlo.UnknownAttributes(m); len(unknown) > 0 {
		return unknown[0]
	}
	d := describe(words[0], m)
	d.Exported = exported(src)
	h := newHandlers()
	defer h.Close()
	if err := t.loadPlugins(h, plugins); err != nil {
		return err
	}
	t.compileOnAll(m, &d, h.Registry)
	if *asJSON {
		return t.json(d)
	}
	t.printDescription(d)
	return nil
}

func describe(file string, m *hlo.Module) description {
	d := description{File: file, Name: m.Name, Ops: map[string]int{}}
	d.Replicas, d.Partitions = max(m.Config.NumReplicas, 1), max(m.Config.NumPartitions, 1)
	sig := xla.SignatureOf(m)
	for i, v := range sig.Parameters {
		line := valueLine{Name: v.Name, Shape: v.Shape.String()}
		if c := m.Entry.Parameters[i].Common; c != nil {
			line.Sharding = string(c.Sharding)
		}
		d.Parameters = append(d.Parameters, line)
		for _, leaf := range v.Shape.Leaves() {
			d.open = d.open || leaf.HasUnbounded()
			if n, ok := leaf.CheckedSize(); ok && !leaf.IsDynamic() {
				d.Elements += min(n, math.MaxInt64-d.Elements)
				d.Arguments += min(n*int64(leaf.Type.Bytes()), math.MaxInt64-d.Arguments)
			}
		}
	}
	for _, v := range sig.Results {
		d.Results = append(d.Results, valueLine{Name: v.Name, Shape: v.Shape.String()})
	}
	cost := m.Cost(nil)
	d.FLOPs, d.Moved = cost.FLOPs, cost.Bytes
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			d.Ops[in.Op.String()]++
			if a, ok := in.Attrs.(*hlo.ConstantAttrs); ok {
				d.Bytes += int64(len(a.Literal.Bytes()))
			}
		}
	}
	return d
}

// compileOnAll says for each backend what it cannot run of m itself, the operations that the reference runs in its
// place or why it refuses the program, and the memory that a run takes.
func (t *tool) compileOnAll(m *hlo.Module, d *description, h xla.Handlers) {
	d.Lacks, d.Memory = map[string][]string{}, map[string]int64{}
	d.refused, d.absent = map[string]bool{}, map[string]bool{}
	for name := range backends {
		if name == "cuda-emu" { // it is cuda, for tests
			continue
		}
		d.Lacks[name] = []string{}
		if err := t.compileOn(name, m, d, h); err != nil {
			d.Lacks[name], d.refused[name] = []string{err.Error()}, true
		}
	}
}

func (t *tool) compileOn(name string, m *hlo.Module, d *description, h xla.Handlers) error {
	backend, err := newBackend(name, usual())
	if err != nil {
		d.absent[name] = true
		return err
	}
	client, err := xla.NewClient(backend, xla.ClientOptions{Handlers: h})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(t.ctx, xla.Program{Name: m.Name, Module: m}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		return err
	}
	defer exe.Close()
	if name != "reference" {
		d.Lacks[name] = append(d.Lacks[name], fallbacks(exe)...)
	}
	if peak := exe.Memory().Peak; peak > 0 {
		d.Memory[name] = peak
	}
	return nil
}

func (t *tool) printDescription(d description) {
	t.printf("%s: %d replicas x %d partitions, %d bytes of constants, %d FLOPs, %d bytes moved op by op\n", d.Name,
		d.Replicas, d.Partitions, d.Bytes, d.FLOPs, d.Moved)
	t.printf("  parameters hold %d elements in %d bytes\n", d.Elements, d.Arguments)
	if d.open {
		t.printf("  arrays whose sizes are not known (?) count nothing here\n")
	}
	for i, v := range d.Parameters {
		t.printf("  parameter %d  %-24s %s %s\n", i, v.Name, v.Shape, v.Sharding)
	}
	for i, v := range d.Results {
		t.printf("  result %d     %-24s %s\n", i, v.Name, v.Shape)
	}
	if x := d.Exported; x != nil {
		t.printExported(x)
	}
	for _, op := range slices.Sorted(maps.Keys(d.Ops)) {
		t.printf("  %6d %s\n", d.Ops[op], op)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Memory)) {
		t.printf("  %s takes %d bytes beside arguments and constants\n", name, d.Memory[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Lacks)) {
		for _, what := range d.Lacks[name] {
			t.printf("  %s %s\n", name, d.lacks(name, what))
		}
	}
}

// lacks says what it means that a backend lacks something: it cannot run the program, or the reference does an op.
func (d description) lacks(backend, what string) string {
	if d.absent[backend] {
		return "is not on this machine; halo doctor says why"
	}
	if d.refused[backend] {
		return "cannot run it: " + what
	}
	op, reason, _ := strings.Cut(what, ":")
	return "leaves " + op + " to the reference: " + reason
}

// printExported prints a function as its producer knows it: with the symbols of its sizes.
func (t *tool) printExported(x *exportLine) {
	t.printf("  exported function %s(%s) -> (%s)\n", x.Function, strings.Join(x.Inputs, ", "),
		strings.Join(x.Outputs, ", "))
	t.printf("  for %s, %d devices, JAX %s, calling convention %d; inputs that it does not use: %v\n",
		strings.Join(x.Platforms, ", "), x.Devices, cmp.Or(x.JAXVersion, "unknown"), x.CallingConvention, x.Unused)
}

func (t *tool) inspectData(path string, asJSON bool) error {
	f, err := openData(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := []arrayLine{}
	for _, a := range f.Arrays {
		sum := sha256.New()
		if _, err := a.WriteTo(stoppable{t.ctx, sum}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		lines = append(lines, arrayLine{a.Name, numpyName(a.Shape.Type), append([]int64{}, a.Shape.Dims...),
			hex.EncodeToString(sum.Sum(nil))})
	}
	if asJSON {
		return t.json(map[string]any{"arrays": lines})
	}
	for _, l := range lines {
		dims := strings.ReplaceAll(fmt.Sprint(l.Shape), " ", ",")
		t.printf("%-32s %-24s sha256 %s\n", cmp.Or(l.Name, filepath.Base(path)), l.DType+dims, l.SHA256)
	}
	return nil
}

var numpyNames = map[shape.Class]string{shape.SignedClass: "int", shape.UnsignedClass: "uint",
	shape.FloatClass: "float", shape.ComplexClass: "complex"}

var numpySpecial = map[shape.ElementType]string{
	shape.Pred: "bool", shape.BF16: "bfloat16", shape.F8E5M2: "float8_e5m2", shape.F8E4M3FN: "float8_e4m3fn",
	shape.F8E4M3B11FNUZ: "float8_e4m3b11fnuz", shape.F8E5M2FNUZ: "float8_e5m2fnuz", shape.F8E4M3FNUZ: "float8_e4m3fnuz",
	shape.F8E4M3: "float8_e4m3", shape.F8E3M4: "float8_e3m4", shape.F8E8M0FNU: "float8_e8m0fnu",
	shape.F4E2M1FN: "float4_e2m1fn", shape.F6E3M2FN: "float6_e3m2fn", shape.F6E2M3FN: "float6_e2m3fn",
}

// numpyName is the element type as numpy writes it.
func numpyName(t shape.ElementType) string {
	if n, ok := numpySpecial[t]; ok {
		return n
	}
	return fmt.Sprintf("%s%d", numpyNames[t.Class()], t.Bits())
}

// numpyHas reports whether numpy itself has numbers of the type.
func numpyHas(t shape.ElementType) bool {
	_, special := numpySpecial[t]
	return t.IsArray() && !special && t.Bits() >= 8
}
