package fs

import (
	"cmp"
	"context"
	"strconv"
	"strings"
)

// span is a resolved range of lines.
type span struct {
	first int   // number of the first line; negative if counted from the end
	want  int   // number of lines; 0 for all that follow
	from  int64 // offset of the first line
	total int   // lines of the file; 0 if not counted
}

// readLines fills the result with a range of lines, or with the file from its beginning.
func (d *document) readLines(ctx context.Context, r request, result *ReadResult) error {
	s, err := d.resolveSpan(ctx, r.StartLine, r.EndLine, result.TotalLines)
	if err != nil {
		return err
	}
	result.TotalLines, result.numbered = s.total, r.numbered
	c, err := d.chunk(s.from, min(2*int64(r.budget), d.limit, d.size-s.from))
	if err != nil {
		return err
	}
	result.Encoding = c.Encoding.String()
	n, taken := s.take(c.Content, c.End >= d.size, r)
	if n == 0 {
		if c.End > c.Start {
			return d.readPart(s, r, result)
		}
		return nil // the file is empty
	}
	result.Content, result.StartLine, result.EndLine = c.Content[:taken], s.first, s.first+n-1
	if taken < len(c.Content) || c.End < d.size {
		result.NextLine, result.Truncated = s.first+n, n != s.want
	}
	return nil
}

// readPart fills the result with the beginning of a line that is longer than the budget.
func (d *document) readPart(s span, r request, result *ReadResult) error {
	c, err := d.chunkWithin(s.from, min(d.limit, d.size-s.from), r.budget-s.margin(0, r))
	if err != nil {
		return err
	}
	result.Content, result.StartLine, result.EndLine = c.Content, s.first, s.first
	if c.End < d.size {
		result.Truncated, result.NextOffset = true, c.End
	}
	if s.first < s.total {
		result.NextLine = s.first + 1
	}
	return nil
}

// resolveSpan resolves a range of lines. total is 0 if the document is not held.
func (d *document) resolveSpan(ctx context.Context, start, end, total int) (span, error) {
	if start < 0 && end <= 0 && !d.held {
		at, ok, err := d.findFromEnd(ctx, -start)
		if err == nil && ok && end != 0 && end < start {
			err = reversedRange(start, end)
		}
		if ok || err != nil {
			return span{first: start, want: countLines(start, end), from: at}, err
		}
	}
	if (start < 0 || end < 0) && !d.held {
		var err error
		if total, err = d.count(ctx); err != nil {
			return span{}, err
		}
	}
	first, last := resolveLine(start, 1, total), resolveLine(end, 0, total)
	if last != 0 && last < first || end < 0 && last == 0 && total > 0 {
		return span{}, reversedRange(start, end)
	}
	at, passed, err := d.skipLineEnds(ctx, d.start, d.size, first-1)
	if err != nil {
		return span{}, err
	}
	if passed.total() < first-1 || at >= d.size && first > 1 {
		if at < d.size {
			passed.lf++ // the last line has no line end
		}
		return span{}, d.lineOutOfRange(start, passed.total())
	}
	s := span{first: first, from: at, total: total}
	if last != 0 {
		s.want = last - first + 1
		if total > 0 {
			s.want = min(s.want, total-first+1)
		}
	}
	return s, nil
}

// countLines returns the number of lines from start, which is negative, to end, which is zero or negative.
func countLines(start, end int) int {
	if end == 0 {
		return -start
	}
	return end - start + 1
}

// resolveLine converts a line number of the caller to one that counts from 1. zero replaces the number 0.
func resolveLine(n, zero, total int) int {
	switch {
	case n == 0:
		return zero
	case n < 0:
		return max(n+total+1, zero)
	}
	return n
}

// take returns the number of lines of content that are in the range and fit the budget, and their bytes. last means that the
// file ends with content.
func (s span) take(content string, last bool, r request) (lines, taken int) {
	used := 0
	for taken < len(content) && (s.want == 0 || lines < s.want) {
		end, ended := lineEnd(content[taken:])
		if !ended && !last || end == len(content)-taken && !last && content[len(content)-1] == '\r' {
			break
		}
		used += end + s.margin(lines, r)
		if used > r.budget {
			break
		}
		taken += end
		lines++
	}
	return lines, taken
}

// margin returns the number of bytes that numbering adds to a line.
func (s span) margin(line int, r request) int {
	if !r.numbered {
		return 0
	}
	return len(strconv.Itoa(s.first+line)) + len("\t")
}

// lineEnd returns the offset after the first line end of a non-empty text, or the length of the text if it has none.
func lineEnd(text string) (end int, ended bool) {
	i := strings.IndexAny(text, "\r\n")
	switch {
	case i < 0:
		return len(text), false
	case strings.HasPrefix(text[i:], "\r\n"):
		return i + 2, true
	}
	return i + 1, true
}

// reversedRange returns the error for a range that ends before it begins.
func reversedRange(start, end int) error {
	return badRange("give the first line as startLine and the last as endLine", "startLine %d is behind endLine %d", cmp.Or(start, 1), end)
}

// lineOutOfRange returns the error for a first line after the end of the file.
func (d *document) lineOutOfRange(start, total int) error {
	next := "ask for lines 1 to " + strconv.Itoa(total) + ", or for startLine=-20 to read the last ones"
	if total == 0 {
		next = "read it without startLine"
	}
	return badRange(next, "line %d was requested, but the file has %d", start, total)
}
