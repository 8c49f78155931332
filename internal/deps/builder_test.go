package deps

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

const builderPath = "docs/builder.md"

// builderLine is one line of a table of docs/builder.md.
type builderLine struct {
	number      int // of the line, from 1
	row         int // of the operation, 0 if it is none of the source rows
	generations string
	signatures  string // as XLA writes them
	forms       []string
}

var span = regexp.MustCompile("`([^`]+)`")

// readBuilder parses the tables of docs/builder.md, which have five columns: row, generations, XLA's signature, Go form
// and remark. The Go form is code spans.
func readBuilder(t *testing.T, text string) []builderLine {
	t.Helper()
	var list []builderLine
	inside := false // a table of operations
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "| row |") || !strings.HasPrefix(line, "|") {
			inside = line != "" && line[0] == '|'
			continue
		}
		if !inside || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 5 {
			t.Fatalf("%s:%d: got %d cells, want 5", builderPath, i+1, len(cells))
		}
		l := builderLine{number: i + 1, generations: strings.TrimSpace(cells[1]), signatures: cells[2]}
		if row := strings.TrimSpace(cells[0]); row != "-" {
			n, err := strconv.Atoi(row)
			if err != nil {
				t.Fatalf("%s:%d: row %q, want a number or -", builderPath, i+1, row)
			}
			l.row = n
		}
		for _, m := range span.FindAllStringSubmatch(cells[3], -1) {
			l.forms = append(l.forms, m[1])
		}
		list = append(list, l)
	}
	return list
}

// goSignatures maps the exported functions, methods and struct fields of the language's packages to how they are
// declared, on one line: "Builder.Abs" to "Builder.Abs(operand *Instruction) *Instruction". Names of package hlo stand
// alone, others have their package before them.
func goSignatures(t *testing.T) map[string]string {
	t.Helper()
	prefix := map[string]string{"xla/hlo": "", "xla/shape": "shape.", "xla/literal": "literal."}
	m := map[string]string{}
	for _, f := range goFiles(t, parser.SkipObjectResolution) {
		p, ok := prefix[f.pkg]
		if !ok || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := p + d.Name.Name
				if d.Recv != nil {
					name = p + typeName(d.Recv.List[0].Type) + "." + d.Name.Name
				}
				m[name] = name + signature(d.Type)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						addFields(m, p+s.Name.Name, s.Type)
					}
				}
			}
		}
	}
	return m
}

// addFields adds the fields of a struct type.
func addFields(m map[string]string, name string, t ast.Expr) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			m[name+"."+n.Name] = name + "." + n.Name + " " + types.ExprString(f.Type)
		}
	}
}

// signature prints a function type without the word func: type parameters, parameters, results.
func signature(f *ast.FuncType) string {
	s := ""
	if f.TypeParams != nil {
		s = "[" + fieldList(f.TypeParams) + "]"
	}
	s += "(" + fieldList(f.Params) + ")"
	if f.Results == nil {
		return s
	}
	results := fieldList(f.Results)
	if len(f.Results.List) > 1 || len(f.Results.List[0].Names) > 0 {
		results = "(" + results + ")"
	}
	return s + " " + results
}

func fieldList(l *ast.FieldList) string {
	var parts []string
	for _, f := range l.List {
		var names []string
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
		parts = append(parts, strings.TrimSpace(strings.Join(names, ", ")+" "+types.ExprString(f.Type)))
	}
	return strings.Join(parts, ", ")
}

// formName is what a code span of the Go form names: all before the parameters or the type.
func formName(form string) string {
	if i := strings.IndexAny(form, "([ "); i >= 0 {
		return form[:i]
	}
	return form
}

