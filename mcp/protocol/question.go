package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// InputRequest is a question in the form of a request to the client.
type InputRequest struct {
	Method string          `json:"method"`           // Method is elicitation/create, sampling/createMessage or roots/list.
	Params json.RawMessage `json:"params,omitempty"` // Params are the params of the method.
}

// Asker sends questions to a client and waits for the answers.
type Asker interface {
	// Ask returns one answer for each question, under the same key.
	Ask(ctx context.Context, questions map[string]InputRequest) (map[string]json.RawMessage, error)
}

// InputRequired is a result with questions. The client sends the request again with the answers
// (2026-07-28, basic/patterns/mrtr).
type InputRequired struct {
	Requests map[string]InputRequest // Requests holds the questions by key.
	// State is the request state. The client returns it unchanged with the answers.
	State string

	// Order lists the keys of Requests in the order of the questions. Default: sorted.
	Order []string
}

// AppendJSON implements Result.
func (r *InputRequired) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"input_required"`...)
	if len(r.Requests) > 0 {
		var err error
		dst, err = jsonx.AppendMembers(append(dst, `,"inputRequests":`...), r.keys(), func(dst []byte, key string) ([]byte, error) {
			dst, err := jsonx.AppendValue(dst, r.Requests[key])
			if err != nil {
				return dst, fmt.Errorf("encoding question %q: %w", key, err)
			}
			return dst, nil
		})
		if err != nil {
			return dst, err
		}
	}
	dst = jsonx.AppendOptional(dst, "requestState", r.State)
	return append(dst, '}'), nil
}

// keys returns the keys in the order in which they are encoded.
func (r *InputRequired) keys() []string {
	if len(r.Order) == len(r.Requests) {
		return r.Order
	}
	return slices.Sorted(maps.Keys(r.Requests))
}
