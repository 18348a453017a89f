package cursorcli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

// together are the profiles that join every set that they need in one server.
func together() map[string][]string {
	return map[string][]string{profileCoding: codingTools(), profileBeside: besideTools(), profileOrchestrator: orchestratorTools(), profileAll: allTools()}
}

// Each profile lists its designed tools and at most maxTools, also with an editor
// connected. The project is empty, so that tools for symbols are not listed.
func TestProfiles_ToolLimit(t *testing.T) {
	for profile, designed := range together() {
		s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile}})
		absent := append(ideTools(), "find_definition", "find_references", "rename_symbol")
		got, want := s.tools(), slices.DeleteFunc(slices.Clone(designed), func(name string) bool { return slices.Contains(absent, name) })
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s has\n%q, want\n%q", profile, got, want)
		}
		if len(designed) > maxTools {
			t.Errorf("%s has %d tools", profile, len(designed))
		}
		if len(s.service.loaded.Problems()) > 0 {
			t.Error(s.service.loaded.Err())
		}
	}
}

// One tool of each set works, in a server that has them all.
func TestProfiles_EverySet(t *testing.T) {
	files := map[string]string{"stack.go": "package stack\n\n// Push adds a value to the stack.\nfunc Push(values []int, v int) []int {\n\treturn append(values, v)\n}\n"}
	s := serve(t, files, sources{flags: []string{"-profile", profileAll}, env: []string{"XDG_STATE_HOME=" + t.TempDir(), "KUROMAJUTSU_PORT=0", "HOME=" + t.TempDir()}})
	for tool, call := range map[string]struct {
		args map[string]any
		want string
	}{
		"read_file":              {map[string]any{"path": "stack.go"}, "func Push"},
		"list_functions_in_file": {map[string]any{"filePath": "stack.go"}, "Push"},
		"execute_command":        {map[string]any{"command": "echo one two"}, "one two"},
		"searchDocuments":        {map[string]any{"query": "add a value to the stack"}, "stack.go"},
		"findSimilarCode":        {map[string]any{"code": "func Push(values []int, v int) []int {\n\treturn append(values, v)\n}\n"}, "stack.go"},
		"list_roles":             {nil, "impl-code"},
		"get_server_stats":       {nil, "running"},
	} {
		if got := s.call(t.Context(), tool, call.args); strings.HasPrefix(got, "error: ") || !strings.Contains(got, call.want) {
			t.Errorf("%s answers %s", tool, got)
		}
	}
}

// A project whose agents are to be shown by clients has that here, too.
func TestAgents_Card(t *testing.T) {
	for file, want := range map[string]bool{"apps: {enabled: true}\n": true, "log: {level: warn}\n": false} {
		s := serve(t, map[string]string{agentservice.DefaultFile: file}, sources{quiet: true, flags: []string{"-profile", profileOrchestrator}})
		_, offered := s.service.persistent.extensions[apps.ID]
		shown := slices.ContainsFunc(s.service.server.Resources(), func(r mcp.Resource) bool { return r.URI == card.URI })
		if offered != want || shown != want {
			t.Errorf("%s: offered %v, shown %v", file, offered, shown)
		}
	}
}

// A wrong settings file of the search removes the search tools only.
func TestSearch_WrongSettings(t *testing.T) {
	s := serve(t, map[string]string{"cqm-mcp.yaml": "server: {port: many}\n"}, sources{flags: []string{"-profile", profileCoding, "-logging-outputs", toConsole}})
	names := s.tools()
	if slices.Contains(names, "searchDocuments") || !slices.Contains(names, "get_chunk") || !slices.Contains(names, "read_file") {
		t.Errorf("offered are %q", names)
	}
	s.awaitLog("server.port")
}