// TestBuilderDocument wants docs/builder.md to have every source row in every generation that names it, every builder
// method, and each Go form as it is declared. With -rewrite it writes the declarations into the document.
func TestBuilderDocument(t *testing.T) {
	text, declared := read(t, builderPath), goSignatures(t)
	if *rewrite {
		dir, _ := root(t)
		text = rewriteForms(text, declared)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(builderPath)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	named, covered := map[string]bool{}, map[string]bool{}
	for _, l := range readBuilder(t, text) {
		where := fmt.Sprintf("%s:%d", builderPath, l.number)
		if l.generations == "" || strings.Trim(l.generations, "ABCDSht") != "" {
			t.Errorf("%s: generations %q, want letters of ABCDSht", where, l.generations)
		}
		if l.row < 0 || l.row > len(hlo.SourceRows) {
			t.Errorf("%s: row %d, want 1 to %d", where, l.row, len(hlo.SourceRows))
		}
		if len(l.forms) == 0 || !span.MatchString(l.signatures) {
			t.Errorf("%s: want a signature and a Go form between backquotes", where)
		}
		for _, g := range l.generations {
			covered[fmt.Sprintf("%d%c", l.row, g)] = true
		}
		for _, form := range l.forms {
			name := formName(form)
			named[name] = true
			if want, ok := declared[name]; !ok {
				t.Errorf("%s: there is no %s", where, name)
			} else if form != want {
				t.Errorf("%s: got %s, want %s: run go test ./internal/deps -rewrite", where, form, want)
			}
		}
	}
	for _, row := range hlo.SourceRows {
		for _, g := range row.Seeds {
			if !covered[fmt.Sprintf("%d%c", row.Row, g)] {
				t.Errorf("%s: row %d, %s, has no line for generation %c", builderPath, row.Row, row.Name, g)
			}
		}
	}
	for name := range declared {
		if method, ok := strings.CutPrefix(name, "Builder."); ok && ast.IsExported(method) && !named[name] {
			t.Errorf("%s: %s is missing", builderPath, name)
		}
	}
}

// rewriteForms puts the declarations in the place of the Go forms.
func rewriteForms(text string, declared map[string]string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| ") || len(cells) != 7 {
			continue
		}
		cells[4] = span.ReplaceAllStringFunc(cells[4], func(s string) string {
			if d, ok := declared[formName(strings.Trim(s, "`"))]; ok {
				return "`" + d + "`"
			}
			return s
		})
		lines[i] = strings.Join(cells, "|")
	}
	return strings.Join(lines, "\n")
}

// laterBuilderFunctions are the functions of XLA's builder that no document of operation semantics has.
var laterBuilderFunctions = strings.Fields(`
Conj Square Reciprocal ConvWithGeneralDimensions ConvGeneral ConvGeneralDilated
DynamicConvForward DynamicConvInputGrad DynamicConvKernelGrad ReduceAll ReduceWindowWithGeneralPadding
SelectAndScatterWithGeneralPadding SliceInDim PadInDim DynamicReshape ReshapeWithInferredDimension
RemoveDynamicDimension Outfeed OutfeedWithToken InfeedWithToken SendToHost RecvFromHost SendWithToken RecvWithToken
CreateToken AllGatherTuple AllReduceTuple AllToAllTuple MultiCollectivePermute CollectiveBroadcast RaggedAllToAll
RaggedDot ScaledDot Scan StochasticConvertType Mulhi MhloDynamicBroadcastInDim MhloDynamicReshape
CustomCallWithComputation CustomCallWithLayout CustomCallWithConvDnums ThreeFryBitGenerator PhiloxBitGenerator
UniformFloatingPointDistribution NormalFloatingPointDistribution Trace SqrtF32 SquareF32 ReciprocalF32 IsConstant
ComputeConstant LogicalAnd LogicalOr LogicalNot`)

// TestBuilderDocumentHasLaterFunctions wants a signature of each of laterBuilderFunctions.
func TestBuilderDocumentHasLaterFunctions(t *testing.T) {
	var names []string
	for _, l := range readBuilder(t, read(t, builderPath)) {
		for _, m := range span.FindAllStringSubmatch(l.signatures, -1) {
			names = append(names, formName(m[1]))
		}
	}
	for _, name := range laterBuilderFunctions {
		if !slices.Contains(names, name) {
			t.Errorf("%s: no signature of %s", builderPath, name)
		}
	}
}

// TestBuilderComments wants the doc comment of every builder method to say shapes in letters, how it fails and where the
// rule is from.
func TestBuilderComments(t *testing.T) {
	for _, f := range goFiles(t, parser.ParseComments|parser.SkipObjectResolution) {
		if f.pkg != "xla/hlo" || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || typeName(fn.Recv.List[0].Type) != "Builder" || !fn.Name.IsExported() {
				continue
			}
			text := fn.Doc.Text()
			for part, mark := range map[string]string{"shapes": "\n\t", "how it fails": " fail", "the rule's source": "Law:"} {
				// Build and Err make no instruction.
				if !strings.Contains(text, mark) && fn.Name.Name != "Build" && fn.Name.Name != "Err" {
					t.Errorf("%s: the comment of %s lacks %s", f.path, fn.Name.Name, part)
				}
			}
		}
	}
}

func TestRewriteForms(t *testing.T) {
	const in = "| 1 | A | `F(a)` | `B.F(old)`, `None` | see |\ntext `B.F`\n"
	const want = "| 1 | A | `F(a)` | `B.F(new int) T`, `None` | see |\ntext `B.F`\n"
	if got := rewriteForms(in, map[string]string{"B.F": "B.F(new int) T"}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
