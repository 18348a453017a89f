package cursorcli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// designed are the tools of the full profile, in the order in which models see
// them.
var designed = []string{
	"read_file", "write_file", "edit_file", "list_directory", "search_content", "search_files", "get_workspace_structure", "get_project_info",
	"create_directory", "move_file", "delete_file", "get_file_info",
	"track_token_usage", "get_model_statistics", "get_server_stats",
}

// The tool get_current_model is listed while the model is known: from a flag, or from the first call that names it.
func TestProfiles_CurrentModel(t *testing.T) {
	const tool = "get_current_model"
	for _, from := range []sources{
		{quiet: true, flags: []string{"-model", "m"}}, {quiet: true, env: []string{"CURSOR_MODEL=m"}}, {quiet: true, flags: []string{"-profile", profileStrict}},
	} {
		if names := serve(t, nil, from).tools(); !slices.Contains(names, tool) {
			t.Errorf("with %q %q the tools are %v", from.flags, from.env, names)
		}
	}
	s := serve(t, nil, sources{quiet: true})
	if got := s.call(t.Context(), tool, nil); slices.Contains(s.tools(), tool) || !strings.HasPrefix(got, "unknown (unknown)") {
		t.Errorf("without a model the tools are %v, and a call answers %q", s.tools(), got)
	}
	_, err := s.client.CallTool(t.Context(), "list_directory", map[string]any{"path": "."}, &mcp.CallOptions{Meta: mcp.Meta{"cursor/model": "m"}})
	apptest.Must(t, err)
	if list := <-s.changed; list != "tools" {
		t.Fatalf("the list %s has changed", list)
	}
	if names := s.tools(); !slices.Contains(names, tool) {
		t.Errorf("after a call with a model the tools are %v", names)
	}
}

func TestProfiles(t *testing.T) {
	full := serve(t, nil, sources{quiet: true}).tools()
	if !slices.Equal(full, designed) {
		t.Errorf("the full profile has %v", full)
	}
	strict := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profileStrict}}).tools()
	slices.Sort(strict)
	want := slices.DeleteFunc(strictTools(), func(name string) bool { return slices.Contains(ideTools(), name) })
	if slices.Sort(want); !slices.Equal(strict, want) {
		t.Errorf("the strict profile has %v, want %v", strict, want)
	}
	coding := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profileEditor}}).tools()
	for _, name := range []string{"insert_code", "delete_code", "replace_code"} {
		if slices.Contains(full, name) || !slices.Contains(coding, name) {
			t.Errorf("%s is in the wrong profile: %v and %v", name, full, coding)
		}
	}
	readOnly := serve(t, nil, sources{quiet: true, flags: []string{"-read-only"}}).tools()
	for _, name := range []string{"write_file", "edit_file", "create_directory", "move_file", "delete_file", "track_token_usage"} {
		if slices.Contains(readOnly, name) {
			t.Errorf("a read-only server offers %s", name)
		}
	}
	s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profileStrict, "-tools-allowed-tools", "edit_file,read_file"}})
	if err := s.service.loaded.Err(); err == nil || !strings.Contains(err.Error(), "a tool of the profile cursorcli-strict") || !slices.Equal(s.tools(), []string{"read_file"}) {
		t.Errorf("a tool that the profile lacks: %v, offered are %v", err, s.tools())
	}
}

// Without an editor its tools are not listed, and a call explains why.
func TestProfiles_NoEditor(t *testing.T) {
	for _, profile := range []string{profileFull, profileStrict} {
		s := serve(t, map[string]string{"a.txt": "a\n"}, sources{quiet: true, flags: []string{"-profile", profile}})
		for tool, args := range map[string]map[string]any{
			"open_file_in_editor": {"path": "a.txt"}, "getActiveFile": nil, "insertText": {"text": "x"},
			"replace_text": {"text": "x", "range": map[string]any{"start": map[string]any{"line": 1, "column": 1}, "end": map[string]any{"line": 1, "column": 2}}},
		} {
			if got := s.call(t.Context(), tool, args); !strings.HasPrefix(got, "IDE_NOT_RUNNING: ") || !strings.Contains(got, "VS Code") {
				t.Errorf("%s, %s answers %s", profile, tool, got)
			}
		}
	}
}

