package grep

// sequence combines the facts about consecutive parts.
type sequence struct {
	*analysis
	all   facts
	run   []literal // the text read so far ends with one of these
	exact bool      // and contains nothing else
}

// concat returns the facts about consecutive parts.
func (a *analysis) concat(parts []facts) facts {
	s := sequence{analysis: a, run: []literal{{}}, exact: true}
	for _, f := range parts {
		s.add(f)
	}
	s.offer(s.run)
	if s.exact {
		s.all.exact, s.all.prefix = s.run, s.run
	}
	s.all.suffix = s.run
	return s.all
}

func (s *sequence) add(f facts) {
	s.all.exotic |= f.exotic
	if f.exact != nil && len(s.run)*len(f.exact) <= maxProduct && s.length() <= maxElements {
		s.run = s.product(s.run, f.exact)
		return
	}
	if f.prefix != nil && len(s.run)*len(f.prefix) <= maxProduct {
		s.run = s.product(s.run, f.prefix)
	}
	s.offer(s.run)
	s.offer(f.inner)
	if s.exact {
		s.all.prefix, s.exact = s.run, false
	}
	s.run = []literal{{}}
	if f.suffix != nil {
		s.run = f.suffix
	}
}

// length returns the length of the literals of the run.
func (s *sequence) length() int {
	if len(s.run) == 0 {
		return 0
	}
	return len(s.run[0].elems)
}

// offer records a set of literals, of which each match contains one, if it is cheaper than the current one.
func (s *sequence) offer(set []literal) {
	s.all.inner = s.cheaper(s.all.inner, s.shortest(set))
}
