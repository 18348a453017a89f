package claude

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Command returns the command line and the environment of a run. With Spec.Servers it
// writes mcp.json into scratch.
func (p program) Command(_ context.Context, s executor.Spec, scratch func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Args: p.args(s), Dir: s.Dir, Input: s.Prompt}
	// The program refuses to start inside another Claude Code, which may have started this server.
	call.Env = append(slices.Clone(s.Env), "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=")
	if len(s.Servers) == 0 {
		return call, nil
	}
	dir, err := scratch()
	if err != nil {
		return command.Call{}, err
	}
	file := filepath.Join(dir, "mcp.json")
	if err := writeServers(file, s.Servers); err != nil {
		return command.Call{}, err
	}
	call.Args = append(call.Args, "--mcp-config", file)
	return call, nil
}

// args returns the arguments of a run.
func (p program) args(s executor.Spec) []string {
	args := append(slices.Clone(p.o.Args), "-p", "--output-format", "stream-json", "--verbose")
	if !p.o.CompleteMessages {
		args = append(args, "--include-partial-messages")
	}
	mode := ""
	switch {
	case s.ReadOnly:
		mode = "plan"
	case s.Trust && len(s.Tools) == 0:
		mode = "bypassPermissions"
	case s.Trust:
		mode = "acceptEdits"
	}
	allow, deny := permissions(s)
	for _, option := range []struct{ name, value string }{
		{"--model", s.Model}, {"--permission-mode", mode}, {"--resume", s.Resume}, {"--allowedTools", strings.Join(allow, ",")}, {"--disallowedTools", strings.Join(deny, ",")},
	} {
		if option.value != "" {
			args = append(args, option.name, option.value)
		}
	}
	return args
}

// permissions returns the allowed and the denied tools; empty lists keep the program's
// settings. A "!" before a permission denies it. A trusted agent may use all tools of
// Spec.Servers.
func permissions(s executor.Spec) (allow, deny []string) {
	for _, tool := range s.Tools {
		if denied, ok := strings.CutPrefix(tool, "!"); ok {
			deny = append(deny, denied)
		} else {
			allow = append(allow, tool)
		}
	}
	if s.Trust {
		for _, server := range s.Servers {
			allow = append(allow, "mcp__"+server.Name)
		}
	}
	return allow, deny
}

// writeServers writes a file for --mcp-config.
func writeServers(file string, list []executor.Server) error {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}
	all := make(map[string]server, len(list))
	for _, s := range list {
		env := make(map[string]string, len(s.Env))
		for _, v := range s.Env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		all[s.Name] = server{s.Command, append([]string{}, s.Args...), env}
	}
	data, err := json.MarshalIndent(map[string]any{"mcpServers": all}, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the MCP servers of the agent: %w", err)
	}
	return nil
}
