package textfile

import (
	"slices"
	"strings"
)

// Policy says which line ends new content gets. The zero value is Keep.
type Policy uint8

// The policies.
const (
	Keep   Policy = iota // the line ends of the file
	ToLF                 // LF
	ToCRLF               // CRLF
)

var policyNames = [...]string{"keep", "lf", "crlf"}

// ParsePolicy reads keep, lf or crlf in any case; the empty name is Keep. The error is a *NameError.
func ParsePolicy(name string) (Policy, error) {
	folded := strings.ToLower(strings.TrimSpace(name))
	if folded == "" {
		return Keep, nil
	}
	if i := slices.Index(policyNames[:], folded); i >= 0 {
		return Policy(i), nil
	}
	return Keep, &NameError{What: "line end policy", Name: name, Legal: slices.Clone(policyNames[:])}
}

// String is the name of the policy as ParsePolicy reads it.
func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return "unknown"
}

// Fit returns content with the line ends for a replacement of Content[start:end]. Offsets outside Content are clamped. Content
// for a new file is fitted to the zero Text.
//
// Keep changes LF and CRLF to the line end of the file. In a file with mixed line ends, a line that the new content shares with
// the old one keeps its line end; another line gets that of the line that it replaces or follows. A file without line ends
// takes content unchanged. A lone CR stays unless the policy is explicit.
func (t *Text) Fit(start, end int, content string, p Policy) string {
	switch {
	case p == ToLF:
		return withEOL(content, LF, true)
	case p == ToCRLF:
		return withEOL(content, CRLF, true)
	case t.src.eol == NoEOL:
		return content
	case t.src.eol != Mixed:
		return withEOL(content, t.src.eol, false)
	}
	start = min(max(start, 0), len(t.src.content))
	end = min(max(end, start), len(t.src.content))
	return t.src.fitMixed(start, end, content)
}

// withEOL ends every line of content with e. A lone CR counts as a line end only if loneCR is set.
func withEOL(content string, e EOL, loneCR bool) string {
	sequence := e.sequence()
	if e == LF && !strings.Contains(content, "\r") {
		return content
	}
	var b strings.Builder
	b.Grow(len(content) + len(content)/16)
	for rest := content; rest != ""; {
		start, end := nextEOL(rest)
		b.WriteString(rest[:start])
		if kind := kindOf(rest[start:end]); kind == CR && !loneCR {
			b.WriteString("\r")
		} else if kind != NoEOL {
			b.WriteString(sequence)
		}
		rest = rest[end:]
	}
	return b.String()
}

// ended is a line and the sequence that ends it, empty for the last line of a text.
type ended struct{ text, eol string }

func splitLines(s string) []ended {
	var lines []ended
	for s != "" {
		start, end := nextEOL(s)
		lines = append(lines, ended{s[:start], s[start:end]})
		s = s[end:]
	}
	return lines
}

func (s *source) fitMixed(start, end int, content string) string {
	was, now := splitLines(s.content[start:end]), splitLines(content)
	same := func(a, b ended) bool { return a.text == b.text && a.eol != "" && b.eol != "" }
	head := 0
	for head < len(was) && head < len(now) && same(was[head], now[head]) {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && same(was[len(was)-1-tail], now[len(now)-1-tail]) {
		tail++
	}
	var b strings.Builder
	b.Grow(len(content) + len(now))
	neighbour := s.neighbour(start)
	for i, line := range now {
		j := i // the old line that this one has its end from
		if i >= len(now)-tail {
			j = len(was) - len(now) + i
		} else if i >= len(was)-tail {
			j = len(was)
		}
		if j < len(was) && was[j].eol != "" {
			neighbour = was[j].eol
		}
		b.WriteString(line.text)
		if line.eol == "\r" {
			b.WriteString("\r")
		} else if line.eol != "" {
			b.WriteString(neighbour)
		}
	}
	return b.String()
}

// neighbour is the last line end in front of an offset, or else the first behind it.
func (s *source) neighbour(offset int) string {
	before := s.content[:offset]
	if i := strings.LastIndexAny(before, "\r\n"); i >= 0 {
		if before[i] == '\n' && i > 0 && before[i-1] == '\r' {
			i--
		}
		offset = i
	}
	start, end := nextEOL(s.content[offset:])
	return s.content[offset+start : offset+end]
}
