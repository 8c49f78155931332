// Isolated runs a program whose custom call is a function in C that crashes, aborts and hangs: each is an error of its
// call, and the next call works.
//
// The function runs in a process of its own. That is this program again, because main calls customcall.ServeIsolated
// first; with -helper it is another program whose main does, such as the halo tool.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/xla"
)

//go:embed c/fragile.c
var source []byte

const program = `
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @fragile(%x) {api_version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
`

func main() {
	customcall.ServeIsolated()
	helper := flag.String("helper", "", "`program` to run the function in, instead of this one")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *helper); err != nil {
		log.Fatal(err)
	}
}

// build compiles the function into a folder.
func build(dir string) (string, error) {
	file, library := filepath.Join(dir, "fragile.c"), filepath.Join(dir, "libfragile.so")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return "", err
	}
	if said, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, file).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %w\n%s", err, said)
	}
	return library, nil
}

func run(ctx context.Context, out io.Writer, helper string) error {
	dir, err := os.MkdirTemp("", "isolated")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	library, err := build(dir)
	if err != nil {
		return err
	}
	registry := customcall.New()
	defer registry.Close()
	options := isolate.Options{Helper: helper, Timeout: time.Second}
	if err := registry.LoadIsolated(library, nil, options); err != nil {
		return err
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Handlers: registry})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Name: "fragile.mlir", Source: []byte(program)}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	for _, x := range []float32{4, -1, 5, 0, 8, 1000, 10} {
		y, err := call(ctx, client, exe, x)
		if err != nil {
			fmt.Fprintf(out, "%v: %v\n", x, err)
			continue
		}
		fmt.Fprintf(out, "%v: %v\n", x, y)
	}
	return nil
}

func call(ctx context.Context, client *xla.Client, exe *xla.Executable, x float32) (y float32, err error) {
	in, err := xla.FromScalar(client, x)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	result := make([]float32, 1)
	err = exe.ExecuteInto(ctx, xla.RunOptions{}, []any{result}, in)
	return result[0], err
}
