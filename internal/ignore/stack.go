package ignore

// Stack joins the rules of nested directories; the innermost matching rules decide. It is immutable, so that many
// directories can share one. nil is an empty stack.
type Stack struct {
	parent *Stack
	rules  *Rules
	base   int // length of the directory's path, with a slash behind it
}

// Push adds the rules of a directory, which is named by its path from where the paths of the whole stack begin; "" is there.
// Rules that were pushed later for the same directory come before earlier ones.
func (s *Stack) Push(dir string, rules *Rules) *Stack {
	if rules.Empty() {
		return s
	}
	base := 0
	if dir != "" {
		base = len(dir) + 1
	}
	return &Stack{parent: s, rules: rules, base: base}
}

// Match decides on an entry of a directory. The rules of the stack come from that directory and the directories above
// it. Match does not check whether a parent directory is ignored; a walk does not enter ignored directories.
func (s *Stack) Match(parent, name string, dir bool) Verdict {
	if s == nil {
		return Undecided
	}
	subject := subject{name: name, ext: extension(name), dir: dir}
	for ; s != nil; s = s.parent {
		subject.parent = parent[min(s.base, len(parent)):]
		if verdict := s.rules.decide(subject); verdict != Undecided {
			return verdict
		}
	}
	return Undecided
}
