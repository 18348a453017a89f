package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// BenchmarkCursorCLI_Start measures the time from the start of cursorcli to its list of tools.
func BenchmarkCursorCLI_Start(b *testing.B) {
	path := program(b, "cursorcli")
	dir := b.TempDir()
	for b.Loop() {
		client, err := mcp.Connect(b.Context(), transport.Command{Path: path, Args: []string{"-root", dir, "-profile", "cursorcli-strict"}, Env: []string{"HOME=" + dir}}, mcp.Implementation{Name: "specification", Version: "1"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range client.Tools(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := client.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// names returns the members name or path of the elements of a list.
func names(got map[string]any, list, member string) []any {
	all, _ := lookUp([]any{any(got)}, list+"[]."+member)
	return all
}

// cursorFileChecks are the checks of the tools for files.
func (s *subject) cursorFileChecks() map[string]check {
	lists := func(args map[string]any, has, lacks string) check {
		return s.returns("list_directory", args, func(got map[string]any) bool {
			all := names(got, "entries", "name")
			return (has == "" || slices.Contains(all, any(has))) && !slices.Contains(all, any(lacks))
		})
	}
	return map[string]check{
		"behaviour read_file with an absolute path": s.returns("read_file", map[string]any{"path": filepath.Join(s.dir, "b.ts")}, func(got map[string]any) bool { return got["content"] == "let b = 1\n" }),
		"behaviour write_file with createDirectories": func(row) error {
			_, err := s.members("write_file", map[string]any{"path": "made/deep/x.txt", "content": "x", "createDirectories": true})
			return errors.Join(err, expect(s.read("made/deep/x.txt") == "x", "another content"))
		},
		"behaviour write_file without createDirectories": s.failsAs("FILE_NOT_FOUND", "write_file", map[string]any{"path": "none/x.txt", "content": ""}),
		"behaviour write_file with overwrite false": func(row) error {
			result, err := s.call("write_file", map[string]any{"path": "b.ts", "content": "x", "overwrite": false})
			return errors.Join(err, expect(result.IsError && s.read("b.ts") == "let b = 1\n", result))
		},
		"behaviour write_file of a new and of an old file": func(row) error {
			first, err := s.members("write_file", map[string]any{"path": "twice.txt", "content": "x"})
			second, again := s.members("write_file", map[string]any{"path": "twice.txt", "content": "y"})
			return errors.Join(err, again, expect(first["created"] == true && second["created"] == false && second["size"] == 1.0, second))
		},
		"behaviour list_directory with recursive":        lists(map[string]any{"path": ".", "recursive": true}, "c.txt", ".hidden"),
		"behaviour list_directory without includeHidden": lists(map[string]any{"path": "."}, "a.txt", ".hidden"),
		"behaviour list_directory with includeHidden":    lists(map[string]any{"path": ".", "includeHidden": true}, ".hidden", "c.txt"),
		"behaviour list_directory of a link": func(row) error {
			if err := os.Symlink("a.txt", filepath.Join(s.dir, "link")); err != nil {
				return err
			}
			return s.returns("list_directory", map[string]any{"path": ".", "pattern": "link"}, func(got map[string]any) bool { return fmt.Sprint(names(got, "entries", "type")) == "[symlink]" })(row{})
		},
		"behaviour a link that leads out of the project": func(row) error {
			if err := os.Symlink(s.t.TempDir(), filepath.Join(s.dir, "out")); err != nil {
				return err
			}
			return s.fails("write_file", map[string]any{"path": "out/x", "content": ""})(row{name: "OUTSIDE_PROJECT_ROOT"})
		},
		"behaviour a traversal in the middle of a path": func(row) error {
			return s.fails("read_file", map[string]any{"path": "sub/../../x"})(row{name: "PATH_TRAVERSAL"})
		},
		"behaviour isError": func(row) error {
			result, err := s.call("read_file", map[string]any{"path": "missing"})
			return errors.Join(err, expect(result.IsError, result))
		},
	}
}

// cursorProjectChecks are the checks of the tools for the project.
func (s *subject) cursorProjectChecks() map[string]check {
	s.write(map[string]string{".gitignore": "ignored/\n", "ignored/i.txt": "", "sub/deep/d.txt": ""})
	finds := func(args map[string]any, ok func(paths []any) bool) check {
		return s.returns("search_files", args, func(got map[string]any) bool { return ok(names(got, "files", "path")) })
	}
	types := func(kind string) check {
		return s.returns("search_files", map[string]any{"pattern": "**", "fileType": kind}, func(got map[string]any) bool {
			all := names(got, "files", "type")
			return len(all) > 0 && !slices.ContainsFunc(all, func(v any) bool { return v != kind })
		})
	}
	shows := func(args map[string]any, has, lacks string) check {
		return s.returns("get_workspace_structure", args, func(got map[string]any) bool {
			text, err := json.Marshal(got)
			return err == nil && strings.Contains(string(text), `"`+has+`"`) && !strings.Contains(string(text), `"`+lacks+`"`)
		})
	}
	ignored := func(paths []any) bool { return strings.Contains(fmt.Sprint(paths), "i.txt") }
	return map[string]check{
		"behaviour get_project_info of a project with React":     s.returns("get_project_info", nil, func(got map[string]any) bool { return strings.EqualFold(fmt.Sprint(got["framework"]), "react") }),
		"behaviour search_files without includeIgnored":          finds(map[string]any{"pattern": "**/i.txt"}, func(paths []any) bool { return !ignored(paths) }),
		"behaviour search_files with includeIgnored":             finds(map[string]any{"pattern": "**/i.txt", "includeIgnored": true}, ignored),
		"behaviour search_files with fileType directory":         types("directory"),
		"behaviour search_files with fileType file":              types("file"),
		"behaviour get_workspace_structure with maxDepth":        shows(map[string]any{"maxDepth": 1}, "sub", "c.txt"),
		"behaviour get_workspace_structure with excludePatterns": shows(map[string]any{"excludePatterns": []string{"*.ts"}}, "a.txt", "b.ts"),
	}
}

// cursorUsageChecks are the checks of the statistics of models.
func (s *subject) cursorUsageChecks() map[string]check {
	use := map[string]any{"modelName": "many", "inputTokens": 1, "outputTokens": 2, "duration": 3}
	return map[string]check{
		"behaviour usage after a restart": func(row) error {
			again := &subject{t: s.t, dir: s.dir}
			again.connect(transport.Command{Path: program(s.t, "cursorcli"), Args: []string{"-root", s.dir, "-profile", "cursorcli-strict"}, Env: environ(s.t)}, nil)
			return again.returns("get_model_statistics", nil, func(got map[string]any) bool { return at(got, "totalTokensUsed.input") == 0.0 })(row{})
		},
		"behaviour usage of concurrent calls": func(row) error {
			var calls group.Group
			for range 20 {
				calls.Go(func() { _, _ = s.client.CallTool(s.t.Context(), "track_token_usage", use, nil) })
			}
			calls.Wait()
			return s.returns("get_model_statistics", nil, func(got map[string]any) bool { return at(got, "modelBreakdown.many.count") == 20.0 })(row{})
		},
		"behaviour track_token_usage": func(row) error {
			result, err := s.call("track_token_usage", map[string]any{"modelName": "one", "inputTokens": 1, "outputTokens": 2, "duration": 3})
			return errors.Join(err, expect(!result.IsError, result))
		},
	}
}

// cursorSettingChecks are the checks of settings. config are those of the file that the first start has made.
func (s *subject) cursorSettingChecks(config map[string]any) map[string]check {
	t := s.t
	// begin starts cursorcli with a settings file.
	begin := func(settings string, env ...string) *subject {
		other := &subject{t: t, dir: t.TempDir()}
		other.write(map[string]string{".cursorcli-mcp/config.json": settings, "a.txt": "0123456789\n", "x.secret": "", "in.txt": ""})
		other.connect(transport.Command{Path: program(t, "cursorcli"), Args: []string{"-root", other.dir, "-profile", "cursorcli-strict"}, Env: environ(t, env...)}, nil)
		return other
	}
	// uses returns a check that a setting has a value.
	uses := func(settings, path string, want any, env ...string) check {
		return func(row) error {
			got := begin(settings, env...).mustMembers("get_project_info", nil)["settings"]
			return expect(fmt.Sprint(at(got, path)) == fmt.Sprint(want), got)
		}
	}
	is := func(path string) check {
		return func(r row) error { return expect(fmt.Sprint(at(config, path)) == r.spec, config) }
	}
	checks := map[string]check{
		"behaviour a file that is no JSON": uses("{", "server.requestTimeoutMs", 5000.0),
		"setting a variable over the file": uses(`{"server":{"requestTimeoutMs":4000}}`, "server.requestTimeoutMs", 3000.0, "CURSORCLI_MCP_SERVER_REQUEST_TIMEOUT_MS=3000"),
		"behaviour tools.allowedTools": func(row) error {
			other := begin(`{"tools":{"allowedTools":["read_file"]}}`)
			return expect(len(other.tools) == 1 && other.tools["read_file"].Name != "", other.tools)
		},
		"setting security.enforceProjectRoot by default":         is("security.enforceProjectRoot"),
		"setting security.allowDestructiveOperations by default": is("security.allowDestructiveOperations"),
		"behaviour tools.fileOperations.blockedPatterns": func(row) error {
			return begin(`{"tools":{"fileOperations":{"blockedPatterns":["*.secret"]}}}`).fails("read_file", map[string]any{"path": "x.secret"})(row{name: "BLOCKED_PATTERN"})
		},
		"behaviour tools.fileOperations.allowedDirectories": func(row) error {
			dir := t.TempDir()
			file := filepath.Join(dir, "other.txt")
			if err := os.WriteFile(file, []byte("other"), 0o600); err != nil {
				return err
			}
			other := begin("{}", "CURSORCLI_MCP_TOOLS_FILE_OPERATIONS_ALLOWED_DIRECTORIES="+dir)
			return other.returns("read_file", map[string]any{"path": file}, func(got map[string]any) bool { return got["content"] == "other" })(row{})
		},
		"limit tools.fileOperations.maxFileSize": func(row) error {
			return begin(`{"tools":{"fileOperations":{"maxFileSize":4}}}`).returns("read_file", map[string]any{"path": "a.txt"}, func(got map[string]any) bool {
				return got["truncated"] == true && len(fmt.Sprint(got["content"])) <= 4
			})(row{})
		},
		"behaviour a change of the file": func(row) error {
			other := begin("{}")
			other.write(map[string]string{".cursorcli-mcp/config.json": `{"server":{"requestTimeoutMs":4321}}`})
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
				if at(other.mustMembers("get_project_info", nil)["settings"], "server.requestTimeoutMs") == 4321.0 {
					return nil
				}
			}
			return errors.New("the change is not followed")
		},
	}
	for _, value := range []string{"debug", "info", "warn", "error"} {
		checks["setting logging.level "+value] = uses(`{"logging":{"level":"`+value+`"}}`, "logging.level", value)
	}
	for _, value := range []string{"console", "file", "cursor-output-panel"} {
		checks["setting logging.outputs "+value] = uses(`{"logging":{"outputs":["`+value+`"]}}`, "logging.outputs", "["+value+"]")
	}
	return checks
}

// cursorLogChecks are the checks of the log and of the protocol.
func (s *subject) cursorLogChecks() map[string]check {
	t := s.t
	dir := t.TempDir()
	other := &subject{t: t, dir: dir}
	other.write(map[string]string{".cursorcli-mcp/config.json": `{"server":{"maxConcurrentRequests":-5},"logging":{"outputs":["file","console"]}}`, "a.txt": "a"})
	broken := &subject{t: t, dir: t.TempDir()}
	broken.write(map[string]string{".cursorcli-mcp/config.json": "{"})
	// said runs cursorcli in a project with requests and returns its answers and its standard error.
	said := func(in *subject, lines ...string) ([]map[string]any, string, error) {
		cmd := exec.Command(program(t, "cursorcli"), "-root", in.dir, "-profile", "cursorcli-strict")
		cmd.Env = append(os.Environ(), environ(t)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		answers, err := exchange(cmd, lines...)
		return answers, stderr.String(), err
	}
	call := func(id, arguments string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"read_file","arguments":` + arguments + `}}`
	}
	answers, stderr, err := said(other, initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, call("7", `{"path":"a.txt"}`), call(`"x"`, `{}`), call("9", `{"path":"../a.txt"}`))
	if err != nil {
		t.Fatal(err)
	}
	logged := func(parts ...string) check {
		return func(row) error {
			for line := range strings.Lines(other.logFile()) {
				if containsAll(line, parts...) {
					return nil
				}
			}
			return fmt.Errorf("no record with %q in %s", parts, other.logFile())
		}
	}
	return map[string]check{
		"behaviour messages in one write": func(row) error { return expect(len(answers) == 4, answers) },
		"behaviour the id of a request": func(row) error {
			found := fmt.Sprint(ids(answers))
			return expect(containsAll(found, "first", "7", "x", "9"), found)
		},
		"behaviour protocolVersion": func(row) error {
			versions, _ := lookUp([]any{any(map[string]any{"all": anySlice(answers)})}, "all[].result.protocolVersion")
			return expect(fmt.Sprint(versions) == "[2024-11-05]", answers)
		},
		"behaviour capabilities": func(row) error {
			for _, answer := range answers {
				if answer["id"] == "first" {
					all := at(answer, "result.capabilities")
					return expect(hasType(at(all, "tools"), "object") && hasType(at(all, "logging"), "object"), all)
				}
			}
			return errors.New("no answer")
		},
		"log a call that is refused for its arguments": logged("read_file", "INVALID_PARAMS"),
		"log a call that is refused for its path":      logged("read_file", "PERMISSION_DENIED"),
		"log an invalid value":                         logged("WARN", "server.maxConcurrentRequests", "received -5", "from 1 to 1000"),
		"log the begin of the server":                  logged("server starting"),
		"log the server is ready":                      logged("server ready"),
		"log the end of the server":                    logged("server shutting down"),
		"log requestId":                                logged("read_file", "requestId"),
		"log an accepted path":                         logged("tool execution", "a.txt"),
		"log an error":                                 logged("WARN", "path refused", "PATH_TRAVERSAL"),
		"log a file that is no JSON": func(row) error {
			_, stderr, err := said(broken, initialize)
			return errors.Join(err, expect(regexp.MustCompile(`(?m)level=ERROR .*config\.json:1:2`).MatchString(stderr), stderr))
		},
		"behaviour all outputs": func(row) error {
			return expect(strings.Contains(stderr, "server ready") && strings.Contains(other.logFile(), "server ready"), stderr)
		},
		"limit logging.rotationCount": func(row) error {
			small := newCursorCLI(t, nil, "-logging-max-log-size", "1024", "-logging-rotation-count", "2")
			for range 60 {
				small.mustMembers("read_file", map[string]any{"path": "a.txt"})
			}
			old, err := filepath.Glob(small.logPath() + ".*")
			return errors.Join(err, expect(len(old) == 2, old))
		},
	}
}

// anySlice returns objects as values of any type.
func anySlice(objects []map[string]any) []any {
	all := make([]any, len(objects))
	for i, o := range objects {
		all[i] = o
	}
	return all
}
