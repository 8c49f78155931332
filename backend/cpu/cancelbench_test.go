package cpu

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// cancelHead are the computations of the programs below.
const cancelHead = `HloModule m
less { a = u32[] parameter(0)
  b = u32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT }
odd { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  e = f32[] negate(a)
  f = f32[] sine(b)
  ROOT l = pred[] compare(e, f), direction=LT }
mix { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] multiply(a, b)
  ROOT d = f32[] add(c, b) }
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ge { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=GE }
few { s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(100000000)
  ROOT l = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  o = s32[] constant(1)
  x = f32[64] get-tuple-element(s), index=1
  r = f32[64] reverse(x), dimensions={0}
  y = f32[64] sine(r)
  j = s32[] add(i, o)
  ROOT t = (s32[], f32[64]) tuple(j, y) }
heavy { s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  o = s32[] constant(1)
  x = f32[64] get-tuple-element(s), index=1
  w = f32[64,65536] broadcast(x), dimensions={0}
  k = f32[64,65536] iota(), iota_dimension=1
  z = f32[64,65536] multiply(w, k)
  v = f32[] constant(0)
  y = f32[64] reduce(z, v), dimensions={1}, to_apply=add
  j = s32[] add(i, o)
  ROOT t = (s32[], f32[64]) tuple(j, y) }
fewer { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000000000)
  ROOT l = pred[] compare(i, n), direction=LT }
scalar { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  o = s32[] constant(1)
  x = f32[] get-tuple-element(s), index=1
  y = f32[] sine(x)
  j = s32[] add(i, o)
  ROOT t = (s32[], f32[]) tuple(j, y) }
`

