package telemetry

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// maxUse bounds tokens and milliseconds of one use: more is a mistake.
const maxUse = 1_000_000_000_000

// TrackArgs are the arguments of track_token_usage: one use of a model.
type TrackArgs struct {
	// ModelName has characters that cannot be shown taken out, and is cut to 128 bytes.
	ModelName string `json:"modelName"`
	// InputTokens and OutputTokens are from 0 to 10¹².
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	// Duration is in milliseconds, from 0 to 10¹²; microseconds are kept.
	Duration float64 `json:"duration"`
}

// TrackResult is what is known of a model after a use of it.
type TrackResult struct {
	// Model is the name that the use is counted under: "other" when there are too many models.
	Model string `json:"model"`
	ModelUsage
}

// Tokens are counts of tokens.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// ModelUsage is what was tracked of one model.
type ModelUsage struct {
	Count  int64  `json:"count"`
	Tokens Tokens `json:"tokens"`
	// AverageDuration is in milliseconds.
	AverageDuration float64 `json:"averageDuration"`
}

func modelUsage(u usage) ModelUsage {
	return ModelUsage{Count: u.Count, Tokens: Tokens{u.Input, u.Output}, AverageDuration: u.average()}
}

// TextContent implements the text form of the answer.
func (t TrackResult) TextContent() string {
	return fmt.Sprintf("%s in all: %s, %d tokens in, %d out", t.Model, counted(t.Count, "use"), t.Tokens.Input, t.Tokens.Output)
}

// counted is a number with its noun.
func counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// TrackTokenUsage counts one use of a model. The error has the code INVALID_PARAMS.
func (t *Telemetry) TrackTokenUsage(ctx context.Context, args TrackArgs) (TrackResult, error) {
	name := cleanName(args.ModelName, maxName)
	switch {
	case name == "":
		return TrackResult{}, invalid("modelName has no character that can be shown", "give the name of the model")
	case args.InputTokens < 0 || args.InputTokens > maxUse:
		return TrackResult{}, outOfBounds("inputTokens", args.InputTokens)
	case args.OutputTokens < 0 || args.OutputTokens > maxUse:
		return TrackResult{}, outOfBounds("outputTokens", args.OutputTokens)
	case !(args.Duration >= 0 && args.Duration <= maxUse): // also what is no number
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
	return invalid(fmt.Sprintf("%s is %v; it must be from 0 to %d", what, value, int64(maxUse)), "give what this one use has taken")
}
