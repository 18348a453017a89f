package build

import (
	"strings"
)

// place is where in a file something is.
type place struct {
	file                             string
	line, column, endLine, endColumn int
}

const (
	// maxPath bounds how far into a line a place may begin to say its numbers, and
	// maxTries how many colons and brackets of it are looked at.
	maxPath  = 1024
	maxTries = 40
)

// cutPlace takes a place off the beginning of a text:
//
//	path:3:5: rest      path:3: rest      path:3:5 - rest    path:3.5-4.6: rest
//	path(3,5): rest     path(3): rest     path(3,5,4,6): rest
//	path: (3, 5): rest  path: (3, 5) rest    path:[3,5] rest
//
// The path must look like one.
func cutPlace(s string) (p place, rest string, ok bool) {
	tries := 0
	for i := 1; i < len(s) && i < maxPath && tries < maxTries; i++ {
		c := s[i]
		if c != ':' && c != '(' {
			continue
		}
		tries++
		p, rest, ok = numbers(s[i:])
		if !ok {
			continue
		}
		file := strings.TrimRight(s[:i], " ")
		// Build tools print the name of a package before messages of their tools.
		if at := strings.LastIndex(file, ": "); at >= 0 {
			file = file[at+2:]
		}
		// Gradle once began lines with the task, as in ":compileJava/p/A.java".
		if at := strings.IndexByte(file, '/'); at > 0 && file[0] == ':' {
			file = file[at:]
		}
		if !pathlike(file) {
			continue
		}
		p.file = file
		return p, rest, true
	}
	return place{}, "", false
}

// numbers parses the numbers after a path, including the mark at the end of the location.
func numbers(s string) (p place, rest string, ok bool) {
	switch {
	case s[0] == '(':
		return bracketed(s[1:], ')')
	case strings.HasPrefix(s, ": ("):
		p, rest, ok = commas(s[3:], ')')
		return p, strings.TrimLeft(rest, ": "), ok && p.column > 0
	case strings.HasPrefix(s, ":["):
		p, rest, ok = commas(s[2:], ']')
		return p, strings.TrimLeft(rest, ": "), ok
	}
	p.line, s, ok = number(s[1:])
	if !ok {
		return p, "", false
	}
	if next, after, found := second(s, ':'); found {
		p.column, s = next, after
	} else if next, after, found := second(s, '.'); found {
		p.column, s = next, after
	}
	if strings.HasPrefix(s, "-") { // to the end of a range, 4.6 or a column
		if end, after, found := number(s[1:]); found {
			if column, beyond, two := second(after, '.'); two {
				p.endLine, p.endColumn, s = end, column, beyond
			} else {
				p.endLine, p.endColumn, s = p.line, end, after
			}
		}
	}
	switch {
	case strings.HasPrefix(s, ":"):
		return p, s[1:], true
	case strings.HasPrefix(s, " - "):
		return p, s[3:], true
	}
	return p, "", false
}

// bracketed reads the numbers of path(3,5): and the colon.
func bracketed(s string, closing byte) (p place, rest string, ok bool) {
	p, rest, ok = commas(s, closing)
	rest = strings.TrimPrefix(rest, " ")
	if !ok || !strings.HasPrefix(rest, ":") {
		return p, "", false
	}
	return p, rest[1:], true
}

// commas parses "3", "3,5", "3,5-7", "3-4" or "3,5,4,6" and the closing mark.
func commas(s string, closing byte) (p place, rest string, ok bool) {
	if p.line, s, ok = number(s); !ok {
		return p, "", false
	}
	if end, after, found := second(s, '-'); found {
		p.endLine, s = end, after
	}
	if column, after, found := second(s, ','); found {
		p.column, s = column, after
		if end, after, found := second(s, '-'); found {
			p.endLine, p.endColumn, s = p.line, end, after
		} else if end, after, found := second(s, ','); found {
			p.endLine, s = end, after
			if end, after, found := second(s, ','); found {
				p.endColumn, s = end, after
			}
		}
	}
	if s == "" || s[0] != closing {
		return p, "", false
	}
	return p, s[1:], true
}

// second reads a mark and a number.
func second(s string, mark byte) (n int, rest string, ok bool) {
	if s == "" || s[0] != mark {
		return 0, s, false
	}
	s = s[1:]
	if mark == ',' {
		s = strings.TrimPrefix(s, " ")
	}
	n, rest, ok = number(s)
	return n, rest, ok
}

// number reads a number of at most eight digits.
func number(s string) (n int, rest string, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		if i == 8 {
			return 0, s, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s[i:], i > 0
}

// bareNames are names of files without an extension that tools complain about.
var bareNames = map[string]bool{
	"Makefile": true, "makefile": true, "GNUmakefile": true, "Dockerfile": true, "Jenkinsfile": true, "BUILD": true, "WORKSPACE": true, "Rakefile": true, "Podfile": true,
}

// pathlike says whether a text looks like the path of a file: its last part has an
// extension, or is known, or others go before it.
func pathlike(s string) bool {
	if s == "" || len(s) > maxPath || s[0] == ' ' || s[0] == '\t' || s[0] == '-' || s[0] == '(' || s[len(s)-1] == ' ' {
		return false
	}
	if at := strings.LastIndexByte(s, ':'); at >= 0 && !(at == 1 && drive(s)) && !strings.HasPrefix(s, "file://") {
		return false
	}
	if strings.ContainsAny(s, "\"<>|*?\x00\t`'") {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	if bareNames[base] {
		return true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return len(base) < len(s) && letters(base) && !strings.Contains(s, " ")
	}
	ext := base[dot+1:]
	return len(ext) > 0 && len(ext) <= 12 && letters(ext) && !strings.ContainsAny(ext, " ,;()")
}

// letters says whether a text has a letter.
func letters(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' || r >= 0x80 })
}

// extension is the extension of a path, in lower case and with its dot.
func extension(file string) string {
	if dot := strings.LastIndexByte(file, '.'); dot >= 0 && !strings.ContainsAny(file[dot:], `/\`) {
		return strings.ToLower(file[dot:])
	}
	return ""
}
