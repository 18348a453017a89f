package chunking

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// lookupPart finds a chunk like lookup, or by a part of its name or by words if they fit one function best. It is for reading
// only: others are the IDs of further functions with the part, which the caller may have meant.
func (c *Chunks) lookupPart(ctx context.Context, named string) (found chunk, others []string, err error) {
	found, others, err = c.lookup(ctx, named)
	missing, ok := errors.AsType[*mcp.ToolError](err)
	if !ok || missing.Code != codeChunkNotFound || strings.Contains(named, "#") {
		return found, others, err
	}
	return c.byPart(ctx, strings.TrimSpace(named), err)
}

// maxOthers is the maximum number of further functions that a read by a part of a name lists.
const maxOthers = 3

// byPart searches the functions of the index by a part of their name. It returns the error missing if there is none, and an
// AMBIGUOUS_CHUNK error if several fit equally well.
func (c *Chunks) byPart(ctx context.Context, part string, missing error) (chunk, []string, error) {
	hits, _, step := c.index.Snapshot().SearchBroadly(index.Query{Text: part, Callable: true, Limit: index.DefaultLimit})
	var best []index.Hit
	switch step {
	case index.ByName, index.BySubstring:
		const class, inside = 100, 200 // see index.Hit.Score
		hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Score < inside })
		best = slices.DeleteFunc(slices.Clone(hits), func(h index.Hit) bool { return h.Score/class != hits[0].Score/class })
	case index.ByParts:
		best = hits
	default:
		return chunk{}, nil, missing // the words fit badly
	}
	switch {
	case len(best) == 0:
		return chunk{}, nil, missing
	case len(best) > 1:
		return chunk{}, nil, c.severalChunks(ctx, part, best)
	}
	s, err := c.open(ctx, best[0].File.Path, "")
	if err != nil {
		return chunk{}, nil, err
	}
	found, err := s.find(best[0].File.ID(best[0].Chunk))
	if err != nil {
		return chunk{}, nil, err
	}
	var others []string
	for _, hit := range hits {
		if id := hit.File.ID(hit.Chunk); id != found.id() && len(others) < maxOthers {
			others = append(others, id)
		}
	}
	return found, others, nil
}
