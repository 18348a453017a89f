package script

// memberName reads the name of a member. It is none if it is an index signature
// or mapped type.
func (s *scanner) memberName() (name token, named bool) {
	name = s.tok
	switch k := s.tok.kind; {
	case k.names(), k == str, k == number, k == private:
		s.next()
		return name, true
	case k == '[':
		s.next()
		named = !s.indexes()
		if named {
			s.expression(0)
		} else {
			s.next()
			if s.accept(':') {
				s.typ(0)
			} else {
				s.next()
				if s.typ(0); s.accept(kwAs) {
					s.typ(0)
				}
			}
		}
		s.expect(']')
		name.end = s.prevEnd
		return name, named
	}
	s.doubt("a member has no name")
	return name, false
}

// indexes reports whether the tokens after "[" belong to an index signature, [key: T], or to a
// mapped type, [K in T].
func (s *scanner) indexes() bool {
	if !s.tok.kind.identifies() {
		return false
	}
	after := s.peek().kind
	return after == ':' || after == kwIn
}
