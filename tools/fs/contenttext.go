package fs

import (
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/plural"
)

// TextContent returns the text for the model: the totals, then for each file its path and its matching lines as "12: text" with
// context lines as "11- text", and notes.
func (r SearchContentResult) TextContent() string {
	var b strings.Builder
	b.WriteString("[" + r.extent() + "]\n")
	for i := range r.Files {
		r.Files[i].write(&b, r.mode, r.context)
	}
	if r.Binary > 0 {
		b.WriteString("[not searched: " + plural.Count(int64(r.Binary), "binary file") + "]\n")
	}
	if r.TooLarge > 0 {
		b.WriteString("[too large to be searched to the end: " + plural.Count(int64(r.TooLarge), "file") + "]\n")
	}
	writeProblems(&b, r.Problems)
	if r.Incomplete {
		b.WriteString("[not everything was searched; name a directory below as path, or choose files with glob]\n")
	}
	if r.NextCursor != "" {
		b.WriteString("[continue with cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}

// extent describes the number of matches for the header line.
func (r *SearchContentResult) extent() string {
	if r.TotalMatches == 0 {
		return r.Note
	}
	text := plural.Count(int64(r.TotalMatches), "matching line") + " in " + plural.Count(int64(r.TotalFiles), "file")
	if r.Incomplete {
		text = "more than " + text
	}
	if r.Truncated {
		text += "; these are some of them, newest files first"
	}
	return text + r.text()
}

// write writes a file: its path in a list of files, with the number of matches if these are counted, otherwise with its lines.
func (f *FileMatches) write(b *strings.Builder, mode string, context bool) {
	b.WriteString(f.Path)
	switch mode {
	case modeFiles:
	case modeCount:
		b.WriteString(": " + strconv.Itoa(f.Matches))
	default:
		if f.shown() < f.Matches {
			b.WriteString(" (" + strconv.Itoa(f.shown()) + " of " + strconv.Itoa(f.Matches) + ")")
		}
	}
	if f.Unsaved != "" {
		b.WriteString(" [" + unsavedIn(f.Unsaved) + "]")
	}
	b.WriteByte('\n')
	var digits [20]byte
	for i, line := range f.Lines {
		if context && i > 0 && f.Lines[i-1].Line+1 != line.Line {
			b.WriteString("--\n")
		}
		b.Write(strconv.AppendInt(digits[:0], int64(line.Line), 10))
		if line.Context {
			b.WriteString("- ")
		} else {
			b.WriteString(": ")
		}
		b.WriteString(line.Text)
		b.WriteByte('\n')
	}
}

// shown returns the number of matching lines in Lines.
func (f *FileMatches) shown() int {
	n := 0
	for _, line := range f.Lines {
		if !line.Context {
			n++
		}
	}
	return n
}
