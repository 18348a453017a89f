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

const (
	longestCall  = time.Minute            // of a context without an end
	keyPatience  = 2 * time.Second        // for Neovim to get the key that it waits for
	keyPause     = 50 * time.Millisecond  // between two looks whether it has
	modePatience = 3 * time.Second        // for Neovim to answer at all; it does so also while it waits for a key
	maxErrorText = 500                    // of an error, in bytes
	lateness     = 100 * time.Millisecond // before the end of the context when a question is not begun any more
)

// script is a question as Lua.
func script(name string) (string, error) {
	prelude, err := scripts.ReadFile("lua/prelude.lua")
	if err != nil {
		return "", err
	}
	question, err := scripts.ReadFile("lua/" + name + ".lua")
	return string(prelude) + string(question), err
}

// run asks Neovim a question of the directory lua. What has not been begun when ctx ends is not begun later.
func (s *session) run(ctx context.Context, name string, args, result any) error {
	lua, err := script(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
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
	err = s.conn.Call(ctx, "nvim_exec_lua", []any{lua, []any{end.Add(-lateness).UnixMilli(), args}}, &answer)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("Neovim has not answered in time: %w", context.Cause(ctx))
	}
	if err != nil {
		return refused(err)
	}
	switch text := truncate.Line(answer.Message, maxErrorText); answer.Fault {
	case "":
	case "stale":
		return fmt.Errorf("%w: %s", adapter.ErrStale, text)
	case "unsupported":
		return fmt.Errorf("%w: %s", adapter.ErrUnsupported, text)
	default:
		return fmt.Errorf("Neovim refuses: %s", text)
	}
	if result != nil && !answer.Value.Into(result) {
		return fmt.Errorf("Neovim answers the question %q with what cannot be understood", name)
	}
	return nil
}

// ready waits until Neovim does not wait for a key, which would keep it from answering.
func (s *session) ready(ctx context.Context) error {
	end := time.Now().Add(keyPatience)
	for {
		var mode struct {
			Mode     string `msgpack:"mode"`
			Blocking bool   `msgpack:"blocking"`
		}
		soon, cancel := context.WithTimeout(ctx, modePatience)
		err := s.conn.Call(soon, "nvim_get_mode", nil, &mode)
		cancel()
		switch {
		case err != nil && soon.Err() != nil:
			return fmt.Errorf("Neovim is busy and does not answer: %w", err)
		case err != nil:
			return refused(err)
		case !mode.Blocking:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("Neovim waits for a key (mode %q): its user has to answer the prompt there", truncate.Line(mode.Mode, 10))
		}
		if err := wait.Sleep(ctx, keyPause); err != nil {
			return fmt.Errorf("Neovim waits for a key: %w", err)
		}
	}
}
