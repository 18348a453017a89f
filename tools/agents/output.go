package agents

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// OutputArgs are the arguments of get_agent_output.
type OutputArgs struct {
	AgentID string `json:"agentId"`
	// Kind is log, the whole output of the program; text, the words of the assistant, which is the default; diff, the changes since
	// the agent has begun, however it did that; or stderr.
	Kind string `json:"kind,omitempty" jsonschema:"enum=log,enum=text,enum=diff,enum=stderr,default=text"`
	// Offset is where to begin, in bytes; from the end if it is negative.
	Offset int64 `json:"offset,omitempty" jsonschema:"description=Bytes; -N is the tail"`
	// Length bounds the bytes that are read. 0 is the budget of the set.
	Length int `json:"length,omitempty" jsonschema:"minimum=1"`
}

// OutputResult is what get_agent_output answers.
type OutputResult struct {
	AgentID string `json:"agentId"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	// Offset is that of Text, NextOffset where it goes on, and Size how much there is so far.
	Offset     int64 `json:"offset"`
	NextOffset int64 `json:"nextOffset"`
	Size       int64 `json:"size"`
	// Dropped is how many bytes before Offset were not kept.
	Dropped int64 `json:"dropped,omitempty"`
	// Running says that more may come.
	Running bool `json:"running,omitempty"`
	// Note says which parts Text lacks.
	Note string `json:"note,omitempty"`
}

// Output is get_agent_output.
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
		return OutputResult{}, invalid("Leave it out for the usual length.", "length is less than 0")
	}
	length := args.Length
	if length == 0 {
		length = a.limits.Answer
	}
	agent, err := a.visible(ctx, args.AgentID)
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

// read reads a part of the output of an agent, or of its changes.
func (a *Agents) read(ctx context.Context, agent *record.Agent, stream record.Stream, offset int64, length int) (out record.Output, note string, err error) {
	if stream != record.Diff {
		out, err = a.outputs.Output(ctx, agent.ID, stream, offset, length)
		return out, "", err
	}
	if text, ok := a.liveDifference(ctx, agent.ID); ok {
		return record.Stretch(int64(len(text)), offset, length, func(offset int64, n int) ([]byte, int64) {
			return []byte(text[offset:min(int(offset)+n, len(text))]), offset
		}), "", nil
	}
	out, compared, err := record.Difference(ctx, a.outputs, agent.ID, offset, length)
	switch {
	case compared || err != nil:
	case agent.StartedAt.IsZero():
		note = "the agent has not begun"
	case !agent.Status.Ended():
		note = "only changes that the agent has told of; the rest is compared when it has ended"
	default:
		note = "only changes that the agent has told of: what else has changed was not compared"
	}
	return out, note, err
}

// TextContent is a line about the stretch, and the stretch.
func (r OutputResult) TextContent() string {
	head := fmt.Sprintf("[%s of %s, bytes %d to %d of %d", r.Kind, r.AgentID, r.Offset, r.NextOffset, r.Size)
	if r.Running {
		head += ", still running"
	}
	if r.NextOffset < r.Size {
		head += fmt.Sprintf("; more from offset %d on", r.NextOffset)
	}
	if r.Dropped > 0 {
		head += fmt.Sprintf("; %d bytes before that were not kept", r.Dropped)
	}
	if r.Note != "" {
		head += "; " + r.Note
	}
	return head + "]\n" + r.Text
}
