package neovim

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

//go:embed lua/*.lua
var scripts embed.FS

// Timeouts and limits of requests.
const (
	callTimeout     = time.Minute            // timeout if the context has no deadline
	keyTimeout      = 2 * time.Second        // for the user to press the key that Neovim waits for
	keyPollInterval = 50 * time.Millisecond  // between two checks of the mode
	modeTimeout     = 3 * time.Second        // for nvim_get_mode, which responds also while Neovim waits for a key
	maxErrorText    = 500                    // bytes of an error text
	startMargin     = 100 * time.Millisecond // requests are not started in the last 100 ms before the deadline
)

// notReadyError is the error of a request that Neovim has not executed, because it is busy or waits for a key.
type notReadyError struct{ error }

// Unwrap returns the reason.
func (e notReadyError) Unwrap() error { return e.error }

// script returns the Lua source of a request, including the prelude.
func script(name string) (string, error) {
	prelude, err := scripts.ReadFile("lua/prelude.lua")
	if err != nil {
		return "", err
	}
	question, err := scripts.ReadFile("lua/" + name + ".lua")
	return string(prelude) + string(question), err
}

// run executes a script of the directory lua and decodes its value into result, unless that is nil. Neovim does not start the
// script after the deadline of ctx.
func (s *session) run(ctx context.Context, name string, args, result any) error {
	lua, err := script(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := s.ready(ctx); err != nil {
		return err
	}
	end, _ := ctx.Deadline()
	var answer struct {
		Value   msgrpc.Raw `msgpack:"value"`
		Fault   string     `msgpack:"fault"`
		Message string     `msgpack:"message"`
	}
	err = s.conn.Call(ctx, "nvim_exec_lua", []any{lua, []any{end.Add(-startMargin).UnixMilli(), args}}, &answer)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("Neovim did not respond in time: %w", context.Cause(ctx))
	}
	if err != nil {
		return callError(err)
	}
	switch text := truncate.Line(answer.Message, maxErrorText); answer.Fault {
	case "":
	case "stale":
		return fmt.Errorf("%w: %s", adapter.ErrStale, text)
	case "unsupported":
		return fmt.Errorf("%w: %s", adapter.ErrUnsupported, text)
	default:
		return fmt.Errorf("Neovim returned an error: %s", text)
	}
	if result != nil && !answer.Value.DecodeInto(result) {
		return fmt.Errorf("Neovim returned an invalid result of the script %q", name)
	}
	return nil
}

// ready waits until Neovim no longer waits for a key, which would block the request.
func (s *session) ready(ctx context.Context) error {
	end := time.Now().Add(keyTimeout)
	for {
		var mode struct {
			Mode     string `msgpack:"mode"`
			Blocking bool   `msgpack:"blocking"`
		}
		soon, cancel := context.WithTimeout(ctx, modeTimeout)
		err := s.conn.Call(soon, "nvim_get_mode", nil, &mode)
		cancel()
		switch {
		case err != nil && soon.Err() != nil:
			return notReadyError{fmt.Errorf("Neovim is busy and does not respond: %w", err)}
		case err != nil:
			return callError(err)
		case !mode.Blocking:
			return nil
		case time.Now().After(end):
			return notReadyError{fmt.Errorf("Neovim waits for a key (mode %q): the user must answer the prompt in Neovim", truncate.Line(mode.Mode, 10))}
		}
		if err := wait.Sleep(ctx, keyPollInterval); err != nil {
			return fmt.Errorf("Neovim waits for a key: %w", err)
		}
	}
}
