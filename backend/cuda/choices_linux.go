//go:build cgo

package cuda

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/internal/wholefile"
)

// way is how a product or a convolution is done: by cuBLASLt or cuDNN in a way that it has proposed, or by cuBLAS if
// there is none.
type way struct {
	lt   *cublaslt.Way
	dnn  *cudnn.Way
	took time.Duration // as it was timed, 0 if it was not
}

// choices are how products and convolutions are done on a device, as they were timed, by all that this depends on. They
// are kept in files, for other processes and later ones.
type choices struct {
	mu     sync.Mutex // held while one is timed: others would be in its way
	known  map[string]way
	folder func() (string, error)
	timed  int // how many were
}

// of returns what is known of one: from this process, or from a file. check says whether a way still serves.
func (c *choices) of(key string, check func(way) (way, error)) (way, bool, error) {
	if found, ok := c.known[key]; ok {
		return found, true, nil
	}
	found, ok := c.read(key)
	if !ok {
		return way{}, false, nil
	}
	found, err := check(found)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // it was written for another machine, whatever it says
		return way{}, false, nil
	case err != nil:
		return way{}, false, err
	}
	c.known[key] = found
	return found, true, nil
}

// keep notes how one is done. A file that cannot be written is none: it is timed again then.
func (c *choices) keep(key string, chosen way) {
	c.known[key] = chosen
	file, err := c.file(key)
	if err == nil {
		err = keep(file, []byte(wayText(key, chosen)))
	}
	if err != nil {
		slog.Debug("cuda: the cache of products and convolutions", "error", err)
	}
}

// file is where a way is kept.
func (c *choices) file(key string) (string, error) {
	folder, err := c.folder()
	return filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256([]byte(key)))), err
}

// mostChoice is how many bytes a file of ours has.
const mostChoice = 64 << 10

// read returns what a file says, if it is whole and for this key.
func (c *choices) read(key string) (way, bool) {
	file, err := c.file(key)
	if err != nil {
		return way{}, false
	}
	text, err := wholefile.ReadAtMost(file, mostChoice)
	if err != nil {
		return way{}, false
	}
	return parseWay(key, string(text))
}

// wayText is a file: the key, the way with the nanoseconds that it took, and a sum of both, a line each.
func wayText(key string, w way) string {
	text := fmt.Sprintf("%s\ncublas %d\n", key, w.took)
	if w.lt != nil {
		text = fmt.Sprintf("%s\ncublasLt %d %x %d\n", key, w.took, w.lt.Algorithm, w.lt.Work)
	}
	if c := w.dnn; c != nil {
		text = fmt.Sprintf("%s\ncudnn %d %d %d %d %d %d\n", key, w.took, c.Mode, c.Index, c.Engine, c.Notes, c.Work)
	}
	return text + fmt.Sprintf("%x\n", sha256.Sum256([]byte(text)))
}

// parseWay reads what wayText has written for a key.
func parseWay(key, text string) (way, bool) {
	line, ok := strings.CutPrefix(text, key+"\n")
	line, _, _ = strings.Cut(line, "\n")
	w, c := way{}, &cudnn.Way{}
	var name string
	fmt.Sscan(line, &name, &w.took)
	switch name {
	case "cudnn":
		fmt.Sscan(line, &name, &w.took, &c.Mode, &c.Index, &c.Engine, &c.Notes, &c.Work)
		w.dnn = c
	case "cublasLt":
		lt := &cublaslt.Way{}
		fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" []", r) })
		if len(fields) != 3+len(lt.Algorithm) {
			return way{}, false
		}
		for i := range lt.Algorithm {
			fmt.Sscanf(fields[2+i], "%x", &lt.Algorithm[i])
		}
		fmt.Sscan(fields[len(fields)-1], &lt.Work)
		w.lt = lt
	}
	return w, ok && wayText(key, w) == text
}

// waysFormat is the number of what is written into files and of how products are timed.
const waysFormat = 2

// key is all that the choice of a way depends on, in a line.
func (b *blas) key(d *device, p cublaslt.Product) string {
	return fmt.Sprintf("halo product %d: %s, %s, driver %d, cublasLt %s, workspace %d, %+v", waysFormat, d.info.Name,
		d.info.Arch, d.info.Driver, b.ltVersion, b.workspace, p)
}

// waysFolder is the folder for how products are done.
func (d *device) waysFolder() (string, error) {
	switch {
	case d.options.Cache != "":
		return d.options.Cache, nil
	case d.options.Emulated:
		return emu.Products()
	}
	return emu.Cache("cuda-products")
}

// way returns how a product is done, timed once. It fails with errors.ErrUnsupported if cuBLASLt does not do it and
// cuBLAS cannot.
func (b *blas) way(d *device, g *emit.Gemm, c *cublaslt.Call) (way, error) {
	if d.options.NoAutotune {
		return b.first(d, c)
	}
	d.choices.mu.Lock()
	defer d.choices.mu.Unlock()
	key := b.key(d, ltProduct(g))
	known, ok, err := d.choices.of(key, func(w way) (way, error) { return b.checked(d, c, w) })
	if ok || err != nil {
		return known, err
	}
	chosen, sure, err := b.time(d, g, c)
	if err == nil && sure {
		d.choices.keep(key, chosen)
	}
	return chosen, err
}

// first is the library's first choice.
func (b *blas) first(d *device, c *cublaslt.Call) (way, error) {
	list, err := b.proposed(d, c, 1)
	if err != nil {
		return way{}, err
	}
	return list[0], nil
}

// proposed are the ways that cuBLASLt names for a product.
func (b *blas) proposed(d *device, c *cublaslt.Call, count int) (list []way, err error) {
	var found []cublaslt.Way
	err = d.Within(func() (err error) {
		found, err = c.Ways(b.workspace, count)
		return err
	})
	for i := range found {
		list = append(list, way{lt: &found[i]})
	}
	return list, err
}

// checked asks the library whether a way that was written down serves.
func (b *blas) checked(d *device, c *cublaslt.Call, w way) (way, error) {
	if w.lt == nil {
		return w, nil
	}
	var found cublaslt.Way
	err := d.Within(func() (err error) {
		found, err = c.Check(*w.lt)
		return err
	})
	if err == nil && found.Work > b.workspace {
		err = errors.ErrUnsupported
	}
	w.lt = &found
	return w, err
}
