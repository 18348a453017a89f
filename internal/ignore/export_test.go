package ignore

// Line is Rules.Match, and the number of the line that decided; 0 if none did.
func Line(r *Rules, path string, dir bool) (Verdict, int) {
	for i := range len(path) {
		if path[i] == '/' {
			if verdict, line := lineOf(r, newSubject(path[:i], true)); verdict == Ignored {
				return verdict, line
			}
		}
	}
	return lineOf(r, newSubject(path, dir))
}

// lineOf tries every pattern in turn, without the chains.
func lineOf(r *Rules, s subject) (Verdict, int) {
	for i := len(r.list) - 1; i >= 0; i-- {
		switch p := &r.list[i]; {
		case !p.match(&s):
		case p.negated:
			return Included, int(p.line)
		default:
			return Ignored, int(p.line)
		}
	}
	return Undecided, 0
}

// Wild matches a glob.
func Wild(pattern, text string, path bool) bool { return wild(pattern, text, path) }

// Len is the number of patterns.
func Len(r *Rules) int { return len(r.list) }
