package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

// Command returns the command line and the environment of a run.
func (p program) Command(_ context.Context, s executor.Spec, _ func() (string, error)) (command.Call, error) {
	if err := command.Check(s); err != nil {
		return command.Call{}, err
	}
	path, err := p.o.find()
	if err != nil {
		return command.Call{}, err
	}
	call := command.Call{Path: path, Dir: s.Dir, Input: s.Prompt, Env: slices.Clone(s.Env)}
	call.Args = append(slices.Clone(p.o.Args), "exec", "--json", "--skip-git-repo-check", "-C", s.Dir)
	if s.Model != "" && s.Model != auto {
		call.Args = append(call.Args, "-m", s.Model)
	}
	switch {
	case s.ReadOnly:
		call.Args = append(call.Args, "-s", "read-only")
	case s.Trust:
		call.Args = append(call.Args, "-s", p.o.Sandbox)
	}
	for _, setting := range p.o.Settings {
		call.Args = append(call.Args, "-c", setting)
	}
	given := make(map[string]string)
	for _, server := range s.Servers {
		setting, err := serverSetting(server, s.Trust)
		if err == nil {
			err = collect(given, server)
		}
		if err != nil {
			return command.Call{}, err
		}
		call.Args = append(call.Args, "-c", setting)
		call.Env = append(call.Env, server.Env...)
	}
	if s.Resume != "" {
		if strings.HasPrefix(s.Resume, "-") {
			return command.Call{}, fmt.Errorf("%q is not a session ID of Codex", s.Resume)
		}
		call.Args = append(call.Args, "resume", s.Resume)
	}
	call.Args = append(call.Args, "-") // read the prompt from standard input
	return call, nil
}

// serverSetting returns an MCP server as a setting in TOML. It contains only the names of
// the variables, because other users of the machine can read command lines.
func serverSetting(s executor.Server, trusted bool) (string, error) {
	if !pull.IsName(s.Name, 64, "_-") { // a bare key of TOML
		return "", fmt.Errorf("the MCP server name %q is invalid for Codex; use letters, digits, - and _", s.Name)
	}
	names := make([]string, len(s.Env))
	for i, v := range s.Env {
		names[i], _, _ = strings.Cut(v, "=")
	}
	text := "mcp_servers." + s.Name + "={command=" + toml(s.Command) + ",args=" + tomlList(s.Args) + ",env_vars=" + tomlList(names)
	if trusted {
		text += `,default_tools_approval_mode="approve"`
	}
	return text + "}", nil
}

// collect adds the variables of a server to given. All servers share the environment of the
// program, so that a variable cannot have two values.
func collect(given map[string]string, s executor.Server) error {
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		if before, ok := given[name]; ok && before != value {
			return fmt.Errorf("the MCP server %q has another value of %s than a server before it; Codex passes one value to all servers", s.Name, name)
		}
		given[name] = value
	}
	return nil
}

// tomlList returns an array of TOML strings.
func tomlList(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = toml(text)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// toml returns a basic string of TOML. Its escapes are those of JSON, and one for DEL.
func toml(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(strings.ToValidUTF8(text, "\uFFFD")) // a string is always encoded
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}
