package stablehlo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Imported is a program as HLO.
type Imported struct {
	// Module has the entry function and what it calls; nil if there is no entry: a text without functions, or
	// with several that others may call and none called main.
	Module *hlo.Module
	// Functions are those that have a body, by name.
	Functions map[string]*hlo.Computation
	// Unsupported says why functions that the entry does not need were left out: they are right and cannot be imported.
	Unsupported []error
}

// Parse reads one program and turns it into HLO. Each of its functions is checked, also those that the entry does not
// call. Errors are [*Error].
func Parse(t Text) (*Imported, error) {
	prog, err := ParseAST(t)
	if err != nil {
		return nil, err
	}
	return Import(prog)
}

// Import turns a tree into HLO. The entry is the function main, else the only public one, else the only one. It makes
// notes in the tree, so that two goroutines must not import one at once.
func Import(prog *Program) (*Imported, error) {
	im := &importer{prog: prog, rows: allImports, functions: map[string]*function{}, names: map[string]int{},
		meshes: map[string]mesh{}, shardings: map[string]hlo.Raw{}, plain: map[string]importFunc{},
		shared: newShared()}
	if err := im.collect(prog.Module, 0); err != nil {
		return nil, err
	}
	out, entry := &Imported{Functions: map[string]*hlo.Computation{}}, im.entry()
	for _, f := range im.order {
		if len(f.op.Regions) == 0 {
			continue
		}
		c, err := im.computation(f)
		if errors.Is(err, errors.ErrUnsupported) && f != entry {
			out.Unsupported = append(out.Unsupported, err)
			if err := f.op.Regions[0].Blocks[0].drain(); err != nil { // it is wrong behind that
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Functions[f.name] = c
	}
	if entry == nil {
		return out, nil
	}
	out.Module = hlo.NewModule(im.moduleName(), entry.computation)
	return out, im.configure(out.Module, entry)
}

// importer turns one program into HLO.
type importer struct {
	shared
	prog      *Program
	rows      map[string]importFunc // by op; held here since the functions of the table use it
	functions map[string]*function
	order     []*function
	names     map[string]int // of computations, with how often each was wanted
	meshes    map[string]mesh
	shardings map[string]hlo.Raw    // that have been read, by Shardy's text
	spelled   int                   // devices of groups and shardings, see spell
	channels  int64                 // that no program names
	plain     map[string]importFunc // rows of the names that have come
	splats    int64                 // bytes of the constants of one element that were written out
}

// function is a func.func.
type function struct {
	name        string
	op          *Op
	typ         FuncType
	computation *hlo.Computation // nil until it is wanted
	open        bool             // while its body is being imported
	err         error            // why it cannot be
}

// collect gathers the functions and meshes of a module and of modules inside it.
func (im *importer) collect(module *Op, depth int) error {
	body, err := module.Block(0)
	if err != nil {
		return err
	}
	for _, op := range body.Ops {
		switch op.Name {
		case "func.func":
			err = im.collectFunction(op)
		case "builtin.module":
			err = im.collect(op, depth+1)
		case "sdy.mesh", "stablehlo.mesh":
			err = im.collectMesh(op)
		default:
			err = op.Errorf("stands outside of functions")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) collectFunction(op *Op) error {
	name, err := op.Text("sym_name")
	if err != nil {
		return err
	}
	if im.functions[name] != nil {
		return errorf(op.Pos, "function @%s is defined twice", name)
	}
	t, ok := op.Attr("function_type").(TypeAttr)
	if !ok {
		return op.wrong("function_type", "a function type")
	}
	f := &function{name: name, op: op}
	if f.typ, ok = t.Type.(FuncType); !ok {
		return op.wrong("function_type", "a function type")
	}
	im.functions[name] = f
	im.order = append(im.order, f)
	return nil
}

// entry returns the function main, else the only one that others may call, else the only one; nil if there is none
// such. Functions without a body do not count.
func (im *importer) entry() *function {
	var public, all []*function
	for _, f := range im.order {
		if len(f.op.Regions) == 0 {
			continue
		}
		if f.name == "main" {
			return f
		}
		all = append(all, f)
		if visibility, _ := f.op.Text("sym_visibility"); visibility != "private" {
			public = append(public, f)
		}
	}
	for _, list := range [][]*function{public, all} {
		if len(list) == 1 {
			return list[0]
		}
	}
	return nil
}

func (im *importer) moduleName() string {
	if name, err := im.prog.Module.Text("sym_name"); err == nil && name != "" {
		return cleanName(name)
	}
	return "main"
}

// cleanName turns a name into one that HLO text can hold.
func cleanName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 128 && (identByte(byte(r)) || r == '-') && r != '$' {
			return r
		}
		return '_'
	}, name)
	if clean == "" || digit(clean[0]) {
		return "_" + clean
	}
	return clean
}

// uniqueName returns a name for a computation that no other has.
func (im *importer) uniqueName(name string) string {
	name = cleanName(name)
	n := im.names[name]
	im.names[name] = n + 1
	if n == 0 {
		return name
	}
	return im.uniqueName(fmt.Sprintf("%s.%d", name, n))
}

// computation imports a function's body, once.
func (im *importer) computation(f *function) (*hlo.Computation, error) {
	if f.computation != nil || f.err != nil {
		return f.computation, f.err
	}
	if f.open {
		return nil, errorf(f.op.Pos, "function @%s calls itself", f.name)
	}
	if len(f.op.Regions) == 0 {
		return nil, errorf(f.op.Pos, "function @%s has no body", f.name)
	}
	f.open = true
	f.computation, f.err = im.imported(f)
	f.err = brief(f.err)
	f.open = false
	return f.computation, f.err
}

// maxMessage is how many bytes are kept of why a function cannot be imported: a type in it can be as long as the file,
// and there may be many functions.
const maxMessage = 2048

// brief returns an error of something that is not supported without the rest of a long message.
func brief(err error) error {
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, errors.ErrUnsupported) || len(e.Msg) <= maxMessage {
		return err
	}
	return &Error{Pos: e.Pos, Op: e.Op, Msg: strings.Clone(e.Msg[:maxMessage]) + "...", Err: errors.ErrUnsupported}
}

