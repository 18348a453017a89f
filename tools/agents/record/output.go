package record

import (
	"context"
	"unicode/utf8"
)

// Stream is a kind of output of an agent.
type Stream string

// The streams.
const (
	Raw        Stream = "log"        // the unchanged output of the program
	Text       Stream = "text"       // the messages of the assistant
	Diff       Stream = "diff"       // the file changes that events report
	Stderr     Stream = "stderr"     // standard error, and output lines that are no events
	Comparison Stream = "comparison" // the changes between start and end of the run; see ReadDifference
)

// Outputs keeps the newest part of the output of agents. Offsets count from the first byte ever
// written, including bytes that are no longer stored. It is safe for concurrent use.
type Outputs interface {
	// Append adds p to a stream. It keeps no reference to p.
	Append(ctx context.Context, agentID string, s Stream, p []byte) error
	// Output returns a range of a stream, from offset on. A negative offset counts from the end.
	// Characters are not split. The output of an unknown agent is empty.
	Output(ctx context.Context, agentID string, s Stream, offset int64, length int) (Output, error)
}

// ReadDifference reads the file changes of an agent: from Comparison, or from Diff if no comparison
// was made; compared reports which one. A comparison is made at the end of a run, and is never
// empty.
func ReadDifference(ctx context.Context, o Outputs, agentID string, offset int64, length int) (out Output, compared bool, err error) {
	out, err = o.Output(ctx, agentID, Comparison, offset, length)
	if err != nil || out.Size > 0 {
		return out, err == nil, err
	}
	out, err = o.Output(ctx, agentID, Diff, offset, length)
	return out, false, err
}

// Output is a range of a stream.
type Output struct {
	// Text is the content. It is valid UTF-8 if the agent wrote valid UTF-8.
	Text string
	// Offset is the position of Text, Next the position after it, and Size the total number of
	// bytes written.
	Offset, Next, Size int64
	// Dropped is the number of bytes between the requested offset and Offset that are no longer
	// stored.
	Dropped int64
}

// maxPartialRune is the largest number of bytes of an incomplete character.
const maxPartialRune = utf8.UTFMax - 1

// ReadRange returns the result of Outputs.Output for an implementation. size is the number of bytes
// written. read returns at most n bytes from offset on and the position of the first one, which is
// later if older bytes are no longer stored. Text can exceed length by a few bytes to complete a
// character. It is empty while the next character is incomplete.
func ReadRange(size, offset int64, length int, read func(offset int64, n int) (p []byte, at int64)) Output {
	if offset < 0 {
		offset = max(0, size+offset)
	}
	offset = min(offset, size)
	o := Output{Offset: offset, Next: offset, Size: size}
	if length <= 0 || offset == size {
		return o
	}
	length = int(min(int64(length), size-offset, 1<<30))
	from := max(0, offset-maxPartialRune)
	wanted := int(offset-from) + length + 2*maxPartialRune
	p, at := read(from, wanted)
	if at < offset && int64(len(p)) <= offset-at { // the stored part ends before the offset
		p, at = read(offset, wanted)
	}
	// If read stopped early before the end, the missing bytes never come.
	comes := len(p) >= wanted || at+int64(len(p)) >= size
	if before := int(offset - at); before > 0 {
		inside := continuationBytes(p, before)
		p, at = p[before+inside:], offset+int64(inside)
	} else {
		o.Dropped = at - offset
	}
	p = p[:runeBoundary(p, length, comes)]
	o.Text, o.Offset, o.Next = string(p), at, at+int64(len(p))
	return o
}

// continuationBytes returns the number of bytes from i on that belong to a character that begins
// before i.
func continuationBytes(p []byte, i int) int {
	for begin := i - 1; begin >= 0 && begin >= i-maxPartialRune; begin-- {
		if utf8.RuneStart(p[begin]) {
			_, size := utf8.DecodeRune(p[begin:])
			return max(0, begin+size-i)
		}
	}
	return 0
}

// runeBoundary returns how many of the first n bytes to return without splitting a character. The
// result exceeds n if the first character does. comes reports that more bytes follow p; an
// incomplete last character is then omitted.
func runeBoundary(p []byte, n int, comes bool) int {
	n = min(n, len(p))
	for begin := n - 1; begin >= 0 && begin >= n-maxPartialRune; begin-- {
		if !utf8.RuneStart(p[begin]) {
			continue
		}
		_, size := utf8.DecodeRune(p[begin:])
		switch {
		case comes && !utf8.FullRune(p[begin:]):
			return begin
		case begin+size <= n:
			return n
		case begin > 0:
			return begin
		}
		return size
	}
	return n
}
