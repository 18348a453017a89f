package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// journal holds the answers and step results of the earlier runs of a call. It travels to the
// client and back in the sealed requestState; the server stores nothing.
type journal struct {
	mu           sync.Mutex
	state        journalState                     // from the request state
	responses    map[string]json.RawMessage       // inputResponses of this request
	pending      map[string]protocol.InputRequest // questions without an answer, by key
	order        []string                         // keys of pending, in the order of the questions
	consentUsed  bool                             // this run has used the consent in the state
	firstRequest bool                             // the request has no request state: it is the first one
}

// journalState is the content of the sealed request state.
type journalState struct {
	Nonce   string                     `json:"n"` // unique id, by which a consent is marked as used
	Issuer  string                     `json:"i"` // server instance that sealed it
	Expires int64                      `json:"e"` // expiry, in Unix seconds
	Asked   map[string]string          `json:"q"` // digests of the questions that were asked, by key
	Answers map[string]json.RawMessage `json:"a"` // answers to questions of earlier runs, by key
	Steps   map[string]json.RawMessage `json:"s"` // results of Once, by key
}

// hasPendingQuestions reports whether a question of this run waits for its answer.
func (call *Invocation) hasPendingQuestions() bool {
	call.journal.mu.Lock()
	defer call.journal.mu.Unlock()
	return len(call.journal.pending) > 0
}

// replay returns the answers from the journal. If some are missing, it records their questions and
// returns ErrInputRequired.
func (call *Invocation) replay(ctx context.Context, questions []Question) ([]json.RawMessage, error) {
	j := &call.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	answers := make([]json.RawMessage, len(questions))
	missing := false
	for i, q := range questions {
		request := q.request(call.Request.Meta.Revision)
		digest := questionDigest(request)
		var err error
		if answers[i], err = j.answerTo(ctx, q, digest, call.server.sealer); err != nil {
			return nil, err
		}
		if answers[i] != nil {
			continue
		}
		missing = true
		if _, twice := j.pending[q.Key]; !twice {
			j.order = append(j.order, q.Key)
		}
		if j.pending == nil {
			j.pending = make(map[string]protocol.InputRequest)
		}
		j.pending[q.Key] = request
	}
	if missing {
		return nil, ErrInputRequired
	}
	return answers, nil
}

// answerTo returns the answer to the question with this digest, or nil. A first request may already
// contain answers to questions that the client expects; a consent is not accepted in advance.
func (j *journal) answerTo(ctx context.Context, q Question, digest string, seal *sealer) (json.RawMessage, error) {
	if j.state.Asked[q.Key] != digest && (!j.firstRequest || q.consent) {
		return nil, nil
	}
	got, ok := j.state.Answers[q.Key]
	if !ok {
		if got, ok = j.responses[q.Key]; !ok || q.check(got) != nil {
			return nil, nil
		}
	}
	if q.consent && !j.consentUsed {
		if fresh, err := seal.useConsent(ctx, &j.state); !fresh || err != nil {
			return nil, err
		}
		j.consentUsed = true
	}
	if j.state.Answers == nil {
		j.state.Answers = make(map[string]json.RawMessage)
	}
	if j.state.Asked == nil {
		j.state.Asked = make(map[string]string)
	}
	j.state.Answers[q.Key], j.state.Asked[q.Key] = got, digest
	return got, nil
}

// questionDigest returns a digest of the method and params of a question.
func questionDigest(request protocol.InputRequest) string {
	sum := sha256.Sum256(append([]byte(request.Method+"\x00"), request.Params...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Once runs f and records its result under key, so that a replay after a question returns the
// recorded result and does not run f again. In a call without replay it only runs f. The result
// must encode as JSON. All records and answers of a call together must be smaller than 64 KiB.
func Once[T any](ctx context.Context, key string, f func() (T, error)) (T, error) {
	call := CallFrom(ctx)
	if call == nil || !call.replayable {
		return f()
	}
	watchStep(ctx, key)
	j := &call.journal
	j.mu.Lock()
	raw, done := j.state.Steps[key]
	j.mu.Unlock()
	var v T
	if done {
		if err := unmarshal(raw, &v); err != nil {
			return v, fmt.Errorf("reading the recorded step %q: %w", key, err)
		}
		return v, nil
	}
	v, err := f()
	if err != nil {
		return v, err
	}
	if raw, err = marshal(nil, v); err != nil {
		return v, fmt.Errorf("recording the step %q: %w", key, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.Steps == nil {
		j.state.Steps = make(map[string]json.RawMessage)
	}
	j.state.Steps[key] = raw
	return v, nil
}
