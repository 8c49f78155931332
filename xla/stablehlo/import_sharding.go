package stablehlo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
)

// mesh is the devices of a program by named axes.
type mesh struct {
	axes []meshAxis
	// order are the devices of its places; nil: they count up.
	order []int64
}

// meshAxis is an axis of a mesh.
type meshAxis struct {
	name string
	size int64
}

// maxDevices is the largest mesh that is read, maxAxes the most axes it may have, maxSpelled how many devices the
// groups and shardings of a program may spell out that it says in a few words.
const (
	maxDevices = 1 << 20
	maxAxes    = 64
	maxSpelled = 1 << 22
)

// spell counts n devices of what op says in a few words, and fails if those of the program are too many.
func (im *importer) spell(op *Op, n int) error {
	if im.spelled += n; im.spelled > maxSpelled {
		return op.Errorf("groups and shardings spell out more than %d devices", maxSpelled)
	}
	return nil
}

// collectMesh reads sdy.mesh @name = <["x"=2, "y"=4]>.
func (im *importer) collectMesh(op *Op) error {
	name, err := op.Text("sym_name")
	if err != nil {
		return err
	}
	d, ok := op.Attr("mesh").(*DialectAttr)
	if !ok {
		return errMesh(op)
	}
	im.meshes[name], err = readMesh(op, d.Body)
	return err
}

func errMesh(op *Op) error { return op.wrong("mesh", "axes with sizes, and numbers of devices") }

// readMesh reads ["x"=2, "y"=4], device_ids=[...].
func readMesh(op *Op, text string) (m mesh, err error) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "[")
	body, behind, ok2 := strings.Cut(body, "]")
	if !ok || !ok2 {
		return m, errMesh(op)
	}
	devices := int64(1)
	for _, axis := range strings.Split(body, ",") {
		if strings.TrimSpace(axis) == "" {
			continue
		}
		var a meshAxis
		if _, err := fmt.Sscanf(strings.ReplaceAll(axis, "=", " "), "%q %d", &a.name, &a.size); err != nil {
			return m, errMesh(op)
		}
		if a.size < 1 || a.size > maxDevices/devices {
			return m, op.Errorf("axis %s has the size %d", a.name, a.size)
		}
		devices *= a.size
		if m.axes = append(m.axes, a); len(m.axes) > maxAxes {
			return m, op.Errorf("a mesh of more than %d axes", maxAxes)
		}
	}
	m.order, err = meshOrder(op, behind)
	return m, err
}

// meshOrder reads the devices of a mesh's places, ", device_ids=[1,0]" behind its axes; nil: they count up.
func meshOrder(op *Op, text string) ([]int64, error) {
	_, list, given := strings.Cut(text, "device_ids=[")
	list, _, closed := strings.Cut(list, "]")
	if !given {
		return nil, nil
	}
	var ids []int64
	inOrder := true
	for i, id := range strings.Split(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64)
		if err != nil || !closed {
			return nil, errMesh(op)
		}
		ids, inOrder = append(ids, n), inOrder && n == int64(i)
	}
	if inOrder {
		return nil, nil
	}
	return ids, nil
}

// axesOf returns the axes of the mesh of a name, for op's work on its devices.
func (im *importer) axesOf(op *Op, name string) ([]meshAxis, error) {
	m, ok := im.meshes[name]
	switch {
	case !ok:
		return nil, op.Errorf("mesh @%s is not defined", name)
	case m.order != nil:
		return nil, unsupported(op, "the mesh @%s, whose device_ids do not count up", name)
	}
	return m.axes, nil
}

// priorities are what Shardy's compiler may begin with, which do not change what is cut.
var priorities = regexp.MustCompile(`\}p\d+`)

// shardySharding is an argument's #sdy.sharding<@mesh, [{"a"}, {}]> as HLO's text has it, by tiles; "" if there is
// none. Arguments that are cut alike share it.
func (im *importer) shardySharding(op *Op, a Attr) (hlo.Raw, error) {
	d, ok := a.(*DialectAttr)
	if !ok {
		return "", nil
	}
	if text, known := im.shardings[d.Body]; known {
		return text, nil
	}
	m, cuts, err := im.shardingMesh(op, d.Body)
	if err != nil {
		return "", err
	}
	s, err := collective.ParseSharding("{" + m.text() + ", " + cuts + "}")
	if err != nil {
		return "", op.Errorf("sdy.sharding: %v", err)
	}
	text := hlo.Raw(s.String())
	im.shardings[d.Body] = text
	return text, im.spell(op, len(s.Devices))
}

// shardingMesh cuts the text of a sharding into its mesh, which is named or written out, and what is cut along its
// axes, as HLO's text has that.
func (im *importer) shardingMesh(op *Op, text string) (m mesh, cuts string, err error) {
	name, rest, _ := strings.Cut(text, ",")
	if inner, ok := strings.CutPrefix(text, "mesh<"); ok {
		inner, rest, _ = strings.Cut(inner, ">")
		m, err = readMesh(op, inner)
	} else {
		name = strings.Trim(strings.TrimSpace(strings.TrimPrefix(name, "@")), `"`)
		if m, ok = im.meshes[name]; !ok {
			err = op.Errorf("mesh @%s is not defined", name)
		}
	}
	rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), ">"))
	rest = priorities.ReplaceAllString(strings.TrimPrefix(rest, ","), "}")
	return m, strings.ReplaceAll(rest, `"`, `'`), err
}

// text is the mesh as HLO's text has it.
func (m mesh) text() string {
	axes := make([]string, len(m.axes))
	for i, a := range m.axes {
		axes[i] = fmt.Sprintf("'%s'=%d", a.name, a.size)
	}
	text := "mesh[" + strings.Join(axes, ",") + "]"
	if m.order != nil {
		text += ", device_ids=(" + joinInts(m.order) + ")"
	}
	return text
}
