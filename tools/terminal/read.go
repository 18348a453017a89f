package terminal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/internal/spool"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

// ReadOutputArgs are the arguments of read_process_output.
type ReadOutputArgs struct {
	ProcessID string `json:"processId"` // of execute_command or execute_build
	// Offset is the first byte of the stream to read. A negative offset counts from the end. nil continues after the last
	// answer about the stream.
	Offset *int64 `json:"offset,omitempty" jsonschema:"description=Bytes; -N is the tail; default: after the last answer"`
	// Length is the most bytes to read. 0 is the budget of the set.
	Length int `json:"length,omitempty" jsonschema:"minimum=1"`
	// WaitMs is the time in milliseconds to wait for new output or the end, if there is no new output.
	WaitMs int `json:"waitMs,omitempty" jsonschema:"minimum=0,maximum=50000,description=Wait this long for output or the end"`
	// Stream is stdout, stderr or both, in order of arrival. The default is both.
	Stream string `json:"stream,omitempty" jsonschema:"enum=both,enum=stdout,enum=stderr,default=both"`
	// KeepEscapes keeps escape sequences, for example of colours, in the output.
	KeepEscapes bool `json:"keepEscapes,omitempty"`
}

// OutputResult is the result of read_process_output and send_process_input.
type OutputResult struct {
	ProcessID string `json:"processId"`
	// Output is text, as in CommandResult.
	Output string `json:"output"`
	Stream string `json:"stream"`
	// Offset is the offset of Output in the stream, NextOffset that of the next read, in bytes. Output between the requested
	// offset and Offset was dropped.
	Offset     int64 `json:"offset"`
	NextOffset int64 `json:"nextOffset"`
	// Size is the size of the stream so far.
	Size int64 `json:"size"`
	// Truncated means that more output exists from NextOffset on.
	Truncated bool `json:"truncated,omitempty"`
	// Dropped is the number of dropped bytes before Offset.
	Dropped int64 `json:"dropped,omitempty"`
	// Running, ExitCode, Signal, TimedOut, LeftBehind and ExecutionTime are as in CommandResult.
	Running       bool   `json:"running,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Signal        string `json:"signal,omitempty"`
	TimedOut      bool   `json:"timedOut,omitempty"`
	LeftBehind    bool   `json:"leftBehind,omitempty"`
	ExecutionTime int64  `json:"executionTime"`
}

// minRead is the least number of bytes to read, so that an incomplete character at its end is always shorter.
const minRead = 2 * readable.MaxCut

// ReadOutput implements read_process_output.
func (t *Terminal) ReadOutput(ctx context.Context, args ReadOutputArgs) (OutputResult, error) {
	p, err := t.find(ctx, args.ProcessID)
	if err != nil {
		return OutputResult{}, err
	}
	wait, err := parseWait(args.WaitMs)
	if err != nil {
		return OutputResult{}, err
	}
	length, err := t.budget(args.Length)
	if err != nil {
		return OutputResult{}, err
	}
	view, err := viewOf(args.Stream)
	if err != nil {
		return OutputResult{}, err
	}
	from := p.seen(view)
	if args.Offset != nil {
		from = *args.Offset
	}
	if size := p.out.Size(view); from < 0 {
		from = max(0, size+from)
	} else if from > size {
		return OutputResult{}, problem(codeBadRange, "Leave offset out to continue after the last answer, or give a negative one for the tail.", "offset %d is behind the end: %s has %d bytes so far", from, viewNames[view], size)
	}
	if err := t.awaitNews(ctx, p, view, from, wait); err != nil {
		return OutputResult{}, err
	}
	return p.page(view, from, max(length, minRead), args.KeepEscapes, args.Offset != nil && *args.Offset < 0), nil
}

// codeBadRange is the code for an offset after the end.
const codeBadRange = "BAD_RANGE"

// viewOf returns the view of a stream name.
func viewOf(name string) (spool.View, error) {
	if name == "" {
		return spool.Both, nil
	}
	for view, known := range viewNames {
		if name == known {
			return view, nil
		}
	}
	return 0, invalid("Give both, stdout or stderr.", "there is no stream %s", quote(name))
}

// awaitNews waits until a view exceeds an offset or the process has ended.
func (t *Terminal) awaitNews(ctx context.Context, p *proc, view spool.View, from int64, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		news := p.out.News()
		if p.out.Size(view) > from || !p.state().running {
			return nil
		}
		select {
		case <-news:
		case <-p.over:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			p.reportProgress(ctx)
		}
	}
}

// page returns a part of a view. A tail begins with a complete line.
func (p *proc) page(view spool.View, from int64, length int, ansi, tail bool) OutputResult {
	s := p.state() // read before the output: after the end the output is complete
	r := OutputResult{
		ProcessID: p.id, Stream: viewNames[view], Running: s.running, ExitCode: s.exit.Code, Signal: s.exit.Signal,
		TimedOut: s.timedOut, LeftBehind: p.leftBehind(), ExecutionTime: s.took.Milliseconds(),
	}
	o := p.readable(view, ansi)
	if r.Size = p.out.Size(view); tail && r.Size-from <= int64(length) {
		r.Output, r.Offset, r.NextOffset = p.tail(view, r.Size, r.Size-from, o)
	} else {
		more, room := o.More, length
		for range 4 { // the text can be longer than its bytes
			raw, at := p.out.Read(view, from, length)
			o.Middle = at > 0
			o.More = more || at+int64(len(raw)) < r.Size
			text, start, n := readable.Text(raw, o)
			r.Output, r.Offset, r.Dropped = text, at+int64(start), at-from
			r.NextOffset = r.Offset + int64(n)
			if len(text) <= room {
				break
			}
			length = max(length*room/len(text), minRead)
		}
	}
	r.Truncated = r.Size-r.NextOffset > readable.MaxCut || !s.running && r.NextOffset < r.Size
	p.markSeen(view, r.NextOffset)
	return r
}

// TextContent returns the text for the model: a line about the process, and its output.
func (r OutputResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[process %s %s", r.ProcessID, r.stateText())
	if r.LeftBehind {
		b.WriteString(leftNote(r.ProcessID))
	}
	switch {
	case r.Output == "" && r.Running:
		b.WriteString("; nothing new")
	case r.Truncated:
		fmt.Fprintf(&b, "; bytes %d to %d of %d, more from offset %d on", r.Offset, r.NextOffset, r.Size, r.NextOffset)
	}
	if r.Dropped > 0 {
		fmt.Fprintf(&b, "; %d bytes before that were not kept", r.Dropped)
	}
	b.WriteString("]\n" + r.Output)
	return b.String()
}

// leftNote returns the note on background children of an ended process.
func leftNote(id string) string {
	return "; programs that it has started still run: kill_process " + id + " ends them"
}

func (r OutputResult) stateText() string {
	took := time.Duration(r.ExecutionTime) * time.Millisecond
	switch {
	case r.Running:
		return fmt.Sprintf("has run for %v", took)
	case r.TimedOut:
		return fmt.Sprintf("was ended by its timeout after %v", took)
	case r.Signal != "":
		return fmt.Sprintf("was ended by %s after %v", r.Signal, took)
	}
	return fmt.Sprintf("has ended with exit code %d after %v", r.ExitCode, took)
}
