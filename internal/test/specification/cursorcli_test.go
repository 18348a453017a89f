package specification

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// ofEditor reports whether a row of the table needs a running editor.
func ofEditor(r row) bool { return r.section == "Editor Control Tool" && r.kind != "error" }

// newCursorCLI starts cursorcli in its strict profile, with a log file.
func newCursorCLI(t *testing.T, env []string, flags ...string) *subject {
	t.Helper()
	s := &subject{t: t, dir: t.TempDir()}
	s.write(map[string]string{
		"a.txt": "one\ntwo\n", "b.ts": "let b = 1\n", "sub/c.txt": "c\n", ".hidden": "h\n",
		"package.json": `{"name":"p","dependencies":{"react":"18.0.0"}}`,
	})
	args := append([]string{"-root", s.dir, "-profile", "cursorcli-strict", "-logging-outputs", "file"}, flags...)
	s.connect(transport.Command{Path: program(t, "cursorcli"), Args: args, Env: environ(t, env...)}, nil)
	return s
}

// expect returns nil if a condition holds, otherwise an error with the value that was found.
func expect(ok bool, found any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("found %.500v", found)
}

func TestCursorCLI(t *testing.T) {
	t.Parallel()
	s := newCursorCLI(t, []string{"CURSOR_MODEL=claude-4-sonnet"})
	config := s.settings()
	s.samples = []sample{
		{"read_file", map[string]any{"path": "a.txt"}},
		{"write_file", map[string]any{"path": "new.txt", "content": "x"}},
		{"list_directory", map[string]any{"path": "."}},
		{"get_project_info", nil},
		{"search_files", map[string]any{"pattern": "*"}},
		{"get_workspace_structure", nil},
		{"get_current_model", nil},
		{"track_token_usage", map[string]any{"modelName": "claude-4-sonnet", "inputTokens": 1000, "outputTokens": 2000, "duration": 3}},
		{"get_model_statistics", nil},
		{"get_server_stats", nil},
	}
	denied := func(reason, path string) check {
		return func(r row) error {
			if err := s.fails("read_file", map[string]any{"path": path})(r); err != nil {
				return err
			}
			return s.fails("write_file", map[string]any{"path": path, "content": ""})(r)
		}
	}
	s.checks = map[string]check{
		"error INVALID_PARAMS":       s.fails("read_file", map[string]any{"path": "a.txt", "encoding": "latin-1"}),
		"error PATH_TRAVERSAL":       denied("PATH_TRAVERSAL", "../a.txt"),
		"error OUTSIDE_PROJECT_ROOT": denied("OUTSIDE_PROJECT_ROOT", filepath.Join(filepath.Dir(s.dir), "x")),
		"error BLOCKED_PATTERN":      denied("BLOCKED_PATTERN", ".env"),
		"error IDE_NOT_RUNNING":      s.fails("open_file_in_editor", map[string]any{"path": "a.txt"}),
		"error NO_PROJECT": func(r row) error {
			none := &subject{t: t}
			none.connect(transport.Command{Path: program(t, "cursorcli"), Dir: "/", Args: []string{"-profile", "cursorcli-strict"}, Env: environ(t)}, nil)
			return none.fails("get_project_info", nil)(r)
		},
		"error TIMEOUT": func(r row) error {
			slow := newCursorCLI(t, nil, "-server-request-timeout-ms", "1")
			slow.many()
			return slow.fails("list_directory", map[string]any{"path": ".", "recursive": true})(r)
		},
		"behaviour attemptedPath": func(row) error {
			result, err := s.call("read_file", map[string]any{"path": "../a.txt"})
			if err != nil {
				return err
			}
			parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
			return expect(parts["attemptedPath"] == "../a.txt", parts)
		},
		"limit read_file answers a file of 1 MB": func(row) error {
			content := strings.Repeat("0123456789abcde\n", 1<<16)
			s.write(map[string]string{"large.txt": content})
			got := s.mustMembers("read_file", map[string]any{"path": "large.txt"})
			return expect(got["content"] == content && got["truncated"] == false, len(got["content"].(string)))
		},
		"limit read_file answers at most 10 MB": func(row) error {
			s.write(map[string]string{"huge.txt": strings.Repeat("0123456789abcde\n", 11<<16)})
			got := s.mustMembers("read_file", map[string]any{"path": "huge.txt"})
			return expect(len(got["content"].(string)) <= 10_000_000 && got["truncated"] == true && got["size"] == float64(11<<20), len(got["content"].(string)))
		},
		"limit list_directory answers a directory of 3000 entries": func(row) error {
			s.many()
			got := s.mustMembers("list_directory", map[string]any{"path": "many"})
			return expect(len(got["entries"].([]any)) == 3000 && got["totalCount"] == 3000.0, len(got["entries"].([]any)))
		},
		"limit get_workspace_structure folds no directory of 3000 files": func(row) error {
			s.many()
			got := s.mustMembers("get_workspace_structure", nil)
			files, _ := lookUp([]any{got}, "root.children[].children[].name")
			return expect(len(files) >= 3000, len(files))
		},
		"limit search_files returns at most 1000 results": func(r row) error {
			s.many()
			got := s.mustMembers("search_files", map[string]any{"pattern": "many/*", "maxResults": 1000})
			if err := expect(len(got["files"].([]any)) == 1000 && got["truncated"] == true, len(got["files"].([]any))); err != nil {
				return err
			}
			return s.fails("search_files", map[string]any{"pattern": "*", "maxResults": 1001})(row{name: "INVALID_PARAMS"})
		},
		"limit search_files returns at most maxResults results": func(row) error {
			got := s.mustMembers("search_files", map[string]any{"pattern": "*.t*", "maxResults": 2})
			return expect(len(got["files"].([]any)) == 2 && got["truncated"] == true, got)
		},
		"behaviour read_file with encoding binary": func(row) error {
			s.write(map[string]string{"x.bin": "\x00\xff\x01"})
			got := s.mustMembers("read_file", map[string]any{"path": "x.bin", "encoding": "binary"})
			return expect(got["content"] == base64.StdEncoding.EncodeToString([]byte("\x00\xff\x01")), got)
		},
		"behaviour read_file with offset and length": func(row) error {
			got := s.mustMembers("read_file", map[string]any{"path": "a.txt", "offset": 4, "length": 2})
			return expect(got["content"] == "tw", got)
		},
		"behaviour write_file with encoding utf-16le": func(row) error {
			s.mustMembers("write_file", map[string]any{"path": "u.txt", "content": "hi", "encoding": "utf-16le"})
			return expect(strings.HasSuffix(s.read("u.txt"), "h\x00i\x00"), s.read("u.txt"))
		},
		"behaviour list_directory with pattern": func(row) error {
			got := s.mustMembers("list_directory", map[string]any{"path": ".", "pattern": "*.ts"})
			return expect(got["totalCount"] == 1.0, got)
		},
		"behaviour all operations are logged": func(row) error {
			for tool := range s.results {
				if !strings.Contains(s.logFile(), `"toolName":"`+tool+`"`) {
					return fmt.Errorf("no record of %s", tool)
				}
			}
			return nil
		},
		"behaviour the project root is absolute": func(row) error {
			got := s.mustMembers("get_project_info", nil)
			return expect(filepath.IsAbs(got["rootPath"].(string)), got)
		},
		"result get_current_model.version": func(row) error {
			result, err := s.client.CallTool(t.Context(), "get_current_model", nil, &mcp.CallOptions{Meta: mcp.Meta{"io.github.dougu-go/model": map[string]any{"name": "m", "version": "7"}}})
			if err != nil {
				return err
			}
			return expect(strings.Contains(string(result.Structured), `"version":"7"`) || strings.Contains(string(result.Structured), `"source":"environment"`), string(result.Structured))
		},
		"behaviour estimatedCost of a known model": func(row) error {
			got := s.mustMembers("get_model_statistics", nil)
			return expect(got["estimatedCost"].(float64) > 0, got)
		},
		"behaviour an unknown model": func(row) error {
			other := newCursorCLI(t, nil)
			got := other.mustMembers("get_current_model", nil)
			return expect(got["name"] != "" && got["contextWindow"].(float64) > 0, got)
		},
		"behaviour usage is cumulative": func(row) error {
			use := map[string]any{"modelName": "cumulative", "inputTokens": 1, "outputTokens": 2, "duration": 3}
			s.mustMembers("track_token_usage", use)
			s.mustMembers("track_token_usage", use)
			got := s.mustMembers("get_model_statistics", nil)
			sum := got["modelBreakdown"].(map[string]any)["cumulative"].(map[string]any)
			return expect(sum["count"] == 2.0 && sum["tokens"].(map[string]any)["output"] == 4.0, sum)
		},
		"setting file": func(row) error { return expect(len(config) > 0, config) },
		"limit server.maxConcurrentRequests": func(r row) error {
			return expect(fmt.Sprint(at(config, "server.maxConcurrentRequests")) == r.spec, config)
		},
		"limit server.requestTimeoutMs": func(r row) error {
			return expect(fmt.Sprint(at(config, "server.requestTimeoutMs")) == r.spec, config)
		},
		"behaviour an invalid value": func(row) error {
			other := &subject{t: t, dir: t.TempDir()}
			other.write(map[string]string{".cursorcli-mcp/config.json": `{"server":{"maxConcurrentRequests":-5,"requestTimeoutMs":4000}}`})
			other.connect(transport.Command{Path: program(t, "cursorcli"), Args: []string{"-root", other.dir, "-profile", "cursorcli-strict"}, Env: environ(t)}, nil)
			got := other.mustMembers("get_project_info", nil)["settings"]
			return expect(at(got, "server.maxConcurrentRequests") == 10.0 && at(got, "server.requestTimeoutMs") == 4000.0, got)
		},
		"behaviour logToolExecution": func(row) error {
			s.mustMembers("read_file", map[string]any{"path": "b.ts"})
			for line := range strings.Lines(s.logFile()) {
				var entry map[string]any
				if err := json.Unmarshal([]byte(line), &entry); err != nil {
					return err
				}
				if entry["toolName"] == "read_file" && strings.Contains(fmt.Sprint(entry["params"]), "b.ts") && strings.Contains(fmt.Sprint(entry["result"]), "let b = 1") {
					_, ok := entry["duration"].(float64)
					return expect(ok, entry)
				}
			}
			return errors.New("no record has toolName, params and result of the call")
		},
		"behaviour every entry has a timestamp": func(row) error {
			for line := range strings.Lines(s.logFile()) {
				var entry map[string]any
				if err := json.Unmarshal([]byte(line), &entry); err != nil || !hasType(entry["time"], "time") && !hasType(entry["timestamp"], "time") {
					return fmt.Errorf("found %s (%v)", line, err)
				}
			}
			return nil
		},
		"behaviour the level of the settings": func(row) error {
			quiet := newCursorCLI(t, nil, "-logging-level", "error")
			quiet.mustMembers("read_file", map[string]any{"path": "a.txt"})
			return expect(!strings.Contains(quiet.logFile(), "read_file"), quiet.logFile())
		},
		"limit logging.maxLogSize": func(row) error {
			small := newCursorCLI(t, nil, "-logging-max-log-size", "1024")
			for range 20 {
				small.mustMembers("read_file", map[string]any{"path": "a.txt"})
			}
			_, err := os.Stat(small.logPath() + ".1")
			return err
		},
		"behaviour initialize": func(row) error {
			about := s.client.Server().Server
			return expect(about.Name == "cursorcli-mcp-server" && about.Version != "", about)
		},
		"behaviour texts name only tools and parameters of the specification": func(row) error { return s.checkTexts() },
	}
	for _, more := range []map[string]check{s.cursorFileChecks(), s.cursorProjectChecks(), s.cursorUsageChecks(), s.cursorSettingChecks(config), s.cursorLogChecks()} {
		maps.Copy(s.checks, more)
	}
	for _, r := range readTable(t, "cursorcli.tsv") {
		if r.kind == "setting" && s.checks["setting "+r.name] == nil {
			s.checks["setting "+r.name] = func(r row) error { return expect(hasType(at(config, r.name), r.spec), config) }
		}
	}
	s.run("cursorcli.tsv", func(r row) bool { return !ofEditor(r) })
}

