package ignore

import (
	"bytes"
	"strings"
)

const (
	maxPattern  = 4096   // bytes of a line
	maxPatterns = 50_000 // of a file
	none        = -1
)

// Parse reads the patterns of a file. It never fails: like git, it skips invalid lines.
func Parse(content []byte) *Rules {
	r := &Rules{names: map[string]int32{}, exts: map[string]int32{}, rest: none}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	for number := int32(1); len(content) > 0 && len(r.list) < maxPatterns; number++ {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0})
		if len(line) > maxPattern {
			continue
		}
		if p, ok := parsePattern(trimBlanks(string(line))); ok {
			p.line = number
			r.add(p)
		}
	}
	return r
}

// trimBlanks takes off blanks at the end that no backslash protects. Tabs stay.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line // git does not trim a line that ends in the middle of an escape
			}
		}
		end = i + 1
	}
	return line[:end]
}

// parsePattern returns the meaning of a line and the cheapest matching method. ok is false if the line matches
// nothing.
func parsePattern(text string) (p pattern, ok bool) {
	text, p.negated = strings.CutPrefix(text, "!")
	text, p.dirOnly = strings.CutSuffix(text, "/")
	if !strings.Contains(text, "/") {
		return p, p.setName(text)
	}
	return p, p.setPath(strings.TrimPrefix(text, "/"))
}

// setName makes the pattern one for the names of entries, in any directory.
func (p *pattern) setName(text string) bool {
	rest, star := strings.CutPrefix(text, "*")
	switch {
	case !strings.ContainsAny(text, wildcards):
		p.kind = wholeName
	case star && !strings.ContainsAny(rest, wildcards):
		p.kind, text = nameSuffix, rest
	default:
		p.kind, p.text, p.must = nameGlob, text, longestLiteral(text)
		return true
	}
	literal, ok := unescape(text)
	p.text = literal
	return ok && (star || literal != "")
}

// setPath makes the pattern one for paths from the directory of the rules.
func (p *pattern) setPath(text string) bool {
	if strings.ContainsAny(text, wildcards) {
		// git compares the part before the first wildcard separately, and treats the rest as a pattern of its own. So "**" is
		// at the beginning of that pattern even if the byte before it is not a slash.
		cut := strings.IndexAny(text, wildcards+`\`)
		p.kind, p.fixed, p.text, p.must = pathGlob, text[:cut], text[cut:], longestLiteral(text[cut:])
		return true
	}
	literal, ok := unescape(text)
	cut := strings.LastIndexByte(literal, '/')
	p.kind, p.fixed, p.text = wholePath, literal[:max(cut, 0)], literal[cut+1:]
	return ok && p.text != "" && literal[0] != '/'
}

// unescape removes the backslashes of a text without wildcards. A last one that protects nothing makes the text match nothing.
func unescape(text string) (string, bool) {
	if !strings.Contains(text, `\`) {
		return text, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			if i++; i == len(text) {
				return "", false
			}
		}
		b.WriteByte(text[i])
	}
	return b.String(), true
}

// add appends a pattern and puts it into the chain of the name or extension that it requires.
func (r *Rules) add(p pattern) {
	i := int32(len(r.list))
	switch name, ext := p.needs(); {
	case name != "":
		p.before = link(r.names, name, i)
	case ext != "":
		p.before = link(r.exts, ext, i)
	default:
		p.before, r.rest = r.rest, i
	}
	r.list = append(r.list, p)
}

func link(chains map[string]int32, key string, i int32) (before int32) {
	before = none
	if last, ok := chains[key]; ok {
		before = last
	}
	chains[key] = i
	return before
}
