package editor

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxPattern     = 10_000 // bytes
	maxOccurrences = 10_000 // of one call
	// maxWork limits the steps of a regular expression in the worst case, because a search cannot be interrupted.
	maxWork = 4_000_000_000
)

// pattern is a compiled pattern of replace_code with its replacement.
type pattern struct {
	literal string         // with LF
	expr    *regexp.Regexp // nil for a literal
	steps   int            // worst-case steps for each byte
	parts   []replacementPart
}

// replacementPart is literal text of a replacement, or a group if group is not negative.
type replacementPart struct {
	text  string
	group int
}

func compile(text, replacement string, isRegex bool) (*pattern, error) {
	if text == "" || len(text) > maxPattern {
		return nil, invalid("give a pattern of 1 to "+number(maxPattern)+" bytes", "the pattern has %s", plural.Count(len(text), "byte"))
	}
	p := &pattern{literal: textfile.WithLF(text), parts: []replacementPart{{textfile.WithLF(replacement), -1}}}
	if !isRegex {
		return p, nil
	}
	whole := "(?m:" + p.literal + ")"
	parsed, err := syntax.Parse(p.literal, syntax.Perl)
	if err == nil {
		p.expr, err = regexp.Compile(whole)
	}
	if err != nil {
		reason := "it is not a regular expression"
		if bad, ok := err.(*syntax.Error); ok {
			reason = bad.Code.String()
		}
		return nil, problem(codeInvalidPattern, "Use the syntax of RE2: no look-around and no references back. For a plain text leave isRegex out.", "the pattern %s cannot be used: %s", quote(text), reason)
	}
	if program, err := syntax.Compile(parsed.Simplify()); err == nil {
		p.steps = len(program.Inst)
	}
	p.parts, err = p.template(textfile.WithLF(replacement))
	return p, err
}

// checkCost refuses a search that could take too long.
func (p *pattern) checkCost(path string, text *textfile.Text) error {
	if p.steps*len(text.Content) <= maxWork {
		return nil
	}
	return problem(codeInvalidPattern, "Use a simpler pattern, without large counts such as {500}.", "the pattern can take too long in the %s of %s", plural.Count(len(text.Content), "byte"), quote(path))
}

var reference = regexp.MustCompile(`\$(?:\$|&|\d{1,2}|\{\w+\}|<[A-Za-z_]\w*>)`)

// template parses a replacement. $1, ${name} and $<name> are groups, $0 and $& the complete match, and $$ a dollar. Any other
// dollar is literal, as is $<name> for a pattern without named groups.
func (p *pattern) template(s string) (parts []replacementPart, err error) {
	done := 0
	for _, at := range reference.FindAllStringIndex(s, -1) {
		if s[at[0]+1] == '<' && strings.Join(p.expr.SubexpNames(), "") == "" {
			continue
		}
		parts = append(parts, replacementPart{s[done:at[0]], -1})
		done = at[1]
		name := strings.Trim(s[at[0]+1:at[1]], "{}<>")
		switch group, digits := p.group(name); {
		case name == "$":
			parts = append(parts, replacementPart{"$", -1})
		case group < 0, s[at[0]+1] == '{' && digits < len(name):
			return nil, invalid("name one of the groups of the pattern, from $1 to $"+number(p.expr.NumSubexp())+"; $$ is a dollar", "the pattern has no group %s", quote(s[at[0]:at[1]]))
		default:
			parts = append(parts, replacementPart{"", group})
			done -= len(name) - digits
		}
	}
	return append(parts, replacementPart{s[done:], -1}), nil
}

// group returns the number of a group and the length of its name. If there are fewer than 12 groups, $12 is group 1 followed by
// a 2.
func (p *pattern) group(name string) (group, used int) {
	if name == "&" {
		return 0, 1
	}
	n, err := strconv.Atoi(name)
	switch {
	case err != nil:
		return p.expr.SubexpIndex(name), len(name)
	case n <= p.expr.NumSubexp():
		return n, len(name)
	case len(name) == 2 && int(name[0]-'0') <= p.expr.NumSubexp() && name[0] != '0':
		return int(name[0] - '0'), 1
	}
	return -1, 0
}

// find returns the replacements in a text as edits, in order. full reports that there are more than room.
func (p *pattern) find(text *textfile.Text, room int) (found []textfile.Edit, full bool) {
	if p.expr == nil {
		for start, end := range textfile.Matches(text.Content, p.literal) {
			if len(found) == room {
				return found, true
			}
			found = append(found, textfile.Edit{Start: start, End: end, New: fitLineEnds(text, start, end, p.parts[0].text)})
		}
		return found, false
	}
	content, origin := normalizeLineEnds(text.Content)
	matches := p.expr.FindAllStringSubmatchIndex(content, room+1)
	if full = len(matches) > room; full {
		matches = matches[:room]
	}
	for _, m := range matches {
		var b strings.Builder
		for _, part := range p.parts {
			switch {
			case part.group < 0:
				b.WriteString(part.text)
			case m[2*part.group] >= 0:
				b.WriteString(content[m[2*part.group]:m[2*part.group+1]])
			}
		}
		start, end := origin(m[0]), origin(m[1])
		found = append(found, textfile.Edit{Start: start, End: end, New: fitLineEnds(text, start, end, b.String())})
	}
	return found, full
}

// normalizeLineEnds replaces CRLF by LF, so that $ matches before both. The function converts an offset to one in the original
// text.
func normalizeLineEnds(s string) (string, func(int) int) {
	if !strings.Contains(s, "\r\n") {
		return s, func(at int) int { return at }
	}
	var b strings.Builder
	var removed []int // offsets of each LF that had a CR before it
	for {
		line, rest, more := strings.Cut(s, "\r\n")
		b.WriteString(line)
		if !more {
			break
		}
		removed = append(removed, b.Len())
		b.WriteByte('\n')
		s = rest
	}
	return b.String(), func(at int) int {
		n, _ := slices.BinarySearch(removed, at)
		return at + n
	}
}
