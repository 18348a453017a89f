package security

// MatchEntry decides on an entry by trying all patterns, and by the index that a walk uses.
func MatchEntry(sources []string, dir, name string) (all, indexed bool) {
	ps, _ := compilePatterns(sources)
	dir, name = fold(dir), fold(name)
	rules := newRuleIndex(ps).in(dir)
	return ps.matchEntry(dir, name), rules.match(name)
}

// FoldEntry folds a name and checks it: as every call does, and as a walk does.
func FoldEntry(name string) (folded, quickly string, ok, quicklyOK bool) {
	quickly, quicklyOK = foldEntry(name)
	return fold(name), quickly, checkEntry(name), quicklyOK
}
