package chunking

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// GetChunksArgs are the arguments of get_chunks.
type GetChunksArgs struct {
	// ChunkIDs are IDs or names as get_chunk accepts them, at most 50.
	ChunkIDs []string `json:"chunkIds" jsonschema:"minItems=1,maxItems=50"`
}

// maxChunkIDs is the maximum number of chunks of a call of get_chunks.
const maxChunkIDs = 50

// ChunksResult is the result of get_chunks.
type ChunksResult struct {
	// Chunks are the chunks in the order of the request. Their texts together fit in one answer.
	Chunks []ChunkResult `json:"chunks"`
	// Failed are the requested chunks that could not be read.
	Failed []FailedChunk `json:"failed,omitempty"`
	// Remaining are the IDs of the chunks that do not fit, for another call.
	Remaining []string `json:"remaining,omitempty"`
}

// FailedChunk is a chunk that get_chunks could not read.
type FailedChunk struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// ChunksByID implements the tool get_chunks. A chunk that does not fit in the answer is
// left for the next call; only the first one is cut. A chunk is read once, even if the
// request names it twice. It fails if no chunk can be read.
func (c *Chunks) ChunksByID(ctx context.Context, args GetChunksArgs) (ChunksResult, error) {
	if len(args.ChunkIDs) == 0 || len(args.ChunkIDs) > maxChunkIDs {
		return ChunksResult{}, invalid("Give 1 to 50 ids of chunks.", "there are %d chunkIds", len(args.ChunkIDs))
	}
	r := ChunksResult{Chunks: []ChunkResult{}}
	room := c.limits.Answer
	var seen []string
	var first error
	for i, id := range args.ChunkIDs {
		if room <= 0 {
			r.Remaining = append(r.Remaining, args.ChunkIDs[i:]...)
			break
		}
		found, _, err := c.lookup(ctx, id)
		if err == nil && slices.Contains(seen, found.id()) {
			continue
		}
		if err == nil && len(r.Chunks) > 0 && len(c.members(found)) == 0 && len(found.code()) > room {
			r.Remaining = append(r.Remaining, found.id())
			continue
		}
		var read ChunkResult
		if err == nil {
			read, err = c.read(ctx, found, false, "")
		}
		if err != nil {
			if ctx.Err() != nil {
				return ChunksResult{}, err
			}
			if first == nil {
				first = err
			}
			r.Failed = append(r.Failed, FailedChunk{ID: id, Error: errorText(err)})
			continue
		}
		c.shortenChunk(ctx, &read)
		seen = append(seen, read.ID)
		r.Chunks = append(r.Chunks, read)
		room -= len(read.TextContent())
	}
	if len(r.Chunks) == 0 {
		return ChunksResult{}, first
	}
	return r, nil
}

// errorText returns the message of an error and the next step.
func errorText(err error) string {
	if bad, ok := errors.AsType[*mcp.ToolError](err); ok && bad.Next != "" {
		return bad.Message + ". " + bad.Next
	}
	return err.Error()
}

// TextContent returns the chunks, each below a line with its short ID, file and lines.
func (r ChunksResult) TextContent() string {
	var b strings.Builder
	for i := range r.Chunks {
		c := &r.Chunks[i]
		note := *c
		note.byName = false
		b.WriteString("[" + c.place() + "]\n" + strings.TrimRight(c.TextContent(), "\n") + "\n")
		if more := note.TextNote(); more != "" {
			b.WriteString(strings.ReplaceAll(more, "continue with cursor=", "get_chunk continues with cursor=") + "\n")
		}
	}
	for _, f := range r.Failed {
		b.WriteString("[" + f.ID + ": " + f.Error + "]\n")
	}
	if len(r.Remaining) > 0 {
		b.WriteString("[left for another call: " + strings.Join(r.Remaining, ", ") + "]\n")
	}
	return b.String()
}
