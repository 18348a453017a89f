package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// maxCompletions is the most values that an answer may have (2026-07-28,
// server/utilities/completion).
const maxCompletions = 100

// Completion is what may complete a value that somebody has begun to type, the
// best first (2026-07-28, server/utilities/completion).
type Completion struct {
	// Values are at most 100 on the wire; what is more is cut and HasMore set.
	Values []string
	// Total is how many there are altogether, 0 when not said.
	Total int
	// HasMore says that there are more than Values, even when nobody counted.
	HasMore bool
}

// CompleteResult is what completion/complete answers.
type CompleteResult struct {
	Completion Completion
	Meta       Meta

	server json.RawMessage // the server's identity, for _meta
}

// cut is the completion with no more values than the protocol allows.
func (c Completion) cut() Completion {
	if len(c.Values) > maxCompletions {
		c.Total = max(c.Total, len(c.Values))
		c.Values, c.HasMore = c.Values[:maxCompletions:maxCompletions], true
	}
	c.HasMore = c.HasMore || c.Total > len(c.Values)
	return c
}

// appendJSON appends the completion, which is the same in all revisions.
func (c Completion) appendJSON(dst []byte, _ Revision) []byte {
	c = c.cut()
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

// UnmarshalJSON reads a completion as any revision has it.
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

// MarshalJSON writes the completion as it is on the wire.
func (c Completion) MarshalJSON() ([]byte, error) { return c.appendJSON(nil, Latest), nil }

// AppendJSON implements Result.
func (r *CompleteResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(openResult(dst, rev), `"completion":`...)
	dst, err := appendResultMeta(r.Completion.appendJSON(dst, rev), r.Meta, r.server, rev)
	return append(dst, '}'), err
}

// UnmarshalJSON reads a result as any revision has it.
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
