package memory_test

import (
	"fmt"

	"github.com/halo-xla/halo/internal/memory"
)

func Example() {
	b := memory.Uncleared(3)
	copy(b, "all of it is written before it is read")
	fmt.Println(string(b), len(memory.Uncleared(0)))
	// Output: all 0
}
