package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// journal is what a call that is run again remembers of its earlier rounds. It
// travels sealed in requestState; a server keeps nothing.
type journal struct {
	mu        sync.Mutex
	state     journalState
	responses map[string]json.RawMessage // of this round
	pending   map[string]InputRequest    // asked in this round
	order     []string
	spent     bool // the consent in the state was used by this round
	unasked   bool // the request is no later round: it came without a state
}

// journalState is the sealed part.
type journalState struct {
	Nonce   string                     `json:"n"`
	Issuer  string                     `json:"i"` // the instance that has sealed it
	Expires int64                      `json:"e"` // Unix seconds
	Asked   map[string]string          `json:"q"` // digest of each question that was put, by key
	Answers map[string]json.RawMessage `json:"a"` // to questions of earlier rounds
	Steps   map[string]json.RawMessage `json:"s"` // results of Once
}

// asked reports whether a question of this round waits for its answer.
func (call *Invocation) asked() bool {
	call.journal.mu.Lock()
	defer call.journal.mu.Unlock()
	return len(call.journal.pending) > 0
}

// replay answers from the journal, or puts down what is missing.
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
		if answers[i], err = j.answer(ctx, q, digest, call.server.seal); err != nil {
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
			j.pending = make(map[string]InputRequest)
		}
		j.pending[q.Key] = request
	}
	if missing {
		return nil, ErrInputRequired
	}
	return answers, nil
}

// answer returns the answer to exactly this question, or nil. A client that
// knows what it will be asked may answer in its first request; consent it cannot
// give in advance.
func (j *journal) answer(ctx context.Context, q Question, digest string, seal *sealer) (json.RawMessage, error) {
	if j.state.Asked[q.Key] != digest && (!j.unasked || q.consent) {
		return nil, nil
	}
	got, ok := j.state.Answers[q.Key]
	if !ok {
		if got, ok = j.responses[q.Key]; !ok || q.check(got) != nil {
			return nil, nil
		}
	}
	if q.consent && !j.spent {
		if fresh, err := seal.spend(ctx, &j.state); !fresh || err != nil {
			return nil, err
		}
		j.spent = true
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

func questionDigest(request InputRequest) string {
	sum := sha256.Sum256(append([]byte(request.Method+"\x00"), request.Params...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Once runs f and records its result under key, so that the rounds that follow
// a question do not run it again. Outside a call that is run again it just runs
// f. The result must encode as JSON and count in bytes: all of a call's records
// and answers together must stay under 64 KiB.
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

// InputRequired ends a request that waits for answers (2026-07-28,
// basic/patterns/mrtr).
type InputRequired struct {
	Requests map[string]InputRequest
	// State is given back by the client, byte for byte, with the answers.
	State string

	order []string
}

// AppendJSON implements Result.
func (r *InputRequired) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"input_required"`...)
	if len(r.Requests) > 0 {
		var err error
		dst, err = jsonx.AppendMembers(append(dst, `,"inputRequests":`...), r.keys(), func(dst []byte, key string) ([]byte, error) {
			dst, err := marshal(dst, r.Requests[key])
			if err != nil {
				return dst, fmt.Errorf("encoding question %q: %w", key, err)
			}
			return dst, nil
		})
		if err != nil {
			return dst, err
		}
	}
	dst = appendOptional(dst, "requestState", r.State)
	return append(dst, '}'), nil
}

// keys are in the order in which the questions were asked, where it is known.
func (r *InputRequired) keys() []string {
	if len(r.order) == len(r.Requests) {
		return r.order
	}
	return sortedKeys(r.Requests)
}
