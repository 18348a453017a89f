package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// minPoll and maxPoll limit the poll interval of a server.
	minPoll = 20 * time.Millisecond
	maxPoll = time.Minute
	// defaultPoll is the poll interval if the server requests none.
	defaultPoll = time.Second
	// maxFailures limits the consecutive failures of requests for the state of a task.
	maxFailures = 5
	// abandonTimeout limits the cancellation of an abandoned task.
	abandonTimeout = 5 * time.Second
)

// Task is a call that runs at a server as a task. Its methods may be called concurrently.
type Task struct {
	client *mcp.Client

	mu      sync.Mutex
	last    Info                       // last known state
	answers map[string]json.RawMessage // answers to its questions, by key; nil once sent
}

// newTask decodes the response to a call.
func newTask(c *mcp.Client, created json.RawMessage) (*Task, error) {
	t := &Task{client: c}
	if err := json.Unmarshal(created, &t.last); err != nil {
		return nil, err
	}
	return t, nil
}

// ID returns the id of the task, for Open. It is empty for a call without a task.
func (t *Task) ID() string { return t.Last().ID }

// Last returns the last known state of the task, without a request.
func (t *Task) Last() Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Get requests the state of the task.
func (t *Task) Get(ctx context.Context) (Info, error) {
	last := t.Last()
	if last.Status.Ended() {
		return last, nil
	}
	raw, err := t.request(ctx, "tasks/get", nil)
	if err != nil {
		return Info{}, err
	}
	var info Info
	if err := json.Unmarshal(raw, &info); err != nil {
		return Info{}, err
	}
	if info.ID != last.ID {
		return Info{}, fmt.Errorf("the server answers with the task %q to a question about %q", info.ID, last.ID)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = info
	return info, nil
}

// Answer sends answers to the task's questions, by key. The server ignores unknown keys.
func (t *Task) Answer(ctx context.Context, answers map[string]json.RawMessage) error {
	if _, err := t.request(ctx, "tasks/update", map[string]any{"inputResponses": answers}); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answers == nil {
		t.answers = make(map[string]json.RawMessage, len(answers))
	}
	for key := range answers {
		t.answers[key] = nil // prevents a second answer
	}
	return nil
}

// Cancel asks the server to end the task. The task may still complete with a result; Wait returns
// the outcome.
func (t *Task) Cancel(ctx context.Context) error {
	if t.Last().Status.Ended() {
		return nil
	}
	_, err := t.request(ctx, "tasks/cancel", nil)
	return err
}

// request sends a request about the task.
func (t *Task) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	all := map[string]any{"taskId": t.ID()}
	maps.Copy(all, params)
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encoding the params of %s: %w", method, err)
	}
	return t.client.Request(ctx, method, raw, nil)
}

// Wait waits for the end of the task and returns the result of its tool. Meanwhile the functions of
// the client's options answer the task's questions, each question once. The error is the *protocol.Error
// of a failed task, ErrCancelled, or the failure of a request. When ctx ends, the task continues.
func (t *Task) Wait(ctx context.Context) (*mcp.ToolResult, error) {
	info, err := t.watch(ctx, nil)
	if err != nil {
		return nil, err
	}
	return info.Result()
}

// watch requests the state of the task until it ends. onChange, if not nil, receives the first and
// each changed state.
func (t *Task) watch(ctx context.Context, onChange func(Info)) (Info, error) {
	info := t.Last()
	if info.Status == InputRequired || info.Created.IsZero() && !info.Status.Ended() { // the last known state may be outdated
		var err error
		if info, err = t.Get(ctx); err != nil {
			return info, fmt.Errorf("asking for the task: %w", err)
		}
	}
	if onChange != nil && info.ID != "" {
		onChange(info)
	}
	for failures := 0; !info.Status.Ended(); {
		unsent, err := t.sendAnswers(ctx, info)
		if err != nil {
			return info, err
		}
		if err := wait.Sleep(ctx, interval(info.PollInterval)<<failures); err != nil {
			return info, context.Cause(ctx)
		}
		next, err := t.Get(ctx)
		if err = errors.Join(unsent, err); err != nil {
			var refused *protocol.Error
			if failures++; errors.As(err, &refused) || errors.Is(err, mcp.ErrClosed) || ctx.Err() != nil || failures > maxFailures {
				return info, fmt.Errorf("asking for the task: %w", err)
			}
			continue
		}
		failures = 0
		if onChange != nil && (next.Status != info.Status || !next.Updated.Equal(info.Updated) || next.Message != info.Message) {
			onChange(next)
		}
		info = next
	}
	return info, nil
}

// interval returns the delay before the next request, for a poll interval of the server.
func interval(poll time.Duration) time.Duration {
	if poll <= 0 {
		poll = defaultPoll
	}
	return min(max(poll, minPoll), maxPoll)
}

// sendAnswers answers the new questions of a task. err is a failure to answer. unsent is a failure to
// send; the answers are sent again next time.
func (t *Task) sendAnswers(ctx context.Context, info Info) (unsent, err error) {
	for _, key := range slices.Sorted(maps.Keys(info.Requests)) {
		t.mu.Lock()
		_, done := t.answers[key]
		t.mu.Unlock()
		if done {
			continue
		}
		answer, err := t.client.Answer(ctx, info.Requests[key])
		if err != nil {
			return nil, fmt.Errorf("answering the question %q: %w", key, err)
		}
		t.mu.Lock()
		if t.answers == nil {
			t.answers = make(map[string]json.RawMessage)
		}
		t.answers[key] = answer
		t.mu.Unlock()
	}
	due := t.unsentAnswers()
	if len(due) == 0 {
		return nil, nil
	}
	return t.Answer(ctx, due), nil
}

// unsentAnswers returns the answers that are not sent yet.
func (t *Task) unsentAnswers() map[string]json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := maps.Clone(t.answers)
	maps.DeleteFunc(due, func(_ string, answer json.RawMessage) bool { return answer == nil })
	return due
}

// cancelAbandoned cancels the task of an abandoned call.
func (t *Task) cancelAbandoned(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	_ = t.Cancel(ctx) // the caller has left
}
