package xla_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/tensorfile"
)

const dense = `HloModule dense
ENTRY dense {
  dense.bias = f32[2] parameter(0)
  dense.kernel = f32[3,2] parameter(1)
  x = f32[3] parameter(2)
  product = f32[2] dot(x, dense.kernel), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT y = f32[2] add(product, dense.bias)
}
`

// saved writes the weights of the program as a framework would, and returns the file.
func saved(dir string) string {
	kernel, err := literal.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	bias, err := literal.FromSlice([]float32{0.5, -0.5}, 2)
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "w.safetensors")
	arrays := []tensorfile.Array{{Name: "dense.kernel", Value: kernel}, {Name: "dense.bias", Value: bias}}
	if err := tensorfile.WriteSafetensors(file, arrays); err != nil {
		log.Fatal(err)
	}
	return file
}

// bound returns the arrays of a file by the number of the parameter that has the name.
func bound(client *xla.Client, file string, s xla.Signature) (map[int]*xla.Buffer, error) {
	weights, err := tensorfile.ReadSafetensors(file)
	if err != nil {
		return nil, err
	}
	bind := map[int]*xla.Buffer{}
	for i, p := range s.Parameters {
		l, ok := weights[strings.ReplaceAll(p.Name, "/", ".")]
		if !ok {
			continue // an argument
		}
		if bind[i], err = client.FromLiteral(l); err != nil {
			return nil, err
		}
	}
	return bind, nil
}

// Weights from a file become constants of the program, which goroutines then share.
func ExampleCompileOptions() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	client, err := xla.NewClient(xla.Reference(), xla.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	module, err := xla.Read(xla.Program{Name: "dense.hlo", Source: []byte(dense)})
	if err != nil {
		log.Fatal(err)
	}
	bind, err := bound(client, saved(dir), xla.SignatureOf(module))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	exe, err := client.Compile(ctx, xla.Program{Name: "dense.hlo", Module: module}, xla.CompileOptions{Bind: bind})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	for _, b := range bind {
		b.Close()
	}
	fmt.Println(exe.Signature())
	var wg sync.WaitGroup
	y := make([][]float32, 3)
	for i := range y {
		wg.Go(func() {
			x, err := xla.FromSlice(client, []float32{float32(i), 0, -1})
			if err != nil {
				log.Fatal(err)
			}
			defer x.Close()
			y[i] = make([]float32, 2)
			if err := exe.ExecuteInto(ctx, xla.RunOptions{}, []any{y[i]}, x); err != nil {
				log.Fatal(err)
			}
		})
	}
	wg.Wait()
	fmt.Println(y)
	// Output:
	// (x f32[3]) -> (result0 f32[2])
	// [[-4.5 -6.5] [-3.5 -4.5] [-2.5 -2.5]]
}
