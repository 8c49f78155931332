package stablehlo

// location reads loc(...).
func (p *parser) location() *Location {
	p.expectWord("loc")
	p.expect('(')
	l := p.locationBody()
	p.expect(')')
	return l
}

// locationBody reads what stands between the brackets of loc(...).
func (p *parser) locationBody() *Location {
	l := &Location{}
	defer p.leave()
	if !p.enter() {
		return l
	}
	switch {
	case p.is(tokHash):
		l.Kind, l.Name = LocAlias, p.expect(tokHash)
		p.later = append(p.later, l)
	case p.is(tokString):
		p.stringLocation(l)
	case p.acceptWord("unknown"):
	case p.acceptWord("callsite"):
		l.Kind = LocCallSite
		p.expect('(')
		callee := p.locationBody()
		p.expectWord("at")
		l.Children = []*Location{callee, p.locationBody()}
		p.expect(')')
	case p.acceptWord("fused"):
		l.Kind = LocFused
		if p.is('<') {
			p.rawBody()
		}
		p.list('[', ']', func() { l.Children = append(l.Children, p.locationBody()) })
	case p.isWord("loc"):
		return p.location()
	default:
		p.want("a location")
	}
	return l
}

// stringLocation reads "name", "name"(place), "file":1:2 or "file":1:2 to 3:4.
func (p *parser) stringLocation(l *Location) {
	text := p.str()
	switch {
	case p.accept(':'):
		l.Kind, l.File = LocFile, text
		l.Line = int(p.int64())
		p.expect(':')
		l.Col = int(p.int64())
		if p.acceptWord("to") {
			if p.is(tokInt) {
				p.int64()
			}
			p.expect(':')
			p.int64()
		}
	case p.accept('('):
		l.Kind, l.Name = LocName, text
		l.Children = []*Location{p.locationBody()}
		p.expect(')')
	default:
		l.Kind, l.Name = LocName, text
	}
}

// resolveLocations replaces uses of aliases by what the aliases stand for; these may be defined behind their use. One
// without a definition stays an alias.
func (p *parser) resolveLocations() {
	for _, l := range p.later {
		target := p.locs[l.Name]
		for steps := 0; target != nil && target.Kind == LocAlias && steps < maxDepth; steps++ {
			target = p.locs[target.Name]
		}
		if target != nil && target.Kind != LocAlias {
			*l = *target
		}
	}
	seen := map[*Location]bool{}
	for name, l := range p.locs {
		if circular(l, seen) {
			p.err = errorf(p.locPos[name], "location alias #%s leads back to itself", name)
			return
		}
	}
}

// circular reports whether a location leads back to itself. seen holds true for those on the way here, false
// for those done.
func circular(l *Location, seen map[*Location]bool) bool {
	if open, visited := seen[l]; visited {
		return open
	}
	seen[l] = true
	for _, c := range l.Children {
		if circular(c, seen) {
			return true
		}
	}
	seen[l] = false
	return false
}
