package exec

// links tie an element of a chain to its neighbours.
type links[T any] struct{ prev, next *T }

func (l *links[T]) hook() *links[T] { return l }

// chain is a list of elements that have their links in them, so that it takes no memory. The zero value is empty.
type chain[T any, P interface {
	*T
	hook() *links[T]
}] struct{ first, last P }

// push appends x, which is in no chain.
func (c *chain[T, P]) push(x P) {
	*x.hook() = links[T]{prev: c.last}
	if c.last != nil {
		c.last.hook().next = x
	} else {
		c.first = x
	}
	c.last = x
}

// remove takes x out.
func (c *chain[T, P]) remove(x P) {
	l := x.hook()
	if l.prev != nil {
		P(l.prev).hook().next = l.next
	} else {
		c.first = l.next
	}
	if l.next != nil {
		P(l.next).hook().prev = l.prev
	} else {
		c.last = l.prev
	}
}
