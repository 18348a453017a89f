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
)

const (
	// A server's poll interval is taken as at least and at most that.
	minPoll = 20 * time.Millisecond
	maxPoll = time.Minute
	// defaultPoll is how often a server is asked that does not say.
	defaultPoll = time.Second
	// maxFailures is how many times in a row a task may not be had before it is given
	// up.
	maxFailures = 5
	// abandonTime bounds the cancelling of a task that nobody waits for any more.
	abandonTime = 5 * time.Second
)

// Task is a call that goes on at a server. Its methods may be called concurrently.
type Task struct {
	client *mcp.Client

	mu      sync.Mutex
	last    Info                       // as it was seen last
	answers map[string]json.RawMessage // to its questions; nil once they are sent
}

// newTask reads the answer to a call.
func newTask(c *mcp.Client, created json.RawMessage) (*Task, error) {
	t := &Task{client: c}
	if err := json.Unmarshal(created, &t.last); err != nil {
		return nil, err
	}
	return t, nil
}

// ID is the task's id, by which Open finds it again; it is empty for a call that was
// answered at once.
func (t *Task) ID() string { return t.Last().ID }

// Last is the task as it was seen last.
func (t *Task) Last() Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Get asks the server how far the task is.
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

// Answer gives the task answers to its questions, by their keys. Questions of which
// the server has not heard are ignored by it.
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
		t.answers[key] = nil // so that it is not answered again
	}
	return nil
}

// Cancel asks the server to end the task. It may end with a result all the same, or
// later: Wait tells.
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

// Wait waits for the end of the task and returns what its tool has answered.
// Meanwhile the task's questions are answered by the functions of the client's
// options, each once. The error is the *mcp.Error that the task has failed with,
// ErrCancelled, or why it is not known what has become of it. When ctx ends the task
// goes on.
func (t *Task) Wait(ctx context.Context) (*mcp.ToolResult, error) {
	info, err := t.watch(ctx, nil)
	if err != nil {
		return nil, err
	}
	return info.Result()
}

// watch asks for the task until it has ended.
func (t *Task) watch(ctx context.Context, onChange func(Info)) (Info, error) {
	info := t.Last()
	if info.Status == InputRequired || info.Created.IsZero() && !info.Status.Ended() { // that was some time ago
		var err error
		if info, err = t.Get(ctx); err != nil {
			return info, fmt.Errorf("asking for the task: %w", err)
		}
	}
	if onChange != nil && info.ID != "" {
		onChange(info)
	}
	for failures := 0; !info.Status.Ended(); {
		unsent, err := t.reply(ctx, info)
		if err != nil {
			return info, err
		}
		if err := wait.For(ctx, interval(info.PollInterval)<<failures); err != nil {
			return info, context.Cause(ctx)
		}
		next, err := t.Get(ctx)
		if err = errors.Join(unsent, err); err != nil {
			var refused *mcp.Error
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

// interval is how long to wait before a task is asked for again.
func interval(poll time.Duration) time.Duration {
	if poll <= 0 {
		poll = defaultPoll
	}
	return min(max(poll, minPoll), maxPoll)
}

// reply answers the questions of a task that were not answered before. The error is
// that of answering; an answer that could not be sent is sent the next time.
func (t *Task) reply(ctx context.Context, info Info) (unsent, err error) {
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
	due := t.due()
	if len(due) == 0 {
		return nil, nil
	}
	return t.Answer(ctx, due), nil
}

// due are the answers that are not sent yet.
func (t *Task) due() map[string]json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := maps.Clone(t.answers)
	maps.DeleteFunc(due, func(_ string, answer json.RawMessage) bool { return answer == nil })
	return due
}

// abandon cancels the task of a call that is given up.
func (t *Task) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTime)
	defer cancel()
	_ = t.Cancel(ctx) // there is nobody to be told
}
