package stablehlo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
)

// priorities are what Shardy's compiler may begin with, which do not change what is cut.
var priorities = regexp.MustCompile(`\}p\d+`)

// shardySharding is an argument's #sdy.sharding<@mesh, [{"a"}, {}]> as HLO's text has it, by tiles; "" for what does
// not fit its mesh.
func (im *importer) shardySharding(a Attr) hlo.Raw {
	d, ok := a.(*DialectAttr)
	if !ok {
		return ""
	}
	_, body, _ := strings.Cut(d.Body, "@")
	name, rest, _ := strings.Cut(body, ",")
	name = strings.Trim(strings.TrimSpace(name), `"`)
	mesh, ok := im.meshes[name]
	if !ok {
		return ""
	}
	axes := make([]string, len(mesh))
	for i, a := range mesh {
		axes[i] = fmt.Sprintf("'%s'=%d", a.name, a.size)
	}
	text := "mesh[" + strings.Join(axes, ",") + "]"
	if ids := im.meshOrders[name]; ids != nil {
		text += ", device_ids=(" + strings.Join(ids, ",") + ")"
	}
	cuts := priorities.ReplaceAllString(strings.TrimSuffix(strings.TrimSpace(rest), ">"), "}")
	s, err := collective.ParseSharding("{" + text + ", " + strings.ReplaceAll(strings.TrimSpace(cuts), `"`, `'`) + "}")
	if err != nil {
		return ""
	}
	return hlo.Raw(s.String())
}

// meshOrder reads the devices of a mesh's places, ", device_ids=[1,0]" behind its axes; nil: they count up.
func meshOrder(op *Op, text string) ([]string, error) {
	_, list, given := strings.Cut(text, "device_ids=[")
	list, _, closed := strings.Cut(list, "]")
	if !given {
		return nil, nil
	}
	ids, inOrder := strings.Split(list, ","), true
	for i, id := range ids {
		ids[i] = strings.TrimSpace(id)
		n, err := strconv.Atoi(ids[i])
		if err != nil || !closed {
			return nil, op.wrong("mesh", "axes with sizes, and numbers of devices")
		}
		inOrder = inOrder && n == i
	}
	if inOrder {
		return nil, nil
	}
	return ids, nil
}

// meshOf returns the axes of the mesh of a name, for op's work on its devices.
func (im *importer) meshOf(op *Op, name string) ([]meshAxis, error) {
	mesh, ok := im.meshes[name]
	switch {
	case !ok:
		return nil, op.Errorf("mesh @%s is not defined", name)
	case im.meshOrders[name] != nil:
		return nil, unsupported(op, "the mesh @%s, whose device_ids do not count up", name)
	}
	return mesh, nil
}
