package fs

import (
	"errors"
	"sort"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// chunk decodes the characters that begin in the given range of bytes. For a held file a decoding error states the line.
func (d *document) chunk(from, length int64) (textfile.Chunk, error) {
	if c, ok := d.chunkOfHeldUTF8(from, length); ok {
		return c, nil
	}
	c, err := textfile.ReadRange(d, d.size, d.encoding, from, length)
	if bad, ok := errors.AsType[*textfile.DecodeError](err); ok && bad.Line == 0 && d.held {
		passed := tally(d.codeUnits(d.data[d.start:max(d.start, bad.Offset)]))
		known := *bad
		known.Line = passed.total() + 1
		return c, &known
	}
	return c, err
}

// chunkOfHeldUTF8 is chunk for UTF-8 in memory. It copies the text once. It returns false if the document is another one or is not valid
// UTF-8.
func (d *document) chunkOfHeldUTF8(from, length int64) (textfile.Chunk, bool) {
	if !d.held || d.encoding != textfile.UTF8 {
		return textfile.Chunk{}, false
	}
	from = min(max(from, d.start), d.size)
	to := d.runeBorder(from + min(length, d.size-from))
	from = d.runeBorder(from)
	text := d.data[from:max(from, to)]
	return textfile.Chunk{Content: string(text), Encoding: textfile.UTF8, Start: from, End: max(from, to)}, utf8.Valid(text)
}

// runeBorder moves an offset in UTF-8 to the next beginning of a character.
func (d *document) runeBorder(at int64) int64 {
	for n := 1; n < utf8.UTFMax && at < d.size && !utf8.RuneStart(d.data[at]); n++ {
		at++
	}
	return at
}

// chunkWithin returns the longest chunk of a range of bytes whose text takes at most budget bytes.
func (d *document) chunkWithin(from, length int64, budget int) (textfile.Chunk, error) {
	// Text in UTF-16 can have twice as many bytes in the file as in UTF-8.
	length = min(length, 2*int64(budget), d.size-from)
	whole, err := d.chunk(from, length)
	if err != nil || len(whole.Content) <= budget {
		return whole, err
	}
	if whole.Encoding == textfile.UTF8 { // in UTF-8 the text has the bytes of the file
		for !utf8.RuneStart(whole.Content[budget]) {
			budget--
		}
		whole.Content, whole.End = whole.Content[:budget], whole.Start+int64(budget)
		return whole, nil
	}
	var failed error
	n := sort.Search(int(length), func(n int) bool {
		c, err := d.chunk(from, int64(n))
		failed = errors.Join(failed, err)
		return len(c.Content) > budget
	})
	if failed != nil {
		return whole, failed
	}
	return d.chunk(from, int64(n-1))
}

// readBytes fills the result with a range of bytes.
func (d *document) readBytes(r request, result *ReadResult) error {
	asked := d.size - r.Offset
	if r.Length > 0 {
		asked = min(asked, r.Length)
	}
	c, err := d.chunkWithin(r.Offset, min(asked, d.limit), r.budget)
	if err != nil {
		return err
	}
	result.Content, result.Encoding, result.Offset = c.Content, c.Encoding.String(), c.Start
	result.Truncated = c.End < r.Offset+asked
	if c.End < d.size {
		result.NextOffset = c.End
	}
	return nil
}

// describeLines sets the line ends and the number of lines. The file must be held.
func (d *document) describeLines(result *ReadResult) {
	text := d.codeUnits(d.data[d.start:])
	ends := tally(text)
	result.EOL, result.TotalLines = ends.eol().String(), ends.lines(text)
}
