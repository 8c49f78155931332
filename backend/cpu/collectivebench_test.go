package cpu_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// BenchmarkAllReduce sums an array over four devices on two threads. Its bytes are those that any way must read and
// write; BenchmarkAllReduceBound copies as many.
func BenchmarkAllReduce(b *testing.B) {
	for _, n := range []int64{2, 1 << 10, 1 << 17, 1 << 24} {
		b.Run(fmt.Sprint(4*n), func(b *testing.B) {
			const devices = 4
			text := fmt.Sprintf(`HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[%d] parameter(0) ROOT r = f32[%d] all-reduce(p), replica_groups={}, to_apply=add }`, n, n)
			m, err := hlo.Parse([]byte(text), "m.hlo")
			if err != nil {
				b.Fatal(err)
			}
			p, err := cpu.New(cpu.Options{Threads: 2}).Compile(b.Context(), m, exec.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			grid := collective.Grid{Replicas: devices}
			calls := make([]exec.Call, devices)
			for d := range calls {
				calls[d] = exec.Call{Args: []*literal.Literal{literal.Zeros(shape.Array(shape.F32, n))}}
				clear(calls[d].Args[0].Bytes()) // which gives it memory
			}
			b.SetBytes(2 * devices * 4 * n)
			for once := true; once || b.Loop(); once = false {
				hub := collective.NewHub(grid)
				var all sync.WaitGroup
				for d := range calls {
					calls[d].Place = hlo.Place{Grid: grid, Device: d, Hub: hub}
					all.Go(func() {
						defer hub.End(d)
						if err := p.Call(b.Context(), &calls[d]); err != nil {
							hub.Fail(err)
						}
					})
				}
				all.Wait()
				if err := hub.Finish(b.Context()); err != nil {
					b.Fatal(err)
				}
				for _, c := range calls {
					c.Recycle(c.Results[0])
				}
			}
		})
	}
}

func BenchmarkAllReduceBound(b *testing.B) {
	const n, devices = 4 << 24, 4
	in, out := make([]byte, n*devices), make([]byte, n*devices)
	clear(in)
	clear(out)
	b.SetBytes(2 * devices * n)
	for b.Loop() {
		var wg sync.WaitGroup
		for half := range 2 {
			wg.Go(func() {
				const part = n * devices / 2
				copy(out[half*part:(half+1)*part], in[half*part:(half+1)*part])
			})
		}
		wg.Wait()
	}
}
