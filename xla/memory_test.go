package xla

import (
	"math"
	"testing"
)

func TestMemoryOfTheMachine(t *testing.T) {
	if got := defaultMemoryLimit(); got <= 0 || got == math.MaxInt64/4*3 {
		t.Errorf("got the limit %d, want that of this machine", got)
	}
}
