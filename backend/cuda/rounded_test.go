//go:build cgo && linux

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// roundable are programs of f32 and whether Options.TF32 has them rounded, each with a result in all places that is a sum
// of so many squares.
var roundable = []struct {
	text    string
	squares float64
	rounded bool
}{
	{dotText("f32[16,512]", "f32[512,16]", "f32[16,16]", ""), 512, true},
	{dotText("f32[16,512]", "f32[512,16]", "f32[16,16]", ", operand_precision={default,default}"), 512, true},
	{dotText("f32[16,512]", "f32[512,16]", "f32[16,16]", ", operand_precision={default,high}"), 512, false},
	{dotText("f32[16,512]", "f32[512,16]", "f32[16,16]", ", operand_precision={highest,highest}"), 512, false},
	{dotText("f32[16,512]", "f32[512,16]", "f32[16,16]", ", algorithm=dot_f32_f32_f32"), 512, false},
	{dotText("f64[16,512]", "f64[512,16]", "f64[16,16]", ""), 512, false},
	{convolutionText("f32[1,5,5,8] f32[3,3,8,4] f32[1,3,3,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f"), 72, true},
	{convolutionText("f32[1,8,5,5] f32[4,8,3,3] f32[1,4,3,3]", "window={size=3x3}, dim_labels=bf01_oi01->bf01"), 72, true},
	{convolutionText("f32[1,5,5,8] f32[3,3,8,4] f32[1,3,3,4]",
		"window={size=3x3}, dim_labels=b01f_01io->b01f, operand_precision={highest,highest}"), 72, false},
	{convolutionText("f32[1,5,5,8] f32[3,3,8,4] f32[1,3,3,4]",
		"window={size=3x3}, dim_labels=b01f_01io->b01f, operand_precision={high,default}"), 72, false},
	{convolutionText("f64[1,5,5,8] f64[3,3,8,4] f64[1,3,3,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f"), 72, false},
	{convolutionText("f32[1,5,5,16] f32[1,1,16,16] f32[1,5,5,16]", "window={size=1x1}, dim_labels=b01f_01io->b01f"), 16, true},
	{convolutionText("f32[1,5,5,16] f32[1,1,16,16] f32[1,5,5,16]",
		"window={size=1x1}, dim_labels=b01f_01io->b01f, operand_precision={default,highest}"), 16, false},
	{biasedText("f32[1,5,5,8] f32[3,3,8,4] f32[1,3,3,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f", "f32[4] 3", ""), 72, true},
	{biasText("f32[20,32] f32[32,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"), 32, true},
}

// TestTF32 wants rounded what may be where the option is set, and nothing where it is not, and reports that say so. The
// emulated libraries round all that they may.
func TestTF32(t *testing.T) {
	const odd = 1 + 1.0/4096 // 1 in TF32
	for _, on := range []bool{false, true} {
		b := exec.New(&machine{openOne(t, Options{TF32: on, Cache: t.TempDir()})})
		for _, c := range roundable {
			m := parsed(t, c.text)
			want, rounds := c.squares*odd*odd, on && c.rounded
			if rounds {
				want = c.squares
			}
			if got := fmt.Sprint(compiled(t, b, m, exec.Options{}).Report()); strings.Contains(got, " in TF32") != rounds {
				t.Errorf("%s\nis run by %s", c.text, got)
			}
			var args []*literal.Literal
			for i, p := range m.Entry.Parameters {
				v := odd
				if i == 2 { // a bias
					v = 0
				}
				args = append(args, filled(p.Shape.Type, v, p.Shape.Dims...))
			}
			s := m.Entry.Root.Shape
			got := answer(t, b, c.text, exec.Options{}, args...)
			if d := literal.Compare(got, filled(s.Type, want, s.Dims...), literal.Tolerance{RTol: 1e-6}); d != nil {
				t.Errorf("TF32 %v: %s\n%v", on, c.text, d)
			}
		}
	}
}

// timedConvolutions are convolutions, and the engine that is the fastest of those with the bits of the first on the
// emulated device: number 0 is on tensor cores, number 13 faster than number 10, and what lies between is not as it says.
var timedConvolutions = []struct {
	name, shapes, attributes string
	tf32                     bool
	engine                   int64
}{
	{"f32", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", false, 13},
	{"tf32", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", true, 0},
	{"f16", "f16[2,7,6,3] f16[3,3,3,4] f16[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", false, 0},
	{"f64", "f64[2,3,7,6] f64[4,3,3,3] f64[2,4,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", false, 0},
	{"dilated", "f32[1,9,9,2] f32[3,3,2,2] f32[1,5,5,2]", "window={size=3x3 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f", false, 13},
	{"groups", "f32[2,6,6,4] f32[3,3,2,6] f32[2,4,4,6]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2", false, 13},
	{"by data", "f32[2,4,4,3] f32[3,3,3,2] f32[2,9,9,2]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", false, 13},
	{"by weights", "bf16[2,9,9,3] bf16[2,4,4,5] bf16[3,3,3,5]", "window={size=4x4 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf", false, 0},
}

// engineOf is the engine of the only convolution that a device knows of, -1 if there is none.
func engineOf(d *device) int64 {
	for _, w := range d.choices.known {
		return w.dnn.Engine
	}
	return -1
}

// TestAutotuneConvolutions wants the fastest way taken among those that compute the same, once, and again by others who
// have the folder, and the first without timing.
func TestAutotuneConvolutions(t *testing.T) {
	for _, c := range timedConvolutions {
		t.Run(c.name, func(t *testing.T) {
			o, text := Options{Cache: t.TempDir(), TF32: c.tf32}, convolutionText(c.shapes, c.attributes)
			for _, timed := range []int{1, 0} { // processes
				d := openOne(t, o)
				for range 2 { // programs
					compiled(t, exec.New(&machine{d}), parsed(t, text), exec.Options{})
				}
				if d.choices.timed != timed || engineOf(d) != c.engine {
					t.Errorf("got engine %d, %d timed, want %d, %d", engineOf(d), d.choices.timed, c.engine, timed)
				}
			}
			o.NoAutotune = true
			d := openOne(t, o)
			compiled(t, exec.New(&machine{d}), parsed(t, text), exec.Options{})
			if d.choices.timed != 0 || len(d.choices.known) != 0 {
				t.Errorf("%d timed, %d known, want none", d.choices.timed, len(d.choices.known))
			}
		})
	}
}

// choiceFiles are those of a folder that say how convolutions are done.
func choiceFiles(t *testing.T, folder string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(data), "halo convolution") {
			list = append(list, file)
		}
	}
	return list
}

