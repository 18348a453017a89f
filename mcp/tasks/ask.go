package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Ask implements protocol.Asker. It adds the questions to the task and waits until a client has answered
// all of them. Each question gets a key that is new in the task (extension
// io.modelcontextprotocol/tasks, "Task Update Requests").
func (t *running) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	keys := t.wireKeys(questions)
	changed := make(chan struct{}, 1)
	leave, err := t.runner.hub.follow(t.id, func(Record) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := t.persist(ctx, func(_ *Record, s *state) error {
		switch {
		case s.Status.Ended(), s.Cancel:
			return ErrCancelled
		case s.Requests == nil:
			s.Requests = make(map[string]protocol.InputRequest, len(questions))
		}
		for key, wire := range keys {
			s.Requests[wire] = questions[key]
		}
		s.updateStatus()
		return nil
	}); err != nil {
		return nil, err
	}
	for {
		answers, err := t.takeAnswers(ctx, keys)
		if answers != nil || err != nil {
			return answers, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.withdraw(keys)
			return nil, context.Cause(ctx)
		}
	}
}

// wireKeys returns the keys under which clients see the questions.
func (t *running) wireKeys(questions map[string]protocol.InputRequest) map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := make(map[string]string, len(questions))
	for _, key := range slices.Sorted(maps.Keys(questions)) {
		wire := key
		for i := 2; ; i++ {
			if _, used := t.used[wire]; !used {
				break
			}
			wire = key + "-" + strconv.Itoa(i)
		}
		t.used[wire] = struct{}{}
		keys[key] = wire
	}
	return keys
}

// retryDelay is the delay before a change is repeated after a failure of the store.
const retryDelay = time.Second

// errWaiting is the error of take for a missing answer.
var errWaiting = errors.New("an answer is missing")

// takeAnswers removes the answers from the task and returns them when all have arrived. It returns nil
// before.
func (t *running) takeAnswers(ctx context.Context, keys map[string]string) (map[string]json.RawMessage, error) {
	var taken map[string]json.RawMessage // from a failed update, which the store may have executed
	var refused error
	err := t.persist(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() || s.Cancel {
			return ErrCancelled
		}
		if (taken != nil || refused != nil) && !s.hasAny(keys) {
			return errUnchanged
		}
		answers := make(map[string]json.RawMessage, len(keys))
		taken, refused = nil, nil
		for key, wire := range keys {
			answer, there := s.Answers[wire]
			refusal, unwilling := s.Refusals[wire]
			switch {
			case unwilling:
				refused = errors.New(refusal)
			case !there:
				return errWaiting
			}
			answers[key] = answer
		}
		taken = answers
		s.removeQuestions(keys)
		return nil
	})
	switch {
	case errors.Is(err, errWaiting):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("waiting for an answer: %w", err)
	case refused != nil:
		return nil, refused
	}
	return taken, nil
}

// hasAny reports whether one of these questions is in the task, answered or not.
func (s *state) hasAny(keys map[string]string) bool {
	for _, wire := range keys {
		if _, open := s.Requests[wire]; open {
			return true
		}
		if _, answered := s.Answers[wire]; answered {
			return true
		}
		if _, refused := s.Refusals[wire]; refused {
			return true
		}
	}
	return false
}

// removeQuestions removes questions and their answers.
func (s *state) removeQuestions(keys map[string]string) {
	for _, wire := range keys {
		delete(s.Answers, wire)
		delete(s.Refusals, wire)
		delete(s.Requests, wire)
	}
	s.updateStatus()
}

// persist is change for changes that must not be lost. While the store fails, it repeats the change
// until ctx ends.
func (t *running) persist(ctx context.Context, f func(*Record, *state) error) error {
	for {
		_, err := t.change(ctx, f)
		switch {
		case err == nil, ctx.Err() != nil:
			return err
		case errors.Is(err, errWaiting), errors.Is(err, ErrCancelled), errors.Is(err, ErrNotFound), errors.Is(err, ErrFull):
			return err
		}
		t.runner.opts.Log.Warn("a question of a task could not be kept; it is tried again", "task", t.id, "error", err)
		if err := wait.Sleep(ctx, retryDelay); err != nil {
			return err
		}
	}
}

// withdraw removes questions whose answers are not needed any more.
func (t *running) withdraw(keys map[string]string) {
	ctx, cancel := backgroundContext()
	defer cancel()
	_, err := t.change(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() {
			return errUnchanged
		}
		s.removeQuestions(keys)
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.runner.opts.Log.Warn("a question of a task could not be withdrawn", "task", t.id, "error", err)
	}
}
