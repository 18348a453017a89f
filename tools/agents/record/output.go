package record

import "context"

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