// The tools of the specification work with default settings.
func TestProfiles_Defaults(t *testing.T) {
	for _, profile := range []string{profileFull, profileStrict} {
		s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile}})
		if got := s.call(t.Context(), "write_file", map[string]any{"path": "new/dir/file", "content": "x"}); !strings.Contains(got, "createDirectories") {
			t.Errorf("%s: directories are made: %s", profile, got)
		}
		s.call(t.Context(), "writeFile", map[string]any{"path": "file", "content": "one"})
		s.call(t.Context(), "write_file", map[string]any{"path": "file", "content": "two"})
		if got := s.call(t.Context(), "listDirectory", map[string]any{"path": ".", "includeHidden": true}); strings.Contains(got, "backup") {
			t.Errorf("%s: backups are made: %s", profile, got)
		}
	}
}

func TestProfiles_OutputSchemas(t *testing.T) {
	for _, flags := range [][]string{nil, {"-output-schemas"}} {
		s := serve(t, nil, sources{quiet: true, flags: flags})
		for tool, err := range s.client.Tools(t.Context()) {
			apptest.Must(t, err)
			if with := len(flags) > 0; with != (tool.OutputSchema != nil) {
				t.Errorf("with %q %s has the output schema %s", flags, tool.Name, tool.OutputSchema)
			}
		}
	}
}

// A client gives no more than 40 tools to a model.
func TestProfiles_TooManyTools(t *testing.T) {
	s := serve(t, nil, sources{quiet: true})
	if n := len(s.tools()); n > maxTools {
		t.Errorf("%d tools are offered", n)
	}
	names := make([]string, maxTools+1)
	if _, err := s.service.toolProfile(s.service.loaded.Config, names); err == nil || !strings.Contains(err.Error(), "41 tools") {
		t.Errorf("41 tools: %v", err)
	}
	if _, err := s.service.toolProfile(s.service.loaded.Config, names[1:]); err != nil {
		t.Errorf("40 tools: %v", err)
	}
}

// get_project_info returns the settings.
func TestProjectInfo_Settings(t *testing.T) {
	s := serve(t, nil, sources{quiet: true, file: `{"server":{"requestTimeoutMs":4321},"tools":{"allowedTools":["get_*","gone"]}}`})
	result, err := s.client.CallTool(t.Context(), "get_project_info", nil, nil)
	apptest.Must(t, err)
	if got := string(result.Structured); !strings.Contains(got, `"requestTimeoutMs":4321`) || !strings.Contains(got, `"allowedTools":["get_*"]`) || !strings.Contains(got, "telemetry") {
		t.Errorf("told %s", got)
	}
}

// The profile beside has no tool for plain files and commands, which its clients have themselves.
func TestProfiles_Beside(t *testing.T) {
	s := serve(t, map[string]string{"a.go": "package a\n\nfunc Pump() {}\n"}, sources{quiet: true, flags: []string{"-profile", profileBeside}})
	names := s.tools()
	for _, name := range []string{"read_file", "write_file", "edit_file", "search_content", "list_directory", "execute_command", "run_agent"} {
		if slices.Contains(names, name) {
			t.Errorf("the profile offers %s", name)
		}
	}
	for _, name := range []string{"searchDocuments", "search_symbols", "get_chunk", "replace_function_chunk"} {
		if !slices.Contains(names, name) {
			t.Errorf("the profile lacks %s; it has %q", name, names)
		}
	}
	if got := s.call(t.Context(), "search_symbols", map[string]any{"query": "Pump"}); !strings.Contains(got, "a.go\n Pump ") {
		t.Errorf("a project that was not analysed before: %s", got)
	}
}

