package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Execute has the server run a command, and answers its result and the edits that the command wanted to be applied, none of
// which was. One command runs at a time, because an edit does not say which command it comes from. Only commands that the server
// has offered are run.
func (s *Session) Execute(ctx context.Context, c Command) (result json.RawMessage, edits []json.RawMessage, err error) {
	if !s.OffersCommand(c.Command) {
		return nil, nil, &Error{Peer: s.c.Name, Doing: "workspace/executeCommand", Err: fmt.Errorf("it does not offer the command %q", truncate.Cut(c.Command, 80))}
	}
	return s.ExecuteHidden(ctx, c)
}

// OffersCommand reports whether the server has offered a command.
func (s *Session) OffersCommand(name string) bool {
	options, _ := s.Offers("workspace/executeCommand")
	return slices.Contains(option[[]string](options, "commands"), name)
}

// ExecuteHidden is Execute for a command that the server is known to have, but does not offer. Pyright offers none of its commands.
func (s *Session) ExecuteHidden(ctx context.Context, c Command) (result json.RawMessage, edits []json.RawMessage, err error) {
	select {
	case s.execute <- struct{}{}:
		defer func() { <-s.execute }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	case <-s.done:
		return nil, nil, s.life.Gone(c.Command)
	}
	s.state.catch(true)
	err = s.Call(ctx, "workspace/executeCommand", Command{Command: c.Command, Arguments: c.Arguments}, &result)
	return result, s.state.catch(false), err
}

// catch starts or stops the collection of edits and returns the collected edits.
func (s *state) catch(on bool) []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	edits := s.captured
	s.capturing, s.captured = on, nil
	return edits
}