func (im *importer) imported(f *function) (*hlo.Computation, error) {
	body, err := f.op.Block(0)
	if err != nil {
		return nil, err
	}
	c := im.newContext(nil, im.uniqueName(f.name))
	if err := c.parameters(body.Args, f.op); err != nil {
		return nil, err
	}
	results, err := c.body(body, f.op)
	if err != nil {
		return nil, err
	}
	if err := checkReturn(c.last, f); err != nil {
		return nil, err
	}
	return c.build(results, len(results) != 1, f.op)
}

// checkReturn compares the types of what is returned with the function's results.
func checkReturn(ret *Op, f *function) error {
	if len(ret.Operands) != len(f.typ.Results) {
		return ret.Errorf("returns %d values, want %d as @%s does", len(ret.Operands), len(f.typ.Results), f.name)
	}
	for i, v := range ret.Operands {
		if want := f.typ.Results[i]; !TypesEqual(v.Type, want) {
			return ret.Errorf("value %d is %s, want %s as @%s returns", i, v.Type, want, f.name)
		}
	}
	return nil
}

// configure sets what a module's and its entry's attributes say.
func (im *importer) configure(m *hlo.Module, entry *function) error {
	module := im.prog.Module
	var err error
	if m.Config.NumReplicas, err = module.IntOr("mhlo.num_replicas", 0); err != nil {
		return err
	}
	if m.Config.NumPartitions, err = module.IntOr("mhlo.num_partitions", 0); err != nil {
		return err
	}
	if m.Config.Frontend, err = im.frontend(module, module.Attr("mhlo.frontend_attributes"), nil); err != nil {
		return err
	}
	dicts, _ := entry.op.Attr("arg_attrs").(ArrayAttr)
	for i, d := range dicts {
		dict, ok := d.(DictAttr)
		if !ok || i >= len(m.Entry.Parameters) {
			return entry.op.wrong("arg_attrs", "a list of dictionaries, one an argument")
		}
		if err := im.configureParameter(m, entry.op, int64(i), dict); err != nil {
			return err
		}
	}
	return nil
}

// configureParameter reads the attributes of an argument of the entry, op.
func (im *importer) configureParameter(m *hlo.Module, op *Op, n int64, attrs DictAttr) (err error) {
	param := hlo.ParameterIndex{Parameter: n}
	if out, ok := intOf(attrs.Lookup("tf.aliasing_output")); ok {
		index := []int64{}
		if m.Entry.Root.Shape.IsTuple() {
			index = append(index, out)
		}
		m.Config.Alias = append(m.Config.Alias, hlo.Alias{Output: index, ParameterIndex: param})
	}
	if donor, ok := attrs.Lookup("jax.buffer_donor").(BoolAttr); ok && bool(donor) {
		m.Config.BufferDonor = append(m.Config.BufferDonor, param)
	}
	common := &hlo.Common{}
	if common.Frontend, err = im.frontend(op, attrs.Lookup("mhlo.frontend_attributes"), nil); err != nil {
		return err
	}
	if s, ok := attrs.Lookup("mhlo.sharding").(StringAttr); ok {
		common.Sharding = hlo.Raw(s)
	} else if common.Sharding, err = im.shardySharding(op, attrs.Lookup("sdy.sharding")); err != nil {
		return err
	}
	if common.Sharding != "" || common.Frontend != nil {
		m.Entry.Parameters[n].Common = common
	}
	return nil
}

// wrap turns an error of package hlo into one at the op.
func wrap(op *Op, err error) error {
	var mine *Error
	if errors.As(err, &mine) {
		return err
	}
	what := err
	var theirs *hlo.Error
	if errors.As(err, &theirs) {
		what = theirs.Err
	}
	return &Error{Pos: op.Pos, Op: op.Name, Msg: op.Signature() + ": " + what.Error(), Err: err}
}

// unsupported is the error of an op that is right and cannot be imported.
func unsupported(op *Op, format string, args ...any) error {
	return &Error{Pos: op.Pos, Op: op.Name, Msg: op.Signature() + ": " + fmt.Sprintf(format, args...),
		Err: errors.ErrUnsupported}
}

// constantOf returns a literal as attributes of a constant, and its shape.
func constantOf(l *literal.Literal) (*hlo.ConstantAttrs, shape.Shape) {
	return &hlo.ConstantAttrs{Literal: l}, l.Shape()
}
