package record

import (
	"context"
	"unicode/utf8"
)

// Stream is a kind of what an agent writes.
type Stream string

// The streams.
const (
	Raw        Stream = "log"        // everything that the executor has printed, as it came
	Text       Stream = "text"       // what the assistant said, as people read it
	Diff       Stream = "diff"       // the changes of files that the stream tells of
	Stderr     Stream = "stderr"     // standard error, and lines that are no events
	Comparison Stream = "comparison" // what has changed from the start of a run to its end, as a comparison has found it; see Difference
)

// Outputs keeps what agents write, a bounded part of it: the newest stays, and offsets count what was dropped. It may be used
// concurrently.
type Outputs interface {
	// Append adds to a stream. It keeps no reference to p.
	Append(ctx context.Context, agentID string, s Stream, p []byte) error
	// Output reads from an offset on, a negative one from the end. Characters are not split. An agent that has
	// written nothing has an empty output.
	Output(ctx context.Context, agentID string, s Stream, offset int64, length int) (Output, error)
}

// Difference reads the changes of an agent: from Comparison, or from Diff if no comparison was made. compared tells which it is. A
// comparison is made at the end of a run, and says also that nothing has changed.
func Difference(ctx context.Context, o Outputs, agentID string, offset int64, length int) (out Output, compared bool, err error) {
	out, err = o.Output(ctx, agentID, Comparison, offset, length)
	if err != nil || out.Size > 0 {
		return out, err == nil, err
	}
	out, err = o.Output(ctx, agentID, Diff, offset, length)
	return out, false, err
}

// Output is a stretch of what an agent has written.
type Output struct {
	Text string
	// Offset is that of Text, Next that of what follows it, Size how much was written in all, in bytes.
	Offset, Next, Size int64
	// Dropped is how many bytes at Offset's request were not kept and left out.
	Dropped int64
}

// around is how many bytes before or after a place can belong to a character there.
const around = utf8.UTFMax - 1

// Stretch is what Outputs answer, from what they keep: size is how much was written in all, and read returns at most so
// many bytes from an offset on and where they really begin, later if what lies before is not kept; it may stop early where
// something is missing. Text is what was written, valid UTF-8 or not, but no character that is valid is split: it can be a
// few bytes longer than was asked for, and is empty as long as the next character is not whole.
func Stretch(size, offset int64, length int, read func(offset int64, n int) (p []byte, at int64)) Output {
	if offset < 0 {
		offset = max(0, size+offset)
	}
	offset = min(offset, size)
	o := Output{Offset: offset, Next: offset, Size: size}
	if length <= 0 || offset == size {
		return o
	}
	length = int(min(int64(length), size-offset, 1<<30))
	from := max(0, offset-around)
	wanted := int(offset-from) + length + 2*around
	p, at := read(from, wanted)
	if at < offset && int64(len(p)) <= offset-at { // what was kept ends before the offset
		p, at = read(offset, wanted)
	}
	// Of what ends in the middle of all, nothing more comes.
	comes := len(p) >= wanted || at+int64(len(p)) >= size
	if before := int(offset - at); before > 0 {
		inside := split(p, before)
		p, at = p[before+inside:], offset+int64(inside)
	} else {
		o.Dropped = at - offset
	}
	p = p[:whole(p, length, comes)]
	o.Text, o.Offset, o.Next = string(p), at, at+int64(len(p))
	return o
}

// split is how many bytes from i on belong to a character that begins before it.
func split(p []byte, i int) int {
	for begin := i - 1; begin >= 0 && begin >= i-around; begin-- {
		if utf8.RuneStart(p[begin]) {
			_, size := utf8.DecodeRune(p[begin:])
			return max(0, begin+size-i)
		}
	}
	return 0
}

// whole is how many of the first n bytes are whole characters, or more if they are but a part of one. A last character
// of which more comes is left out.
func whole(p []byte, n int, comes bool) int {
	n = min(n, len(p))
	for begin := n - 1; begin >= 0 && begin >= n-around; begin-- {
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