// TestCursorCLI_Editor tests the rows that need an editor, with Neovim.
func TestCursorCLI_Editor(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("nvim")
	testrequire.Deep(t, err == nil && runtime.GOOS != "windows", "nvim", "install Neovim 0.7 or later")
	private, err := os.MkdirTemp("", "nvim") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(private) })
	socket := filepath.Join(private, "nvim.sock")
	s := newCursorCLI(t, []string{"NVIM=" + socket})
	nvim := exec.Command("nvim", "--headless", "--clean", "-n", "--listen", socket)
	nvim.Dir = s.dir
	if err := nvim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = nvim.Process.Kill()
		_ = nvim.Wait()
	}()
	for deadline := time.Now().Add(time.Minute); s.tools["insert_text"].Name == "" && time.Now().Before(deadline); {
		s.list()
	}
	s.samples = []sample{
		{"open_file_in_editor", map[string]any{"path": "a.txt", "line": 2, "column": 1}},
		{"get_active_file", nil},
		{"insert_text", map[string]any{"text": "new "}},
		{"insert_text", map[string]any{"text": "x", "position": map[string]any{"line": 1, "column": 1}}},
		{"replace_text", map[string]any{"text": "y", "range": map[string]any{"start": map[string]any{"line": 1, "column": 1}, "end": map[string]any{"line": 1, "column": 2}}}},
	}
	s.checks = map[string]check{}
	s.run("cursorcli.tsv", ofEditor)
}

