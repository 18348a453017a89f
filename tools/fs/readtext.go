package fs

import (
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// TextContent returns the text for the model: a header line in brackets, the content (exact or numbered), and for a truncated
// answer a last line with the next call.
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
	if next := r.continuation(); next != "" {
		if n := len(r.Content); n > 0 && !r.numbered && !isLineEnd(r.Content[n-1]) {
			b.WriteByte('\n')
		}
		b.WriteString("[" + next + "]")
	}
	return b.String()
}

// facts returns the parts of the header line.
func (r *ReadResult) facts() []string {
	facts := []string{r.extent(), plural.Count(r.Size, "byte")}
	if r.Unsaved != "" {
		facts = append(facts, unsavedIn(r.Unsaved))
	}
	if r.NotOnDisk {
		facts = append(facts, "not on the disk yet")
	}
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
		facts = append(facts, "sha256 "+security.ShortSHA256(r.SHA256))
	}
	return facts
}

// extent describes the part of the file that the content covers.
func (r *ReadResult) extent() string {
	whole := r.NextLine == 0 && r.NextOffset == 0
	switch {
	case r.Image != nil, r.imageOmitted:
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
		return plural.Count(int64(r.TotalLines), "line")
	}
	lines := "lines " + strconv.Itoa(r.StartLine) + " to " + strconv.Itoa(r.EndLine)
	if r.TotalLines > 0 {
		lines += " of " + strconv.Itoa(r.TotalLines)
	}
	return lines
}

// continuation returns the line that describes the next call, or "" if the answer is complete.
func (r *ReadResult) continuation() string {
	var ways []string
	switch {
	case !r.Truncated:
		return ""
	case r.imageOmitted:
		return "not shown among several files; read it alone to see it"
	case r.MIMEType != "" && r.NextOffset == previewBytes:
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
	next += r.limitNote
	if len(ways) > 0 {
		next += "; continue with " + strings.Join(ways, ", or with the next line: ")
	}
	return next
}

// writeNumbered writes the lines with their numbers. Every line end becomes LF.
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

// number formats n in decimal.
func number(n int64) string { return strconv.FormatInt(n, 10) }
