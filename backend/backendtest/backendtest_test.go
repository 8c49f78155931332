package backendtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/xla/exec"
)

// The reference agrees with itself, so what fails here is a program that is wrong.
func TestProgramsAreRight(t *testing.T) {
	backendtest.Random(t, exec.Reference(), backendtest.Options{})
}

func TestOps(t *testing.T) {
	backendtest.Ops(t, exec.Reference(), "../../testdata/ops/*.hlo", backendtest.Options{})
}

// A failure names a seed, which gives the program again.
func ExampleProgram() {
	text := backendtest.Program(3)
	fmt.Println(text == backendtest.Program(3), strings.Contains(text, "ROOT"))
	// Output: true true
}
