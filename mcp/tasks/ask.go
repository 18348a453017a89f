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
	"github.com/dougu-go/dougu/mcp"
)

// Ask implements mcp.Asker: the questions are open in the task until whoever looks
// after it answers them. Each gets a key that the task has never had before
// (extension io.modelcontextprotocol/tasks, "Task Update Requests").
func (t *running) Ask(ctx context.Context, questions map[string]mcp.InputRequest) (map[string]json.RawMessage, error) {
	keys := t.keys(questions)
	changed := make(chan struct{}, 1)
	leave, err := t.r.hub.follow(t.id, func(Record) {
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
			s.Requests = make(map[string]mcp.InputRequest, len(questions))
		}
		for key, wire := range keys {
			s.Requests[wire] = questions[key]
		}
		s.settle()
		return nil
	}); err != nil {
		return nil, err
	}
	for {
		answers, err := t.take(ctx, keys)
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

// keys are the keys of questions as clients see them.
func (t *running) keys(questions map[string]mcp.InputRequest) map[string]string {
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

// askAgain is how long a question waits for a store that cannot be reached.
const askAgain = time.Second

// errWaiting says that an answer is missing.
var errWaiting = errors.New("an answer is missing")

// take takes the answers out of the task, once all are there; else it returns
// nothing.
func (t *running) take(ctx context.Context, keys map[string]string) (map[string]json.RawMessage, error) {
	var taken map[string]json.RawMessage // by a try of which it is not known what has become
	var refused error
	err := t.persist(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() || s.Cancel {
			return ErrCancelled
		}
		if (taken != nil || refused != nil) && !s.asks(keys) {
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
		s.forget(keys)
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

// asks reports whether one of these questions is open.
func (s *state) asks(keys map[string]string) bool {
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

// forget takes questions and their answers away.
func (s *state) forget(keys map[string]string) {
	for _, wire := range keys {
		delete(s.Answers, wire)
		delete(s.Refusals, wire)
		delete(s.Requests, wire)
	}
	s.settle()
}

// persist is change for what a user may be at work on: while the store cannot be
// reached, it is tried again until ctx ends.
func (t *running) persist(ctx context.Context, f func(*Record, *state) error) error {
	for {
		_, err := t.change(ctx, f)
		switch {
		case err == nil, ctx.Err() != nil:
			return err
		case errors.Is(err, errWaiting), errors.Is(err, ErrCancelled), errors.Is(err, ErrNotFound), errors.Is(err, ErrFull):
			return err
		}
		t.r.opts.Log.Warn("a question of a task could not be kept; it is tried again", "task", t.id, "error", err)
		if err := wait.For(ctx, askAgain); err != nil {
			return err
		}
	}
}

// withdraw takes back questions that nobody waits for any more.
func (t *running) withdraw(keys map[string]string) {
	ctx, cancel := detached()
	defer cancel()
	_, err := t.change(ctx, func(_ *Record, s *state) error {
		if s.Status.Ended() {
			return errUnchanged
		}
		s.forget(keys)
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.r.opts.Log.Warn("a question of a task could not be withdrawn", "task", t.id, "error", err)
	}
}
