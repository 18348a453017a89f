package document

import (
	"bytes"
	"strings"
)

// markdownHeadings returns the headings of CommonMark, and HTML headings on a single line, outside of code fences and comments.
func markdownHeadings(text []byte) (title string, all []heading) {
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
		if f.contains(rest) {
			before = nil
			continue
		}
		level := 0
		var name []byte
		switch {
		case indent > 3:
		case len(rest) > 0 && rest[0] == '#':
			level, name = parseMarkedHeading(rest, '#')
		case underlineLevel(rest) > 0 && isHeadingText(before):
			level, name, at = underlineLevel(rest), before, beforeAt
		case len(rest) > 3 && rest[0] == '<':
			level, name = parseHTMLHeading(rest)
		}
		if before, beforeAt = rest, at; indent > 3 {
			before = nil
		}
		if level > 0 && level <= 6 {
			all = append(all, heading{at: at, level: level, title: headingText(name)})
			before = nil
		}
	}
	return title, all
}

// indentation returns the width of the indentation, with tabs as four columns, and the rest of the line.
func indentation(line []byte) (int, []byte) {
	rest := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(rest)
	return indent + 3*bytes.Count(line[:indent], []byte{'\t'}), rest
}

// fence tracks the open code fence.
type fence struct {
	char byte // 0 if no fence is open
	size int
}

// contains processes the next line, and reports whether it belongs to a fenced block.
func (f *fence) contains(line []byte) bool {
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

// parseMarkedHeading parses a heading that begins with as many marks as its level.
func parseMarkedHeading(line []byte, mark byte) (level int, title []byte) {
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

// underlineLevel returns the heading level of a line of "=" or "-", or 0 for other lines.
func underlineLevel(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	switch {
	case len(line) > 1 && len(bytes.Trim(line, "=")) == 0:
		return 1
	case len(line) > 2 && len(bytes.Trim(line, "-")) == 0:
		return 2
	}
	return 0
}

// isHeadingText reports whether an underlined line is a heading: not empty, and no list, table or quotation.
func isHeadingText(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 || strings.IndexByte("|>#=`~", line[0]) >= 0 {
		return false
	}
	return len(line) < 2 || strings.IndexByte("-*+", line[0]) < 0 || line[1] != ' '
}

// parseHTMLHeading parses an HTML heading element on one line.
func parseHTMLHeading(line []byte) (level int, title []byte) {
	if line[1]|0x20 != 'h' || line[2] < '1' || line[2] > '6' || line[3] != ' ' && line[3] != '>' {
		return 0, nil
	}
	title = bytes.TrimSpace(stripTags(line))
	if !hasWords(title) {
		return 0, nil
	}
	return int(line[2] - '0'), title
}

// stripTags removes HTML tags.
func stripTags(line []byte) []byte {
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

// headingText removes the markup of a heading: [Usage](#usage) becomes Usage.
func headingText(title []byte) string {
	if !bytes.ContainsAny(title, "[`*_<{!\\") {
		return string(title)
	}
	s := string(stripTags(title))
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