// settings returns the settings file that the first start has made.
func (s *subject) settings() map[string]any {
	s.t.Helper()
	var config map[string]any
	if err := json.Unmarshal([]byte(s.read(".cursorcli-mcp/config.json")), &config); err != nil {
		s.t.Fatal(err)
	}
	if _, ok := at(config, "server.version").(string); !ok { // the version of the program is not written
		config["server"].(map[string]any)["version"] = at(s.mustMembers("get_project_info", nil)["settings"], "server.version")
	}
	return config
}

// at returns a value of nested objects.
func at(object any, path string) any {
	values, _ := lookUp([]any{object}, path)
	if len(values) != 1 {
		return nil
	}
	return values[0]
}

// logPath returns the path of the log file.
func (s *subject) logPath() string {
	return filepath.Join(s.dir, ".cursorcli-mcp", "logs", "cursorcli.log")
}

// logFile returns the log so far.
func (s *subject) logFile() string {
	s.t.Helper()
	content, err := os.ReadFile(s.logPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	return string(content)
}

// many makes a directory of 3000 files.
func (s *subject) many() {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.dir, "many")); err == nil {
		return
	}
	files := make(map[string]string)
	for n := range 3000 {
		files[fmt.Sprintf("many/file%04d.txt", n)] = ""
	}
	s.write(files)
}

// otherNames matches names of tools and parameters that the joint profiles have and no specification.
var otherNames = regexp.MustCompile(`\b(edit_file|search_content|create_directory|move_file|delete_file|get_file_info|read_process_output|send_process_input|list_processes|kill_process|` +
	`find_definition|find_references|rename_symbol|replace_function_chunk|search_symbols|get_repo_map|get_function_callers|refresh_index|get_index_status|` +
	`cancel_agent|send_followup|get_agent_output|expectedSha256|startLine=|endLine=|confirmToken|waitMs|maxBytes|maxEntries|cursor=|occurrenceIds|lineNumbers|includeTypes|dryRun)`)

// checkTexts checks that no text names a tool or parameter that the profile lacks.
func (s *subject) checkTexts() error {
	for _, told := range append(s.texts, s.client.Server().Instructions) {
		for _, name := range otherNames.FindAllString(told, -1) {
			bare := strings.TrimSuffix(name, "=")
			known := s.tools[bare].Name != ""
			for _, tool := range s.tools {
				known = known || strings.Contains(string(tool.InputSchema), `"`+bare+`"`)
			}
			if !known {
				return fmt.Errorf("%s is named, which the profile lacks: %.500s", name, told)
			}
		}
	}
	return nil
}
