package cpu

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
)

// slots is memory of the sizes given, with the table that records need.
type slots struct {
	bytes  [][]byte
	table  []unsafe.Pointer
	cancel *uint32
}

func newSlots(t testing.TB, sizes ...int64) *slots {
	s := &slots{cancel: new(uint32)}
	var pins runtime.Pinner
	t.Cleanup(pins.Unpin)
	for _, n := range sizes {
		b := make([]byte, n+128)
		at := -uintptr(unsafe.Pointer(&b[0])) & 63
		pins.Pin(&b[0])
		s.bytes = append(s.bytes, b[at:at+uintptr(n)])
		s.table = append(s.table, unsafe.Pointer(&b[at]))
	}
	pins.Pin(&s.table[0])
	pins.Pin(s.cancel)
	return s
}

// run runs one record.
func (s *slots) run(t testing.TB, threads int, r run.Record) time.Duration {
	seg := run.NewSegment([]run.Record{r})
	defer seg.Close()
	begin := time.Now()
	if err := seg.Run(unsafe.Pointer(&s.table[0]), s.cancel, threads, 0); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

// best is the shortest of some runs.
func best(rounds int, f func() time.Duration) time.Duration {
	d := f()
	for range rounds {
		d = min(d, f())
	}
	return d
}

// BenchmarkMove measures strided copies beside a plain copy of as many bytes in the same process.
func BenchmarkMove(b *testing.B) {
	testfile.Native(b, run.Available())
	for _, c := range []struct {
		name string
		m    kernel.Move
	}{
		{"copy_64MiB", kernel.NewMove(4, 0, 0, []kernel.Axis{{N: 16 << 20, Dst: 1, Src: 1}})},
		{"transpose_4096_f32", kernel.Transpose(4, []int64{4096, 4096}, []int64{1, 0})},
		{"transpose_4096_bf16", kernel.Transpose(2, []int64{4096, 4096}, []int64{1, 0})},
		{"transpose_512_f32", kernel.Transpose(4, []int64{512, 512}, []int64{1, 0})},
		{"nchw_nhwc_f32", kernel.Transpose(4, []int64{32, 64, 56, 56}, []int64{0, 2, 3, 1})},
		{"nhwc_nchw_f32", kernel.Transpose(4, []int64{32, 56, 56, 64}, []int64{0, 3, 1, 2})},
		{"nhwc3_nchw_f32", kernel.Transpose(4, []int64{8, 224, 224, 3}, []int64{0, 3, 1, 2})},
		{"nchw3_nhwc_f32", kernel.Transpose(4, []int64{8, 3, 224, 224}, []int64{0, 2, 3, 1})},
		{"heads_f32", kernel.Transpose(4, []int64{8, 128, 12, 64}, []int64{0, 2, 1, 3})},
		{"reverse_f32", kernel.Reverse(4, []int64{1024, 1024}, []int64{1})},
		{"slice2_f32", kernel.Slice(4, []int64{1024, 2048}, []int64{0, 0}, []int64{1, 2}, []int64{1024, 1024})},
		{"broadcast_rows_f32", kernel.Broadcast(4, []int64{1024}, []int64{1024, 1024}, []int64{1})},
		{"broadcast_columns_f32", kernel.Broadcast(4, []int64{1024}, []int64{1024, 1024}, []int64{0})},
		{"broadcast_small_f32", kernel.Broadcast(4, []int64{1 << 18}, []int64{1 << 18, 4}, []int64{0})},
	} {
		n := c.m.Bytes()
		s := newSlots(b, n, 2*n)
		copyOf := run.Copy(run.Ref{Slot: 0}, run.Ref{Slot: 1}, n)
		record := moveRecord(run.Level(), []box{{move: c.m, dst: exec.Slice{Slot: 0}, src: exec.Slice{Slot: 1}}})
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				var took, plain time.Duration
				for range b.N {
					took = best(7, func() time.Duration { return s.run(b, threads, record) })
					plain = best(7, func() time.Duration { return s.run(b, threads, copyOf) })
				}
				b.ReportMetric(float64(took.Microseconds()), "us")
				b.ReportMetric(took.Seconds()/plain.Seconds(), "x-copy")
			})
		}
	}
}
