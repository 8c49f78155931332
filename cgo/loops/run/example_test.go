package run_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Every machine runs the level base; better ones follow.
func ExampleLevels() {
	fmt.Println(run.Levels()[0])
	// Output: base
}
