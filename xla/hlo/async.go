package hlo

// AsyncAttrs: the wrapped computation of async-start, which its update and done may name too, and the thread that runs
// it.
type AsyncAttrs struct {
	Calls  *Computation
	Thread string
	Group  Raw
}

// Fields lists the attributes.
func (a *AsyncAttrs) Fields() []Field {
	return []Field{
		{"async_group_id", "", &a.Group, Set},
		{"async_execution_thread", "execution_thread", &a.Thread, Set},
		{"calls", "", &a.Calls, Set},
	}
}

// CopyStartAttrs are kept as text.
type CopyStartAttrs struct{ CrossProgramPrefetch Raw }

// Fields lists the attributes.
func (a *CopyStartAttrs) Fields() []Field {
	return []Field{{"cross_program_prefetch_index", "", &a.CrossProgramPrefetch, Set}}
}
