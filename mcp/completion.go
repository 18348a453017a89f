package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxCompletions is the maximum number of values in a response (2026-07-28,
// server/utilities/completion).
const maxCompletions = 100

// Completion is a list of proposed values for a partly typed argument, the best first (2026-07-28,
// server/utilities/completion).
type Completion struct {
	// Values are the proposals. At most 100 are sent; with more, HasMore is set.
	Values []string
	// Total is the number of all proposals; 0 means unknown.
	Total int
	// HasMore means that there are more proposals than Values.
	HasMore bool
}

// CompleteResult is the result of completion/complete.
type CompleteResult struct {
	Completion Completion // Completion holds the proposed values.
	Meta       Meta       // Meta is the _meta of the result.

	server json.RawMessage // server identity, for _meta
}

// truncated returns c with at most maxCompletions values, and sets Total and HasMore accordingly.
func (c Completion) truncated() Completion {
	if len(c.Values) > maxCompletions {
		c.Total = max(c.Total, len(c.Values))
		c.Values, c.HasMore = c.Values[:maxCompletions:maxCompletions], true
	}
	c.HasMore = c.HasMore || c.Total > len(c.Values)
	return c
}

// appendJSON appends the completion; the format is the same in all revisions.
func (c Completion) appendJSON(dst []byte, _ protocol.Revision) []byte {
	c = c.truncated()
	dst = append(dst, `{"values":[`...)
	for i, value := range c.Values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonx.AppendQuoted(dst, value)
	}
	dst = append(dst, ']')
	if c.Total > 0 {
		dst = fmt.Appendf(dst, `,"total":%d`, c.Total)
	}
	if c.HasMore {
		dst = append(dst, `,"hasMore":true`...)
	}
	return append(dst, '}')
}

// UnmarshalJSON decodes a completion of any revision.
func (c *Completion) UnmarshalJSON(data []byte) error {
	var wire struct {
		Values  []string `json:"values"`
		Total   int      `json:"total"`
		HasMore bool     `json:"hasMore"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a completion: %w", err)
	}
	*c = Completion(wire)
	return nil
}

// MarshalJSON encodes the completion, with at most 100 values.
func (c Completion) MarshalJSON() ([]byte, error) { return c.appendJSON(nil, protocol.Latest), nil }

// AppendJSON implements protocol.Result.
func (r *CompleteResult) AppendJSON(dst []byte, rev protocol.Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"completion":`...)
	dst, err := appendResultMeta(r.Completion.appendJSON(dst, rev), r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// UnmarshalJSON decodes a result of any revision.
func (r *CompleteResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Completion Completion `json:"completion"`
		Meta       Meta       `json:"_meta"`
	}
	if err := unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading the result of completion/complete: %w", err)
	}
	*r = CompleteResult{Completion: wire.Completion, Meta: wire.Meta}
	return nil
}
