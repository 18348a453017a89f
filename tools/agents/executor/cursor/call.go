package cursor

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// maxArgument is the longest prompt that is handed over as an argument, in bytes:
// Linux takes 128 KB an argument, Windows 32 KB for all.
func maxArgument() int {
	if runtime.GOOS == "windows" {
		return 24 << 10
	}
	return 120 << 10
}

// Command makes the call of a run.
func (p program) Command(_ context.Context, s executor.Spec, scratch func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Args: p.args(s), Env: s.Env, Dir: s.Dir, Input: s.Prompt}
	if p.o.Via == Argument {
		if len(s.Prompt) > maxArgument() || strings.ContainsRune(s.Prompt, 0) {
			return command.Call{}, errLongPrompt
		}
		call.Input = ""
		call.Args = append(call.Args, argument(s.Prompt))
	}
	if p.o.SharedConfig {
		return call, nil
	}
	dir, err := scratch()
	if err == nil {
		err = p.o.configure(dir, s)
	}
	if errors.Is(err, errLinks) && len(s.Tools) == 0 {
		return call, nil // sessions are worth more than settings of its own
	}
	if err != nil {
		return command.Call{}, err
	}
	call.Env = append(slices.Clone(call.Env), "CURSOR_CONFIG_DIR="+dir)
	return call, nil
}

// args are the arguments of a run.
func (p program) args(s executor.Spec) []string {
	args := append(slices.Clone(p.o.Args), "-p", "--output-format", "stream-json")
	if !p.o.Whole {
		args = append(args, "--stream-partial-output")
	}
	if s.ReadOnly {
		args = append(args, "--mode", "ask")
	} else if s.Trust {
		args = append(args, "--force")
	}
	if s.Trust {
		args = append(args, "--trust")
		if !p.o.KeepMCPClosed {
			args = append(args, "--approve-mcps")
		}
	}
	for _, option := range []struct{ name, value string }{
		{"--workspace", s.Dir}, // whose servers and rules count; else the program guesses
		{"--model", s.Model}, {"--sandbox", p.o.Sandbox}, {"--resume", s.Resume},
	} {
		if option.value != "" {
			args = append(args, option.name, option.value)
		}
	}
	return args
}

// argument is a prompt that cannot be taken for an option.
func argument(prompt string) string {
	if strings.HasPrefix(prompt, "-") {
		return "\n" + prompt
	}
	return prompt
}