// The profile all lacks get_agent_output. Its instructions lose the hint about this tool and keep complete sentences.
func TestProfiles_AgentInstructions(t *testing.T) {
	const status, output = "get_agent_status returns an agent's work", "; get_agent_output returns its text."
	for profile, want := range map[string]string{profileOrchestrator: status + output, profileAll: status + "."} {
		s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile}})
		if got := s.client.Server().Instructions; !strings.Contains(got, want) {
			t.Errorf("profile %s: %q lacks %q", profile, got, want)
		}
	}
}

func TestClientFlags(t *testing.T) {
	for name, beside := range map[string]bool{"claude-code": true, "codex-mcp-client": true, "qwen-cli-mcp-client-cursorcli": true, "qwen-cli-mcp-client-files": true, "qwen-cli-mcp-client": true, "crush": true, "cursor-vscode": false, "": false} {
		if got := len(clientFlags(mcp.Implementation{Name: name})) > 0; got != beside {
			t.Errorf("%q gets the profile beside: %v", name, got)
		}
	}
}

// A project without a language of any server has no tools that need one.
func TestProfiles_NoLanguageServer(t *testing.T) {
	s := serve(t, map[string]string{"notes.txt": "nothing\n"}, sources{quiet: true, flags: []string{"-profile", profileBeside}})
	deadline := time.Now().Add(10 * time.Second)
	for {
		names := s.tools()
		if !slices.Contains(names, "find_definition") && !slices.Contains(names, "rename_symbol") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the profile has %q", names)
		}
		time.Sleep(50 * time.Millisecond) // the project is scanned in the background if that takes long
	}
}

// The joint profiles list compact schemas; the calls accept the arguments that are not listed.
func TestProfiles_UnlistedArguments(t *testing.T) {
	s := serve(t, map[string]string{"a.go": "package a\n\nfunc Pump() {}\n"}, sources{quiet: true, flags: []string{"-profile", profileBeside}})
	for tool, err := range s.client.Tools(t.Context()) {
		apptest.Must(t, err)
		for _, omitted := range []string{"additionalProperties", "minLength", "maximum", "maxResults", "includeContent"} {
			if strings.Contains(string(tool.InputSchema), omitted) {
				t.Errorf("%s lists %s: %s", tool.Name, omitted, tool.InputSchema)
			}
		}
	}
	if got := s.call(t.Context(), "search_symbols", map[string]any{"query": "Pump", "maxResults": 1, "language": "go"}); !strings.Contains(got, "a.go\n Pump ") {
		t.Errorf("unlisted arguments: %s", got)
	}
	if got := s.call(t.Context(), "search_symbols", map[string]any{"query": "Pump", "maxResults": 0}); !strings.HasPrefix(got, "INVALID_PARAMS") {
		t.Errorf("a bound that is not listed: %s", got)
	}
}

// A language server that is installed, and a first file of its language, bring the tools that need both while a client is connected.
func TestProfiles_LanguageServerLater(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the language server of this test is a script")
	}
	for name, first := range map[string]func(install, write func()){
		"the file is made last":        func(install, write func()) { install() },
		"the server is installed last": func(install, write func()) { write() },
	} {
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "bin")
			t.Setenv("PATH", bin)
			install := func() {
				if _, err := os.Stat(bin); err == nil {
					return
				}
				apptest.Must(t, os.Mkdir(bin, 0o700))
				apptest.Must(t, os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
			}
			files := map[string]string{"notes.txt": "nothing\n"}
			first(install, func() { files["main.go"] = "package main\n" })
			s := serve(t, files, sources{quiet: true, flags: []string{"-profile", profileBeside}})
			lists := func(want bool) {
				t.Helper()
				timeout := time.After(time.Minute)
				for slices.Contains(s.tools(), "find_definition") != want {
					select {
					case <-s.changed:
					case <-timeout:
						t.Fatalf("find_definition is listed: %v; the profile has %q", !want, s.tools())
					}
				}
			}
			lists(false)
			install()
			apptest.Write(t, s.dir, map[string]string{"main.go": "package main\n"})
			lists(true)
		})
	}
}
