package hlo

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
)

// IsZero reports whether there are no groups, which means one group of all.
func (v *ReplicaGroups) IsZero() bool { return len(v.Groups) == 0 }

// AppendText appends "{{0,1},{2,3}}", or the compact form that the groups came from.
func (v *ReplicaGroups) AppendText(b []byte) []byte {
	if v.Iota != "" {
		return append(b, v.Iota...)
	}
	return appendBraced(b, v.Groups, appendInts)
}

// ParseText reads lists of ids, and the compact forms of [collective.ReadGroups]: ids counted up and cut, and axes of a
// mesh.
func (v *ReplicaGroups) ParseText(s string) error {
	if !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "mesh[") {
		groups, err := parseIntLists(s)
		*v = ReplicaGroups{Groups: groups}
		return err
	}
	groups, err := collective.ReadGroups(s)
	if err != nil {
		return fmt.Errorf("groups %s: %w", clip(s), err)
	}
	*v = ReplicaGroups{Groups: groups, Iota: s}
	return nil
}
