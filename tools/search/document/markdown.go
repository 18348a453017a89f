package document

import (
	"bytes"
	"strings"
)

// markdown finds the headings of CommonMark, and those that are written in HTML on
// one line. What is fenced, or a comment, has none.
func markdown(text []byte) (title string, all []heading) {
	title, start := frontMatter(text)
	var f fence
	before, beforeAt, comment := []byte(nil), 0, false
	for at, line := range textLines(text[start:]) {
		at += start
		indent, rest := indentation(line)
		if comment || f.char == 0 && bytes.HasPrefix(rest, []byte("<!--")) {
			comment = !bytes.Contains(line, []byte("-->"))
			before = nil
			continue
		}
		if f.next(rest) {
			before = nil
			continue
		}
		level := 0
		var name []byte
		switch {
		case indent > 3:
		case len(rest) > 0 && rest[0] == '#':
			level, name = marked(rest, '#')
		case underline(rest) > 0 && paragraph(before):
			level, name, at = underline(rest), before, beforeAt
		case len(rest) > 3 && rest[0] == '<':
			level, name = tagged(rest)
		}
		if before, beforeAt = rest, at; indent > 3 {
			before = nil
		}
		if level > 0 && level <= 6 {
			all = append(all, heading{at: at, level: level, title: inline(name)})
			before = nil
		}
	}
	return title, all
}

// indentation is how many blanks a line begins with, and what follows.
func indentation(line []byte) (int, []byte) {
	rest := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(rest)
	return indent + 3*bytes.Count(line[:indent], []byte{'\t'}), rest
}

// fence is a block of code that has begun.
type fence struct {
	char byte
	size int
}

// next takes one more line, and says whether it belongs to such a block.
func (f *fence) next(line []byte) bool {
	size := 0
	for size < len(line) && line[size] == line[0] {
		size++
	}
	switch {
	case f.char != 0:
		if size >= f.size && line[0] == f.char && len(bytes.TrimSpace(line[size:])) == 0 {
			f.char = 0
		}
		return true
	case size < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && bytes.IndexByte(line[size:], '`') >= 0:
		return false
	}
	f.char, f.size = line[0], size
	return true
}

// marked reads a heading that begins with as many marks as its level.
func marked(line []byte, mark byte) (level int, title []byte) {
	for level < len(line) && line[level] == mark {
		level++
	}
	title = line[level:]
	if len(title) > 0 && title[0] != ' ' && title[0] != '\t' {
		return 0, nil
	}
	title = bytes.TrimSpace(title)
	if closed := bytes.TrimRight(title, string(mark)); len(closed) == 0 || closed[len(closed)-1] == ' ' {
		title = closed
	}
	return level, title
}

// underline is the level of the heading that a line is drawn under, or 0.
func underline(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	switch {
	case len(line) > 1 && len(bytes.Trim(line, "=")) == 0:
		return 1
	case len(line) > 2 && len(bytes.Trim(line, "-")) == 0:
		return 2
	}
	return 0
}

// paragraph says that a line may be the text of a heading: no list, table or quotation.
func paragraph(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 || strings.IndexByte("|>#=`~", line[0]) >= 0 {
		return false
	}
	return len(line) < 2 || strings.IndexByte("-*+", line[0]) < 0 || line[1] != ' '
}

// tagged reads a heading that is an element of HTML.
func tagged(line []byte) (level int, title []byte) {
	if line[1]|0x20 != 'h' || line[2] < '1' || line[2] > '6' || line[3] != ' ' && line[3] != '>' {
		return 0, nil
	}
	title = bytes.TrimSpace(withoutTags(line))
	if !hasWords(title) {
		return 0, nil
	}
	return int(line[2] - '0'), title
}

// withoutTags is a line without the tags of HTML in it.
func withoutTags(line []byte) []byte {
	var kept []byte
	for len(line) > 0 {
		open := bytes.IndexByte(line, '<')
		if open < 0 {
			break
		}
		shut := bytes.IndexByte(line[open:], '>')
		if shut < 0 {
			break
		}
		kept = append(kept, line[:open]...)
		line = line[open+shut+1:]
	}
	return append(kept, line...)
}

// inline is the text of a heading without its marks: [Usage](#usage) is Usage.
func inline(title []byte) string {
	if !bytes.ContainsAny(title, "[`*_<{!\\") {
		return string(title)
	}
	s := string(withoutTags(title))
	if i := strings.LastIndex(s, " {#"); i >= 0 && strings.HasSuffix(s, "}") {
		s = s[:i]
	}
	var b strings.Builder
	for s != "" {
		open := strings.IndexByte(s, '[')
		shut := strings.Index(s[max(open, 0):], "](")
		if open < 0 || shut < 0 {
			break
		}
		end := strings.IndexByte(s[open+shut:], ')')
		if end < 0 {
			break
		}
		b.WriteString(strings.TrimSuffix(s[:open], "!"))
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(s[open+1:open+shut], "!"), "["))
		s = s[open+shut+end+1:]
	}
	b.WriteString(s)
	return strings.TrimSpace(strings.NewReplacer("`", "", "**", "", "__", "", `\`, "", "](", " ").Replace(b.String()))
}
