package telemetry

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// maxUse is the largest number of tokens or milliseconds of one use. Larger numbers are rejected as
// mistakes.
const maxUse = 1_000_000_000_000

// TrackArgs are the arguments of track_token_usage: one use of a model.
type TrackArgs struct {
	// ModelName is the name of the model. Unprintable characters are removed, and the rest is
	// truncated to 128 bytes.
	ModelName string `json:"modelName"`
	// InputTokens and OutputTokens are numbers from 0 to 10¹².
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	// Duration is in milliseconds, from 0 to 10¹², with microsecond precision.
	Duration float64 `json:"duration"`
}

// TrackResult is the sum for a model after the tracked use.
type TrackResult struct {
	// Model is the name under which the use is counted: "other" if there are already 1,000 models.
	Model string `json:"model"`
	ModelUsage
}

// Tokens has numbers of tokens.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// ModelUsage is the tracked usage of one model.
type ModelUsage struct {
	// Count is the number of uses.
	Count int64 `json:"count"`
	// Tokens is the sum over all uses.
	Tokens Tokens `json:"tokens"`
	// AverageDuration is the mean per use, in milliseconds.
	AverageDuration float64 `json:"averageDuration"`
}

func modelUsage(u usage) ModelUsage {
	return ModelUsage{Count: u.Count, Tokens: Tokens{u.Input, u.Output}, AverageDuration: u.average()}
}

// TextContent returns the text form of the result, one line.
func (t TrackResult) TextContent() string {
	return fmt.Sprintf("%s in all: %s, %d tokens in, %d out", t.Model, pluralize(t.Count, "use"), t.Tokens.Input, t.Tokens.Output)
}

// pluralize formats a number and a noun, with the plural "s" if needed.
func pluralize[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// TrackTokenUsage counts one use of a model. Invalid arguments return an error with the code
// INVALID_PARAMS.
func (t *Telemetry) TrackTokenUsage(ctx context.Context, args TrackArgs) (TrackResult, error) {
	name := cleanName(args.ModelName, maxName)
	switch {
	case name == "":
		return TrackResult{}, invalid("modelName has no printable character", "give the name of the model")
	case args.InputTokens < 0 || args.InputTokens > maxUse:
		return TrackResult{}, outOfBounds("inputTokens", args.InputTokens)
	case args.OutputTokens < 0 || args.OutputTokens > maxUse:
		return TrackResult{}, outOfBounds("outputTokens", args.OutputTokens)
	case !(args.Duration >= 0 && args.Duration <= maxUse): // the negation also rejects NaN
		return TrackResult{}, outOfBounds("duration", args.Duration)
	}
	r := t.recorder
	use := usage{Count: 1, Input: args.InputTokens, Output: args.OutputTokens, Micros: int64(math.Round(args.Duration * 1_000))}
	own := r.principalRecorder(ctx)
	model, sum := r.track(mcp.CallFrom(ctx), name, use)
	if own != nil {
		model, sum = own.track(mcp.CallFrom(ctx), name, use)
	}
	return TrackResult{Model: model, ModelUsage: modelUsage(sum)}, nil
}

// track counts one use of a model in the session of a call.
func (r *Recorder) track(call *mcp.Invocation, model string, use usage) (string, usage) {
	first := !r.sessions.activate(call, time.Since(r.began)).tracks.Swap(true)
	return r.ledger.track(model, use, first)
}

func invalid(message, next string) error {
	return &mcp.ToolError{Code: codeInvalid, Message: message, Next: next}
}

func outOfBounds(what string, value any) error {
	return invalid(fmt.Sprintf("%s is %v; it must be from 0 to %d", what, value, int64(maxUse)), "give the value of this one use")
}
