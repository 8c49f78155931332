package scalar

// PackInterpreted returns the program as Pack does, for the interpreter.
func (p *Program) PackInterpreted() []byte { return p.packed(nil) }

// PackMachine returns the program as Pack does, with its machine code, and nil if it has none: also of programs that
// Pack has the interpreter for.
func (p *Program) PackMachine() []byte {
	if at := p.placed(); at != nil {
		return p.packed(at)
	}
	return nil
}
