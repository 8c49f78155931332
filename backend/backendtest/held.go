package backendtest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// held runs x on one device with arguments and results that stay in the memory of b, if it has some of its own, and
// wants the bits that want has, which Run gave.
func held(ctx context.Context, b exec.Backend, x exec.Program, args []*literal.Literal, o exec.RunOptions,
	want *literal.Literal) error {
	if exec.RemoteBytes(b, 0) == 0 {
		return nil
	}
	c := exec.Call{Args: make([]*literal.Literal, len(args)), Arrays: make([]*exec.Array, len(args)), Keep: true,
		Options: o}
	for i, l := range args {
		a, err := exec.Hold(b, 0, l, 0)
		if err != nil {
			return err
		}
		if c.Arrays[i] = a; a == nil {
			c.Args[i] = l
			continue
		}
		defer a.Close()
	}
	if err := x.Call(ctx, &c); err != nil {
		return fmt.Errorf("with arrays on the device: %w", err)
	}
	for i, w := range want.Leaves() {
		got := c.Results[i]
		if i < len(c.Kept) && c.Kept[i] != nil {
			defer c.Kept[i].Close()
			var err error
			if got, err = c.Kept[i].Literal(); err != nil {
				return err
			}
		}
		if !bytes.Equal(got.RowMajor().Bytes(), w.RowMajor().Bytes()) {
			return fmt.Errorf("result %d that stays on the device is %v, one that does not %v", i, got, w)
		}
	}
	return nil
}
