package agents

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// OutputArgs are the arguments of get_agent_output.
type OutputArgs struct {
	AgentID string `json:"agentId"`
	// Kind is "text", the messages of the assistant (the default); "log", the complete output of
	// the program; "diff", the changed files; or "stderr".
	Kind string `json:"kind,omitempty" jsonschema:"enum=log,enum=text,enum=diff,enum=stderr,default=text"`
	// Offset is the first byte; a negative value counts from the end.
	Offset int64 `json:"offset,omitempty" jsonschema:"description=Bytes; -N is the tail"`
	// Length is the largest number of bytes. 0 is the answer budget.
	Length int `json:"length,omitempty" jsonschema:"minimum=1"`
}

// OutputResult is the result of get_agent_output.
type OutputResult struct {
	AgentID string `json:"agentId"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	// Offset is the position of Text, NextOffset the position after it, and Size the total size so
	// far, in bytes.
	Offset     int64 `json:"offset"`
	NextOffset int64 `json:"nextOffset"`
	Size       int64 `json:"size"`
	// Dropped is the number of bytes before Offset that are no longer stored.
	Dropped int64 `json:"dropped,omitempty"`
	// Running reports that the agent has not ended.
	Running bool `json:"running,omitempty"`
	// Note names the content that Text lacks.
	Note string `json:"note,omitempty"`
}

// Output implements get_agent_output.
func (a *Agents) Output(ctx context.Context, args OutputArgs) (OutputResult, error) {
	stream := record.Stream(args.Kind)
	switch stream {
	case "":
		stream = record.Text
	case record.Raw, record.Text, record.Diff, record.Stderr:
	default:
		return OutputResult{}, invalid("Give log, text, diff or stderr.", "there is no kind %s", quote(args.Kind))
	}
	if args.Length < 0 {
		return OutputResult{}, invalid("Leave it out for the default length.", "length is less than 0")
	}
	length := args.Length
	if length == 0 {
		length = a.limits.Answer
	}
	agent, err := a.visibleAgent(ctx, args.AgentID)
	if err != nil {
		return OutputResult{}, err
	}
	out, note, err := a.read(ctx, &agent, stream, args.Offset, min(length, a.limits.MaxAnswer))
	if err != nil {
		return OutputResult{}, broken(err, "the output of %s was not read", agent.ID)
	}
	return OutputResult{
		Note:    note,
		AgentID: agent.ID, Kind: string(stream), Text: out.Text, Offset: out.Offset, NextOffset: out.Next, Size: out.Size,
		Dropped: out.Dropped, Running: !agent.Status.Ended(),
	}, nil
}

// read reads a range of an output stream, or of the diff of an agent.
func (a *Agents) read(ctx context.Context, agent *record.Agent, stream record.Stream, offset int64, length int) (out record.Output, note string, err error) {
	if stream != record.Diff {
		out, err = a.outputs.Output(ctx, agent.ID, stream, offset, length)
		return out, "", err
	}
	if text, ok := a.liveDifference(ctx, agent.ID); ok {
		return record.ReadRange(int64(len(text)), offset, length, func(offset int64, n int) ([]byte, int64) {
			return []byte(text[offset:min(int(offset)+n, len(text))]), offset
		}), "", nil
	}
	out, compared, err := record.ReadDifference(ctx, a.outputs, agent.ID, offset, length)
	switch {
	case compared || err != nil:
	case agent.StartedAt.IsZero():
		note = "the agent has not started"
	case !agent.Status.Ended():
		note = "only changes that the agent reported; all changes are compared when it ends"
	default:
		note = "only changes that the agent reported; the files were not compared"
	}
	return out, note, err
}

// TextContent returns a line on the range, and the text.
func (r OutputResult) TextContent() string {
	head := fmt.Sprintf("[%s of %s, bytes %d to %d of %d", r.Kind, r.AgentID, r.Offset, r.NextOffset, r.Size)
	if r.Running {
		head += ", still running"
	}
	if r.NextOffset < r.Size {
		head += fmt.Sprintf("; more from offset %d on", r.NextOffset)
	}
	if r.Dropped > 0 {
		head += fmt.Sprintf("; %d bytes before this range are no longer stored", r.Dropped)
	}
	if r.Note != "" {
		head += "; " + r.Note
	}
	return head + "]\n" + r.Text
}
