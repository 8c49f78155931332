package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// shared is what was made of attributes, which many ops may have: a file names an attribute in a few bytes, so that
// each is read once and what was made of it belongs to all that have it. The keys are what identity returns.
type shared struct {
	texts      map[any]string
	literals   map[any]*literal.Literal
	groups     map[any]hlo.ReplicaGroups
	pairs      map[any]hlo.Pairs
	frontends  map[any]hlo.FrontendAttributes
	textBytes  int // of texts
	placeBytes int // of metadata
	entries    int // of frontends, copied
}

func newShared() shared {
	return shared{texts: map[any]string{}, literals: map[any]*literal.Literal{}, groups: map[any]hlo.ReplicaGroups{},
		pairs: map[any]hlo.Pairs{}, frontends: map[any]hlo.FrontendAttributes{}}
}

// identity is the same for an attribute wherever ops share it; nil for one that is small or is shared anyway.
func identity(a Attr) any {
	switch a := a.(type) {
	case *DenseAttr:
		return a
	case *DialectAttr:
		return a
	case DictAttr:
		if len(a) > 0 {
			return &a[0]
		}
	case ArrayAttr:
		if len(a) > 0 {
			return &a[0]
		}
	case DenseArrayAttr:
		if len(a.Elems) > 0 {
			return &a.Elems[0]
		}
	}
	return nil
}

// once returns what known has of a, or what f makes of it.
func once[T any](known map[any]T, a Attr, f func() (T, error)) (v T, err error) {
	id := identity(a)
	if id == nil {
		return f()
	}
	v, ok := known[id]
	if !ok {
		if v, err = f(); err == nil {
			known[id] = v
		}
	}
	return v, err
}

// maxText is how many bytes of text the attributes of a program that are kept as text may take, and its places as many:
// they may name one another, so that a short file stands for much.
const maxText = 1 << 28

// text is an attribute as MLIR writes it, with its numbers settled.
func (im *importer) text(op *Op, a Attr) (string, error) {
	return once(im.shared.texts, a, func() (string, error) { return im.kept(op, AttrString(settled(a))) })
}

// kept counts a text, and fails if those of the program are too long.
func (im *importer) kept(op *Op, text string) (string, error) {
	if im.textBytes += len(text); im.textBytes > maxText {
		return "", op.Errorf("attributes take more than %d bytes as text", maxText)
	}
	return text, nil
}

// plainText is a string as it is and any other attribute as MLIR writes it.
func (im *importer) plainText(op *Op, a Attr) (string, error) {
	if s, ok := a.(StringAttr); ok {
		return string(s), nil
	}
	return im.text(op, a)
}

// literal is the value of a constant.
func (im *importer) literal(a *DenseAttr) (*literal.Literal, error) {
	return once(im.shared.literals, a, a.Literal)
}

// maxCopied is how many entries of dictionaries that ops share they may have beside entries of their own.
const maxCopied = 1 << 20

// smallDictionary is how many entries are no more than an op's own text.
const smallDictionary = 32

// frontend returns the entries of a dictionary behind those of before; entries that are no strings as MLIR writes them.
// Ops that share a dictionary share its entries, if they have no others.
func (im *importer) frontend(op *Op, a Attr, before hlo.FrontendAttributes) (hlo.FrontendAttributes, error) {
	dict, _ := a.(DictAttr)
	f, err := once(im.shared.frontends, dict, func() (f hlo.FrontendAttributes, err error) {
		for _, kv := range dict {
			value, ok := kv.Value.(StringAttr)
			if !ok {
				text, err := im.kept(op, AttrString(kv.Value))
				if err != nil {
					return nil, err
				}
				value = StringAttr(text)
			}
			f = append(f, hlo.KeyValue{Key: kv.Name, Value: string(value)})
		}
		return slices.Clip(f), nil
	})
	if err != nil || len(before) == 0 {
		return f, err
	}
	if err := im.copy(op, f); err != nil {
		return nil, err
	}
	return append(before, f...), nil
}

// withEntry appends an entry of op's own to those that it may share with others.
func (im *importer) withEntry(op *Op, list hlo.FrontendAttributes, key, value string) (hlo.FrontendAttributes, error) {
	if cap(list) == len(list) {
		if err := im.copy(op, list); err != nil {
			return nil, err
		}
	}
	return append(list, hlo.KeyValue{Key: key, Value: value}), nil
}

// copy counts entries that op has beside its own, and fails if those of the program are too many.
func (im *importer) copy(op *Op, list hlo.FrontendAttributes) error {
	if len(list) <= smallDictionary {
		return nil
	}
	if im.entries += len(list); im.entries > maxCopied {
		return op.Errorf("ops have more than %d entries of shared frontend_attributes beside their own", maxCopied)
	}
	return nil
}
