package heap

import "fmt"

func ExampleBytes() {
	n, ok := Bytes()
	fmt.Println(!ok || n >= 0)
	// Output: true
}
