package ignore

import "strings"

// pattern is one line of a file.
type pattern struct {
	text    string
	fixed   string // of a wholePath: its directory; of a pathGlob: the text before the first wildcard or backslash
	must    string // of a glob: characters that a name on the path must have together; "" if none are known
	before  int32  // index of the pattern before this one in the same linked list of Rules, or none
	line    int32  // number of the line, from 1
	kind    kind
	negated bool
	dirOnly bool
}

type kind uint8

const (
	wholeName  kind = iota // node_modules
	nameSuffix             // *.o
	nameGlob               // [Bb]in
	wholePath              // /build, docs/out
	pathGlob               // a/*.o, **/x
)

const wildcards = "*?["

func (p *pattern) match(s *subject) bool {
	if p.dirOnly && !s.dir {
		return false
	}
	switch p.kind {
	case wholeName:
		return s.name == p.text
	case nameSuffix:
		return strings.HasSuffix(s.name, p.text)
	case nameGlob:
		return strings.Contains(s.name, p.must) && wild(p.text, s.name, false)
	case wholePath:
		return s.name == p.text && s.parent == p.fixed
	}
	return p.matchPath(s)
}

func (p *pattern) matchPath(s *subject) bool {
	if !strings.Contains(s.name, p.must) && !strings.Contains(s.parent, p.must) {
		return false
	}
	if s.parent == "" {
		rest, ok := strings.CutPrefix(s.name, p.fixed)
		return ok && wild(p.text, rest, true)
	}
	n := min(len(p.fixed), len(s.parent))
	if s.parent[:n] != p.fixed[:n] {
		return false
	}
	var room [256]byte
	path := append(append(append(room[:0], s.parent...), '/'), s.name...)
	return len(path) >= len(p.fixed) && string(path[:len(p.fixed)]) == p.fixed && wild(p.text, path[len(p.fixed):], true)
}

// longestLiteral finds the longest part of a glob that stands for itself alone, and is part of a name.
func longestLiteral(text string) string {
	if strings.ContainsAny(text, `[\`) {
		return "" // not worth the reading
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '*' || r == '?' || r == '/' }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// needs tells the name that an entry must have to match, or else the extension, if the pattern determines one.
func (p *pattern) needs() (name, ext string) {
	switch p.kind {
	case wholeName, wholePath:
		return p.text, ""
	case nameSuffix:
		return "", extension(p.text)
	}
	// The text after the last wildcard is the end of the path.
	tail := p.text[strings.LastIndexAny(p.text, wildcards+`]\`)+1:]
	if cut := strings.LastIndexByte(tail, '/'); cut >= 0 && p.kind == pathGlob {
		tail = tail[cut+1:]
		if !p.joins() {
			return tail, ""
		}
	}
	return "", extension(tail)
}

// joins reports whether "**/" follows a part of a name. Then it can match nothing, and the text after it continues
// the name.
func (p *pattern) joins() bool {
	return p.fixed != "" && !strings.HasSuffix(p.fixed, "/") && strings.HasPrefix(p.text, "**")
}
