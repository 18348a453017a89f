package grep

// sequence gathers the facts about parts that follow each other.
type sequence struct {
	*analysis
	all   facts
	run   []literal // what is read so far ends with one of these
	exact bool      // and is nothing else
}

// concat answers the facts about parts that follow each other.
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

// length is that of a literal of the run.
func (s *sequence) length() int {
	if len(s.run) == 0 {
		return 0
	}
	return len(s.run[0].elems)
}

// offer takes a set that each match has one of, if it is better than what there is.
func (s *sequence) offer(set []literal) {
	s.all.inner = s.better(s.all.inner, s.shortest(set))
}
