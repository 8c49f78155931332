package cpu

import (
	"testing"

	"github.com/halo-xla/halo/xla/pass"
)

func TestPassOrder(t *testing.T) {
	if err := pass.CheckOrder((&machine{}).Passes(), passOrder); err != nil {
		t.Error(err)
	}
}
