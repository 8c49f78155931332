package stablehlo

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String returns the program in MLIR's generic form, each op as "name"(operands) <{properties}> ({regions})
// {attributes} : types. Values are numbered; locations are left out. ParseAST reads it back.
func (p *Program) String() string {
	w := &astPrinter{names: map[*Value]string{}}
	w.op(p.Module, 0)
	w.resources(p.Resources)
	return w.b.String()
}

type astPrinter struct {
	b     strings.Builder
	names map[*Value]string
	next  int
}

func (w *astPrinter) line(depth int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.b, format, args...)
}

func (w *astPrinter) newName(v *Value) string {
	w.names[v] = fmt.Sprintf("%%%d", w.next)
	w.next++
	return w.names[v]
}

func (w *astPrinter) op(o *Op, depth int) {
	w.line(depth, "")
	w.results(o)
	operands := make([]string, len(o.Operands))
	in := make([]Type, len(o.Operands))
	for i, v := range o.Operands {
		operands[i], in[i] = w.names[v], v.Type
	}
	fmt.Fprintf(&w.b, "%s(%s)", quote(o.Name), strings.Join(operands, ", "))
	var properties, rest []NamedAttr
	for _, a := range o.Attrs {
		if a.Property {
			properties = append(properties, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(properties) > 0 {
		fmt.Fprintf(&w.b, " <{%s}>", joinNamed(properties))
	}
	w.regions(o, depth)
	if len(rest) > 0 {
		fmt.Fprintf(&w.b, " {%s}", joinNamed(rest))
	}
	out := make([]Type, len(o.Results))
	for i, v := range o.Results {
		out[i] = v.Type
	}
	fmt.Fprintf(&w.b, " : %s\n", FuncType{in, out})
}

func (w *astPrinter) results(o *Op) {
	for i, v := range o.Results {
		if i > 0 {
			w.b.WriteString(", ")
		}
		w.b.WriteString(w.newName(v))
	}
	if len(o.Results) > 0 {
		w.b.WriteString(" = ")
	}
}

func (w *astPrinter) regions(o *Op, depth int) {
	for i, r := range o.Regions {
		w.b.WriteString(map[bool]string{true: " ({\n", false: ", {\n"}[i == 0])
		for j, b := range r.Blocks {
			w.block(b, j, depth)
		}
		w.line(depth, "}")
	}
	if len(o.Regions) > 0 {
		w.b.WriteByte(')')
	}
}

func (w *astPrinter) block(b *Block, index, depth int) {
	if index > 0 || len(b.Args) > 0 {
		args := make([]string, len(b.Args))
		for i, a := range b.Args {
			args[i] = w.newName(a) + ": " + a.Type.String()
		}
		w.line(depth, "^bb%d(%s):\n", index, strings.Join(args, ", "))
	}
	for _, o := range b.Ops {
		w.op(o, depth+1)
	}
}

func (w *astPrinter) resources(m map[string]string) {
	if len(m) == 0 {
		return
	}
	parts := make([]string, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, key+`: "`+m[key]+`"`) // as it was written, escapes and all
	}
	fmt.Fprintf(&w.b, "{-# dialect_resources: {builtin: {%s}} #-}\n", strings.Join(parts, ", "))
}
