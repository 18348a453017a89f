package gemini

import (
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Command returns the command line and the environment of a run. With Spec.Servers it also
// creates a home directory for the agent in scratch.
func (p program) Command(_ context.Context, s executor.Spec, scratch func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Args: p.args(s), Dir: s.Dir, Input: prompt(s.Prompt), Env: slices.Clone(s.Env)}
	if len(s.Servers) == 0 {
		if p.o.Home != "" {
			call.Env = append(call.Env, homeVariable+"="+p.o.Home)
		}
		return call, nil
	}
	dir, err := scratch()
	if err == nil {
		err = p.o.configure(dir, s)
	}
	if err != nil {
		return command.Call{}, err
	}
	call.Env = append(call.Env, homeVariable+"="+dir)
	return call, nil
}

// args returns the arguments of a run.
func (p program) args(s executor.Spec) []string {
	args := append(slices.Clone(p.o.Args), "--output-format", "stream-json")
	mode := "default" // the program refuses calls that need approval
	var allowed []string
	switch {
	case s.ReadOnly:
		mode = "plan"
	case s.Trust && len(s.Tools) == 0:
		mode = "yolo"
	case s.Trust:
		mode = "auto_edit"
		allowed = s.Tools
	}
	args = append(args, "--approval-mode="+mode)
	if s.Trust {
		args = append(args, "--skip-trust") // allows directories that the user has not trusted before
	}
	for _, tool := range allowed {
		if !strings.HasPrefix(tool, "!") { // the program has no option for denials
			args = append(args, "--allowed-tools="+tool)
		}
	}
	if s.Model != "" {
		args = append(args, "--model="+s.Model)
	}
	if s.Resume != "" {
		args = append(args, "--resume="+s.Resume)
	}
	return args
}

// prompt returns a text that the program does not read as a slash command.
func prompt(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "/") {
		return "The task:\n" + text
	}
	return text
}