// cancelPrograms are long single steps, loops, and plans of many small steps: parameters and the rest of an entry.
var cancelPrograms = []struct{ name, text string }{
	{"sort u32[16M]", "x = u32[16777216] parameter(0)\n ROOT s = u32[16777216] sort(x), dimensions={0}, to_apply=less"},
	{"sort by a computation", "x = f32[2097152] parameter(0)\n i = s32[2097152] parameter(1)\n" +
		"ROOT s = (f32[2097152], s32[2097152]) sort(x, i), dimensions={0}, to_apply=odd"},
	{"sort columns", "x = u32[4096,2048] parameter(0)\n ROOT s = u32[4096,2048] sort(x), dimensions={0}, to_apply=less"},
	{"topk", "x = f32[64,262144] parameter(0)\n ROOT t = (f32[64,1000], s32[64,1000]) topk(x), k=1000, largest=true"},
	{"fft c64[16M]", "x = c64[16777216] parameter(0)\n ROOT y = c64[16777216] fft(x), fft_type=FFT, " +
		"fft_length={16777216}"},
	{"fft prime", "x = c64[1048583] parameter(0)\n ROOT y = c64[1048583] fft(x), fft_type=FFT, fft_length={1048583}"},
	{"rfft 2d", "x = f32[4096,4096] parameter(0)\n ROOT y = c64[4096,2049] fft(x), fft_type=RFFT, " +
		"fft_length={4096,4096}"},
	{"fft c128", "x = c128[16,262144] parameter(0)\n ROOT y = c128[16,262144] fft(x), fft_type=IFFT, fft_length={262144}"},
	{"transpose 2d", "x = f32[8192,8192] parameter(0)\n ROOT y = f32[8192,8192] transpose(x), dimensions={1,0}"},
	{"transpose 5d", "x = u8[64,3,128,32,65] parameter(0)\n ROOT y = u8[65,32,3,64,128] transpose(x), " +
		"dimensions={4,3,1,0,2}"},
	{"reverse and pad", "x = f32[8192,4096] parameter(0)\n z = f32[] parameter(1)\n" +
		"r = f32[8192,4096] reverse(x), dimensions={0,1}\n ROOT y = f32[8200,8193] pad(r, z), padding=4_4x1_1_1"},
	{"concatenate", "x = f32[4096,8192] parameter(0)\n ROOT y = f32[4096,16384] concatenate(x, x), dimensions={1}"},
	{"gather", "x = f32[16777216] parameter(0)\n i = s32[16777216] parameter(1)\n ROOT y = f32[16777216] gather(x, i), " +
		"offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}"},
	{"gather rows", "x = f32[262144,256] parameter(0)\n i = s32[262144] parameter(1)\n" +
		"ROOT y = f32[262144,256] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, " +
		"index_vector_dim=1, slice_sizes={1,256}"},
	{"scatter", "x = f32[16777216] parameter(0)\n i = s32[16777216] parameter(1)\n u = f32[16777216] parameter(2)\n" +
		"ROOT y = f32[16777216] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, " +
		"scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"},
	{"scatter by a computation", "x = f32[4194304] parameter(0)\n i = s32[4194304] parameter(1)\n" +
		"u = f32[4194304] parameter(2)\n ROOT y = f32[4194304] scatter(x, i, u), update_window_dims={}, " +
		"inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=mix"},
	{"dot f32", "x = f32[4096,4096] parameter(0)\n ROOT y = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot f32 batch", "x = f32[64,512,512] parameter(0)\n ROOT y = f32[64,512,512] dot(x, x), lhs_batch_dims={0}, " +
		"rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
	{"dot bf16", "x = bf16[4096,4096] parameter(0)\n ROOT y = bf16[4096,4096] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot f64", "x = f64[2048,2048] parameter(0)\n ROOT y = f64[2048,2048] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot c64", "x = c64[2048,2048] parameter(0)\n ROOT y = c64[2048,2048] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot s32", "x = s32[2048,2048] parameter(0)\n ROOT y = s32[2048,2048] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot u8", "x = u8[4096,4096] parameter(0)\n ROOT y = s32[4096,4096] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={0}"},
	{"dot of long rows", "x = f32[8,16777216] parameter(0)\n ROOT y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, " +
		"rhs_contracting_dims={1}"},
	{"convolution", "x = f32[32,112,112,64] parameter(0)\n w = f32[3,3,64,64] parameter(1)\n" +
		"ROOT y = f32[32,112,112,64] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"convolution by weights", "x = f32[64,56,56,64] parameter(0)\n w = f32[64,56,56,64] parameter(1)\n" +
		"ROOT y = f32[3,3,64,64] convolution(x, w), window={size=56x56 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf"},
	{"convolution s32", "x = s32[8,56,56,64] parameter(0)\n w = s32[3,3,64,64] parameter(1)\n" +
		"ROOT y = s32[8,56,56,64] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"convolution depthwise", "x = f32[32,112,112,128] parameter(0)\n w = f32[5,5,1,128] parameter(1)\n" +
		"ROOT y = f32[32,112,112,128] convolution(x, w), window={size=5x5 pad=2_2x2_2}, dim_labels=b01f_01io->b01f, " +
		"feature_group_count=128"},
	{"reduce rows", "x = f32[4096,16384] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[4096] reduce(x, z), dimensions={1}, to_apply=add"},
	{"reduce columns", "x = f32[16384,4096] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[4096] reduce(x, z), dimensions={0}, to_apply=add"},
	{"reduce by a computation", "x = f32[4096,4096] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[4096] reduce(x, z), dimensions={1}, to_apply=mix"},
	{"reduce all by a computation", "x = f32[16777216] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=mix"},
	{"reduce-window", "x = f32[2048,2048] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[2018,2018] reduce-window(x, z), window={size=31x31}, to_apply=mix"},
	{"reduce-window sums", "x = f32[4096,4096] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[4066,4066] reduce-window(x, z), window={size=31x31}, to_apply=add"},
	{"running sum", "x = f32[16777216] parameter(0)\n z = f32[] parameter(1)\n" +
		"ROOT y = f32[16777216] reduce-window(x, z), window={size=16777216 pad=16777215_0}, to_apply=add"},
	{"select-and-scatter", "x = f32[2048,4096] parameter(0)\n s = f32[1024,2048] parameter(1)\n z = f32[] parameter(2)\n" +
		"ROOT y = f32[2048,4096] select-and-scatter(x, s, z), window={size=2x2 stride=2x2}, select=ge, scatter=add"},
	{"map", "x = f32[16777216] parameter(0)\n ROOT y = f32[16777216] map(x, x), dimensions={0}, to_apply=mix"},
	{"elementwise", "x = f32[4096,8192] parameter(0)\n a = f32[4096,8192] sine(x)\n b = f32[4096,8192] exponential(a)\n" +
		"c = f32[4096,8192] log-plus-one(b)\n ROOT d = f32[4096,8192] tanh(c)"},
	{"elementwise c128", "x = c128[2097152] parameter(0)\n a = c128[2097152] log(x)\n ROOT b = c128[2097152] tan(a)"},
	{"elementwise f16", "x = f16[33554432] parameter(0)\n a = f16[33554432] atan2(x, x)\n" +
		"ROOT b = f16[33554432] power(a, x)"},
	{"convert", "x = f32[33554432] parameter(0)\n ROOT y = f8e4m3fn[33554432] convert(x)"},
	{"softmax", "x = f32[16384,2048] parameter(0)\n z = f32[] constant(0)\n e = f32[16384,2048] exponential(x)\n" +
		"s = f32[16384] reduce(e, z), dimensions={1}, to_apply=add\n b = f32[16384,2048] broadcast(s), dimensions={0}\n" +
		"ROOT y = f32[16384,2048] divide(e, b)"},
	{"broadcast", "x = f32[16384] parameter(0)\n ROOT y = f32[16384,4096] broadcast(x), dimensions={0}"},
	{"cholesky", "x = f32[16,768,768] parameter(0)\n ROOT y = f32[16,768,768] cholesky(x), lower=true"},
	{"triangular-solve", "a = f32[8,1024,1024] parameter(0)\n b = f32[8,1024,1024] parameter(1)\n" +
		"ROOT x = f32[8,1024,1024] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"},
	{"rng bits", "s = u64[2] parameter(0)\n ROOT y = (u64[2], u32[67108864]) rng-bit-generator(s), " +
		"algorithm=rng_three_fry"},
	{"rng", "a = f32[] parameter(0)\n b = f32[] parameter(1)\n" +
		"ROOT y = f32[16777216] rng(a, b), distribution=rng_normal"},
	{"dynamic-update-slice", "x = f32[8192,4096] parameter(0)\n u = f32[8191,4095] parameter(1)\n i = s32[] parameter(2)\n" +
		"ROOT y = f32[8192,4096] dynamic-update-slice(x, u, i, i)"},
	{"while of records", "x = f32[64] parameter(0)\n z = s32[] constant(0)\n t = (s32[], f32[64]) tuple(z, x)\n" +
		"ROOT w = (s32[], f32[64]) while(t), condition=few, body=step"},
	{"while of heavy steps", "x = f32[64] parameter(0)\n z = s32[] constant(0)\n t = (s32[], f32[64]) tuple(z, x)\n" +
		"ROOT w = (s32[], f32[64]) while(t), condition=few, body=heavy"},
	{"while of scalars", "x = f32[] parameter(0)\n z = s32[] constant(0)\n t = (s32[], f32[]) tuple(z, x)\n" +
		"ROOT w = (s32[], f32[]) while(t), condition=fewer, body=scalar"},
	{"large results", "x = f32[134217728] parameter(0)\n ROOT y = f32[134217728] negate(x)"},
	{"large layout", "x = f32[8192,8192]{0,1} parameter(0)\n ROOT y = f32[8192,8192] negate(x)"},
	{"many small steps", manySteps(50000)},
}

// manySteps is the entry of n small steps, each on the result of the one before.
func manySteps(n int) string {
	var b strings.Builder
	b.WriteString("x0 = f32[64,8] parameter(0)\n")
	shapes, name := [2]string{"f32[64,8]", "f32[8,64]"}, "x0"
	for i := range n {
		next := "x" + strconv.Itoa(i+1)
		if i == n-1 {
			b.WriteString("ROOT ")
		}
		b.WriteString(next + " = " + shapes[(i+1)%2] + " transpose(" + name + "), dimensions={1,0}\n")
		name = next
		if i < n-1 {
			b.WriteString(name + "s = " + shapes[(i+1)%2] + " sine(" + name + ")\n")
			name += "s"
		}
	}
	return b.String()
}

// BenchmarkCancel reports how long executions go on after a cancel at a random time: the median, the 99th percentile
// and the worst, in milliseconds. "go test ./backend/cpu -run - -bench Cancel -benchtime 200x" takes some minutes.
func BenchmarkCancel(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, c := range cancelPrograms {
		b.Run(c.name, func(b *testing.B) { cancelOften(b, r, c.text) })
	}
}

// cancelProgram compiles one of the programs and makes its arguments.
func cancelProgram(t testing.TB, text string) (exec.Program, []*literal.Literal) {
	t.Helper()
	m, err := hlo.Parse([]byte(cancelHead+"ENTRY e {\n"+text+" }"), "test.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{}).Compile(context.Background(), m, exec.Options{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	var args []*literal.Literal
	for _, in := range m.Entry.Parameters {
		args = append(args, quickArgument(t, in.Shape))
	}
	return p, args
}

func cancelOften(b *testing.B, r *rand.Rand, text string) {
	p, args := cancelProgram(b, text)
	run := func(after time.Duration) stop { return stopped(p, args, after) }
	whole := min(run(time.Second).whole, run(time.Second).whole) // the first also makes what is kept
	var wall, used []float64
	b.ResetTimer()
	for range b.N {
		s := run(time.Duration(r.Int64N(int64(min(whole, 300*time.Millisecond)))))
		if errors.Is(s.err, context.Canceled) {
			wall, used = append(wall, s.late.Seconds()*1e3), append(used, s.used.Seconds()*1e3)
		} else if s.err != nil {
			b.Fatal(s.err)
		}
	}
	if n := len(wall); n > 0 {
		slices.Sort(wall)
		slices.Sort(used)
		b.ReportMetric(wall[n/2], "p50-ms")
		b.ReportMetric(wall[(n*99-1)/100], "p99-ms")
		b.ReportMetric(wall[n-1], "max-ms")
		b.ReportMetric(used[n/2], "p50-cpu-ms")
		b.ReportMetric(used[(n*99-1)/100], "p99-cpu-ms")
		b.ReportMetric(0, "ns/op")
	}
}

// stop is how an execution ended that was cancelled: how late, with how much processor time after the cancel, and how
// long the whole took.
type stop struct {
	late, used, whole time.Duration
	err               error
}

// stopped runs p and cancels it after a time.
func stopped(p exec.Program, args []*literal.Literal, after time.Duration) (s stop) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	var used time.Duration
	done := make(chan bool)
	timer := time.AfterFunc(after, func() {
		at, used = time.Now(), processorTime()
		cancel()
		close(done)
	})
	begin := time.Now()
	_, s.err = p.Run(ctx, [][]*literal.Literal{args}, exec.RunOptions{})
	end, usedByEnd := time.Now(), processorTime()
	if s.whole = end.Sub(begin); !timer.Stop() {
		<-done
		s.late, s.used = end.Sub(at), usedByEnd-used
	}
	return s
}

// quickArgument makes an argument of some gigabytes a second: floats between 1 and 2, indices below 16 M.
func quickArgument(t testing.TB, s shape.Shape) *literal.Literal {
	n, err := s.ByteSize()
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, n)
	x := uint64(1)
	for i := 0; i+4 <= len(data); i += 4 {
		x = x*6364136223846793005 + 1442695040888963407
		w := uint32(x>>41) | 0x3f800000
		if !s.Type.IsFloat() && !s.Type.IsComplex() {
			w = uint32(x>>40) & (1<<24 - 1)
		}
		binary.LittleEndian.PutUint32(data[i:], w)
	}
	l, err := literal.FromBytes(s, data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
