//go:build cgo

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/xla/shape"
)

// convolutionCall is a convolution of cuDNN, and how long it takes; 0 if it was not timed.
type convolutionCall struct {
	*cudnn.Call
	took time.Duration
}

// choose has the library do a convolution, in a way that is timed once.
func (d *device) choose(x *emit.Conv) (*convolutionCall, error) {
	h, err := d.dnn.of(d)
	if err != nil {
		return nil, err
	}
	var c *cudnn.Call
	err = d.Within(func() (err error) {
		c, err = h.Convolution(dnnConvolution(x))
		return err
	})
	if err != nil {
		return nil, err
	}
	w, err := d.dnn.way(d, x, c)
	if err == nil {
		err = d.takeWay(c, *w.dnn)
	}
	if err != nil {
		d.closeConvolution(c)
		return nil, err
	}
	return &convolutionCall{c, w.took}, nil
}

// takeWay has a convolution done in a way.
func (d *device) takeWay(c *cudnn.Call, w cudnn.Way) error {
	return d.Within(func() error { return c.Take(w, d.convolutionSpace()) })
}

// closeConvolution frees a convolution. What fails is logged.
func (d *device) closeConvolution(c *cudnn.Call) {
	if err := d.Within(func() error { c.Close(); return nil }); err != nil {
		slog.Warn("cuda: a convolution", "error", err)
	}
}

// key is all that the choice of a way depends on, in a line.
func (c *convolutions) key(d *device, x *emit.Conv) string {
	return fmt.Sprintf("halo convolution %d: %s, %s, driver %d, cudnn %s, workspace %d, %+v", waysFormat, d.info.Name,
		d.info.Arch, d.info.Driver, c.lib.opened.Version(), d.convolutionSpace(), dnnConvolution(x))
}

// way returns how a convolution is done, timed once. It fails with errors.ErrUnsupported if the library has no way.
func (c *convolutions) way(d *device, x *emit.Conv, call *cudnn.Call) (way, error) {
	if d.options.NoAutotune {
		list, err := c.proposed(d, call, 1)
		if err != nil {
			return way{}, err
		}
		return list[0], nil
	}
	d.choices.mu.Lock()
	defer d.choices.mu.Unlock()
	key := c.key(d, x)
	known, ok, err := d.choices.of(key, func(w way) (way, error) {
		if w.dnn == nil {
			return w, errors.ErrUnsupported
		}
		return w, d.takeWay(call, *w.dnn)
	})
	if ok || err != nil {
		return known, err
	}
	chosen, sure, err := c.time(d, x, call)
	if err == nil && sure {
		d.choices.keep(key, chosen)
	}
	return chosen, err
}

// proposed are the ways that the library names for a convolution.
func (c *convolutions) proposed(d *device, call *cudnn.Call, count int) (list []way, err error) {
	var found []cudnn.Way
	err = d.Within(func() (err error) {
		found, err = call.Ways(d.convolutionSpace(), count)
		return err
	})
	for i := range found {
		list = append(list, way{dnn: &found[i]})
	}
	return list, err
}

// time returns the fastest way to do a convolution among those that compute the same. It is not sure of one that it had
// no room to compare.
func (c *convolutions) time(d *device, x *emit.Conv, call *cudnn.Call) (fastest way, sure bool, err error) {
	list, err := c.proposed(d, call, mostWays)
	if err != nil {
		return way{}, false, err
	}
	fastest, sure, err = raced(d, list, func() (*convolutionTrial, error) {
		return newConvolutionTrial(d, x, call, list)
	})
	if sure {
		slog.Debug("cuda: a convolution's way", "way", fmt.Sprintf("%+v", *fastest.dnn), "convolution", fmt.Sprintf("%+v",
			dnnConvolution(x)))
	}
	return fastest, sure, err
}

// convolutionTrial is a race of a convolution.
type convolutionTrial struct {
	race
	conv  *emit.Conv
	call  *cudnn.Call
	taken *cudnn.Way
	at    []extent // of the words
}

// newConvolutionTrial makes one for some ways, with operands written.
func newConvolutionTrial(d *device, x *emit.Conv, call *cudnn.Call, list []way) (*convolutionTrial, error) {
	t := &convolutionTrial{race: race{device: d, what: "a convolution"}, conv: x, call: call}
	t.enqueue = t.convolve
	work := int64(0)
	for _, w := range list {
		work = max(work, w.dnn.Work)
	}
	for _, a := range t.arrays() {
		t.at = append(t.at, t.place(shape.Product(a.Dims)*int64(a.Type.Bytes())))
		if a.Buffer == x.Result().Buffer {
			t.result = t.at[len(t.at)-1]
		}
	}
	t.at = append(t.at, t.place(work+workAlign))
	err := t.open()
	if err == nil {
		err = t.fill()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// arrays are those of the convolution in the order of its words.
func (t *convolutionTrial) arrays() []emit.ConvArray {
	x := t.conv
	list := []emit.ConvArray{x.X, x.W, x.Y}
	if x.Bias != nil {
		list = append(list, emit.ConvArray{Buffer: *x.Bias, Type: x.Sum, Dims: x.Y.Dims[1:2]})
	}
	if x.Added != nil {
		list = append(list, emit.ConvArray{Buffer: *x.Added, Type: x.Y.Type, Dims: x.Y.Dims})
	}
	return list
}

// fill writes the operands: the first with numbers of many bits, the other with signs.
func (t *convolutionTrial) fill() error {
	many := true
	for i, a := range t.arrays() {
		if t.at[i] == t.result {
			continue
		}
		if err := t.in(t.address(t.at[i]), trialArray(a.Type, shape.Product(a.Dims), many || i > 2), t.stream); err != nil {
			return err
		}
		many = false
	}
	return nil
}

// convolve enqueues the convolution in one way.
func (t *convolutionTrial) convolve(w way) error {
	if t.taken != w.dnn {
		if err := t.takeWay(t.call, *w.dnn); err != nil {
			return err
		}
		t.taken = w.dnn
	}
	var words []cuda.Value
	for _, s := range t.at {
		words = append(words, word(t.address(s)))
	}
	var list cuda.Array
	list.Call(t.call, words...)
	return t.Submit(&list, t.stream, nil)
}

// period is after how many elements a trial's array is the same again: a prime number.
const period = 65521

// trialArray makes an operand of a convolution: integers of which sums are exact in any order, so that all ways have
// the same bits if they compute the same. If many, they are such that fewer bits than those of TF32 show, and for 32
// bits beyond what halves reach; else they are -1, 0 and 1.
func trialArray(t shape.ElementType, n int64, many bool) []byte {
	most, scale := uint64(1), 1.0
	switch {
	case many && t.Bytes() == 2:
		most = 3
	case many:
		most, scale = 1023, 1<<10
	}
	data := make([]byte, n*int64(t.Bytes()))
	for i := range min(n, period) {
		putFloat(data, i, t, (float64(mixed(uint64(i))%(2*most+1))-float64(most))*scale)
	}
	for done := min(n, period) * int64(t.Bytes()); done < int64(len(data)); done *= 2 {
		copy(data[done:], data[:done])
	}
	return data
}

// putFloat writes a number as element i of data.
func putFloat(data []byte, i int64, t shape.ElementType, v float64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], t.FromFloat64(v))
	copy(data[i*int64(t.Bytes()):], word[:t.Bytes()])
}