// TestAutotuneConvolutionFiles wants what is no file of ours for a convolution ignored and written anew, and another file
// for TF32.
func TestAutotuneConvolutionFiles(t *testing.T) {
	c, folder := timedConvolutions[0], t.TempDir()
	text := convolutionText(c.shapes, c.attributes)
	first := openOne(t, Options{Cache: folder})
	compiled(t, exec.New(&machine{first}), parsed(t, text), exec.Options{})
	files := choiceFiles(t, folder)
	if len(files) != 1 {
		t.Fatalf("got files %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	key, _, _ := strings.Cut(whole, "\n")
	for _, part := range []string{first.info.Name, first.info.Arch, fmt.Sprintf("driver %d", first.info.Driver), "cudnn 9.10.2",
		"Kind:0", "Dims:[2 3 7 6 0]", "TF32:false", "Stride:[1 1 0]"} {
		if !strings.Contains(key, part) {
			t.Errorf("key %s lacks %s", key, part)
		}
	}
	good := *first.choices.known[key].dnn
	none, other, far := good, good, good
	none.Engine, other.Work, far.Index = 10, good.Work+1, 1000
	for name, text2 := range map[string]string{
		"empty": "", "cut": whole[:len(whole)-9], "a product's": wayText(key, way{}), "another engine": wayText(key, way{dnn: &none}),
		"another workspace": wayText(key, way{dnn: &other}), "far": wayText(key, way{dnn: &far}),
		"not faithful": wayText(key, way{dnn: &cudnn.Way{Mode: 3, Index: 1, Engine: 1, Notes: 2, Work: good.Work}}),
		"another key":  wayText(strings.Replace(key, "Kind:0", "Kind:1", 1), way{dnn: &good}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(files[0], []byte(text2), 0o600); err != nil {
				t.Fatal(err)
			}
			d := openOne(t, Options{Cache: folder})
			compiled(t, exec.New(&machine{d}), parsed(t, text), exec.Options{})
			if data, err := os.ReadFile(files[0]); err != nil || string(data) != whole || d.choices.timed != 1 {
				t.Errorf("the file is %q, %v, %d timed, want %q", data, err, d.choices.timed, whole)
			}
		})
	}
	compiled(t, exec.New(&machine{openOne(t, Options{Cache: folder, TF32: true})}), parsed(t, text), exec.Options{})
	if files := choiceFiles(t, folder); len(files) != 2 {
		t.Errorf("got files %v, want 2", files)
	}
}

// TestTrialArrays wants numbers of which fewer bits than those of TF32 show, beyond what halves reach, and the same again
// after a while.
func TestTrialArrays(t *testing.T) {
	for _, kind := range []shape.ElementType{shape.F64, shape.F32, shape.F16, shape.BF16} {
		for _, many := range []bool{false, true} {
			most := 0.0
			v := wide(t, kind, trialArray(kind, 3*period+5, many))
			for i, x := range v {
				most = max(most, x)
				if x != v[i%period] {
					t.Fatalf("%v: element %d is %v, want %v", kind, i, x, v[i%period])
				}
			}
			want := 1.0
			if many && kind.Bytes() > 2 {
				want = 1023 * 1024
			} else if many {
				want = 3
			}
			if len(v) != 3*period+5 || most != want {
				t.Errorf("%v: %d numbers up to %v, want up to %v", kind, len(v), most, want)
			}
		}
	}
}

// TestPartsOf wants all of a result looked at that is not large, and of others the first and the last part.
func TestPartsOf(t *testing.T) {
	for _, bytes := range []int64{0, 1, partBytes, partBytes + 1, partsRead * partBytes, partsRead*partBytes + 1, 1 << 31} {
		list, all, end := partsOf(bytes), int64(0), int64(0)
		for _, p := range list {
			if p.at < end || p.bytes <= 0 || p.bytes > partBytes {
				t.Errorf("%d bytes: got %v", bytes, list)
			}
			all, end = all+p.bytes, p.at+p.bytes
		}
		if end != bytes || all != min(bytes, partsRead*partBytes) {
			t.Errorf("%d bytes: got %v", bytes, list)
		}
	}
}