// The settings can select tools that the profile does not list by default.
func TestProfiles_ChosenTools(t *testing.T) {
	s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profileAll, "-tools-allowed-tools", "insert_code,list_agents,refresh_index,read_*"}})
	got := s.tools()
	slices.Sort(got)
	if want := []string{"insert_code", "list_agents", "read_file", "read_process_output", "refresh_index"}; !slices.Equal(got, want) {
		t.Errorf("chosen are %q, want %q", got, want)
	}
	readOnly := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profileAll, "-read-only"}})
	for _, name := range readOnly.tools() {
		if slices.Contains([]string{"write_file", "execute_command", "replace_function_chunk", "run_agent", "createIssue", "rename_symbol"}, name) {
			t.Errorf("a read-only server offers %s", name)
		}
	}
}

// Sets that last are told of changes that do not reach them.
func TestReload_PersistentSets(t *testing.T) {
	s := serve(t, nil, sources{flags: []string{"-profile", profileCoding}})
	s.settings(`{"tools":{"fileOperations":{"blockedPatterns":["*.secret"]}}}`)
	s.awaitLog("started again")
	s.settings(`{"tools":{"allowedTools":["read_file","get_chunk"]}}`)
	// The files' tools change first, then those that last.
	listed := eventually(func() string { return strings.Join(s.tools(), " ") }, func(names string) bool {
		return !strings.Contains(names, "write_file") && !strings.Contains(names, "execute_command")
	})
	if !strings.Contains(listed, "read_file") || !strings.Contains(listed, "get_chunk") || strings.Contains(listed, "execute_command") {
		t.Errorf("listed are %s", listed)
	}
}

// The tools for git are there to be chosen.
func TestProfiles_Git(t *testing.T) {
	for _, profile := range []string{profileCoding, profileAll} {
		s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile, "-tools-allowed-tools", "git_*,read_file"}})
		got := s.tools()
		slices.Sort(got)
		want := []string{"git_blame", "git_branch", "git_commit", "git_diff", "git_log", "git_pull", "git_push", "git_status", "read_file"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", profile, got)
		}
		if got := s.call(t.Context(), "git_status", nil); !strings.Contains(got, "NOT_A_REPOSITORY") {
			t.Errorf("it answers %s", got)
		}
	}
}

// Commands run in a sandbox where the system has one: they change the project, and nothing else.
func TestCommands_InASandbox(t *testing.T) {
	elsewhere := t.TempDir()
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	files := map[string]string{"main.go": "package main\n", ".vscode/tasks.json": "{}", ".cursorcli-mcp/logs/cursorcli.log": "logged\n"}
	s := serve(t, files, sources{flags: []string{"-profile", profileCoding, "-audit", audit}})
	testrequire.Thing(t, s.service.persistent.sandbox.Active(), "a sandbox", "allow user namespaces, or install bubblewrap")
	for script, want := range map[string]string{
		"echo x >new && cat new": "x",
		"echo x >" + filepath.Join(elsewhere, "x") + " || echo refused":                                     "refused",
		"echo x >.vscode/tasks.json || echo refused":                                                        "refused",
		"cat " + audit + " 2>/dev/null || echo absent":                                                      "absent",
		"test -s .cursorcli-mcp/logs/cursorcli.log && cat .cursorcli-mcp/logs/cursorcli.log || echo absent": "absent",
	} {
		if got := s.call(t.Context(), "execute_command", map[string]any{"command": script}); !strings.Contains(got, want) {
			t.Errorf("%s answers %s", script, got)
		}
	}
	off := serve(t, files, sources{flags: []string{"-profile", profileCoding, "-commands-sandbox", "off"}})
	if got := off.call(t.Context(), "execute_command", map[string]any{"command": "echo x >" + filepath.Join(elsewhere, "x") + " && echo done"}); !strings.Contains(got, "done") {
		t.Errorf("without a sandbox it answers %s", got)
	}
}

// A server that may use a whole file system has no sandbox, and says so.
func TestCommands_WholeFileSystem(t *testing.T) {
	s := serve(t, nil, sources{flags: []string{"-profile", profileCoding, "-allow-outside-root", "-security-enforce-project-root=false", "-logging-outputs", toConsole}})
	s.awaitLog("commands run without a sandbox")
}
