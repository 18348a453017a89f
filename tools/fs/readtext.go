package fs

import (
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// TextContent is what a model reads: one line that says what follows, in brackets; the content, exactly or numbered; and, if
// it was cut, a last line that says how to go on.
func (r ReadResult) TextContent() string {
	var b strings.Builder
	b.Grow(len(r.Content) + len(r.Content)/8 + 256)
	b.WriteByte('[')
	b.WriteString(r.Path)
	b.WriteString(": ")
	b.WriteString(strings.Join(r.facts(), ", "))
	b.WriteString("]\n")
	if r.numbered {
		r.writeNumbered(&b)
	} else {
		b.WriteString(r.Content)
	}
	if next := r.goOn(); next != "" {
		if n := len(r.Content); n > 0 && !r.numbered && !isLineEnd(r.Content[n-1]) {
			b.WriteByte('\n')
		}
		b.WriteString("[" + next + "]")
	}
	return b.String()
}

// facts tell about the content and the file.
func (r *ReadResult) facts() []string {
	facts := []string{r.extent(), count(r.Size, "byte")}
	if r.Encoding == textfile.Binary.String() {
		facts = append(facts, r.MIMEType)
		if r.Content != "" {
			facts = append(facts, "base64")
		}
	} else {
		encoding := r.Encoding
		if r.BOM {
			encoding += " with BOM"
		}
		facts = append(facts, encoding, "line ends "+r.EOL)
	}
	if r.SHA256 != "" {
		facts = append(facts, "sha256 "+r.SHA256)
	}
	return facts
}

// extent tells how much of the file the content is.
func (r *ReadResult) extent() string {
	whole := r.NextLine == 0 && r.NextOffset == 0
	switch {
	case r.Image != nil, r.apart:
		return "image"
	case r.Size == 0:
		return "empty file"
	case r.StartLine == 0 && whole && r.Offset == 0:
		return "whole file"
	case r.StartLine == 0 && r.NextOffset > 0:
		return "bytes " + number(r.Offset) + "-" + number(r.NextOffset-1)
	case r.StartLine == 0:
		return "bytes from " + number(r.Offset)
	case r.StartLine == 1 && whole && r.TotalLines > 0:
		return count(int64(r.TotalLines), "line")
	}
	lines := "lines " + strconv.Itoa(r.StartLine) + " to " + strconv.Itoa(r.EndLine)
	if r.TotalLines > 0 {
		lines += " of " + strconv.Itoa(r.TotalLines)
	}
	return lines
}

// goOn tells how to get what is missing.
func (r *ReadResult) goOn() string {
	var ways []string
	switch {
	case !r.Truncated:
		return ""
	case r.apart:
		return "not shown among several files; read it alone to see it"
	case r.MIMEType != "" && r.NextOffset == peek:
		ways = append(ways, "encoding=binary and offset="+number(r.NextOffset))
	case r.NextOffset > 0:
		ways = append(ways, "offset="+number(r.NextOffset))
	}
	if r.NextLine != 0 {
		ways = append(ways, "startLine="+strconv.Itoa(r.NextLine))
	}
	next := "cut here"
	if r.StartLine != 0 && r.NextOffset > 0 {
		next = "line " + strconv.Itoa(r.StartLine) + " is cut here"
	}
	next += r.limited
	if len(ways) > 0 {
		next += "; continue with " + strings.Join(ways, ", or with the next line: ")
	}
	return next
}

// writeNumbered writes the lines with their numbers. Whatever they end with becomes LF.
func (r *ReadResult) writeNumbered(b *strings.Builder) {
	var digits [20]byte
	for rest, n := r.Content, r.StartLine; rest != ""; n++ {
		end, ended := lineEnd(rest)
		b.Write(strconv.AppendInt(digits[:0], int64(n), 10))
		b.WriteByte('\t')
		line := rest[:end]
		if ended {
			line = strings.TrimRight(line, "\r\n")
		}
		b.WriteString(line)
		b.WriteByte('\n')
		rest = rest[end:]
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// count is a number of things, with the thing's plural.
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "y") {
		return number(n) + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return number(n) + " " + thing + "s"
}
