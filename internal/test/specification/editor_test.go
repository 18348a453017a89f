package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// makefile has the target build, which prints an error and a warning of a compiler, and quiet, which builds prog.o and changes
// a source.
const makefile = "all build:\n\t@echo 'a.c:3:5: error: bad thing' >&2; echo 'a.c:4:6: warning: odd thing' >&2; exit 1\n\nquiet:\n\t@echo x > prog.o; echo '-- edited' > note.lua\n"

// newEditor starts the editor in its strict profile, with the language server of this test.
func newEditor(t *testing.T, env ...string) *subject {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{t: t, dir: t.TempDir(), extra: []string{"kill_process", "read_process_output"}}
	s.write(map[string]string{
		"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "code.lua": "local x = bad\n", "broken.lua": "local z = bad -- broken\n", "wide.lua": "local   y = 1\n", "Makefile": makefile, "a.c": strings.Repeat("int a;\n", 5), "note.lua": "-- note\n",
		"long.txt": strings.Repeat("line\n", 400),
	})
	s.connect(transport.Command{
		Path: program(t, "editor"), Env: environ(t, env...), Args: []string{
			"-root", s.dir, "-profile", "editor-strict", "-editors", "[]", "-commands-sandbox", "off", "-language-servers", "lua=" + self + " " + languageServerFlag,
		},
	}, nil)
	return s
}

// outcome is the result of a call that runs beside the test.
type outcome struct {
	members map[string]any
	err     error
}

func TestEditor(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("make")
	testrequire.Deep(t, err == nil && runtime.GOOS != "windows", "make", "install make")
	s := newEditor(t)
	long := newEditor(t)
	longEnd := make(chan outcome, 1)
	go func() {
		members, err := long.members("execute_command", map[string]any{"command": "sleep 52; echo done"})
		longEnd <- outcome{members, err}
	}()
	diagnostic := map[string]any{}
	for deadline := time.Now().Add(time.Minute); len(diagnostic) == 0 && time.Now().Before(deadline); {
		found, _ := s.mustMembers("get_diagnostics", map[string]any{"path": "code.lua"})["diagnostics"].([]any)
		if len(found) > 0 {
			diagnostic = found[0].(map[string]any)
		}
	}
	broken := maps.Clone(diagnostic)
	broken["file"] = "broken.lua"
	delete(broken, "id")
	began := time.Now()
	fixes := s.mustMembers("get_quick_fixes", map[string]any{"diagnostic": diagnostic})["quickFixes"].([]any)
	waited := time.Since(began)
	s.samples = []sample{
		{"read_file", map[string]any{"path": "a.txt"}},
		{"write_file", map[string]any{"path": "new/w.txt", "content": "x"}},
		{"write_file", map[string]any{"path": "b.txt", "content": "x"}},
		{"insert_code", map[string]any{"path": "a.txt", "line": 1, "content": "zero"}},
		{"delete_code", map[string]any{"path": "a.txt", "startLine": 1, "endLine": 1}},
		{"replace_code", map[string]any{"path": "a.txt", "pattern": "two", "replacement": "2"}},
		{"execute_command", map[string]any{"command": "echo hi"}},
		{"execute_command", map[string]any{"command": "echo bg", "background": true}},
		{"execute_build", nil},
		{"execute_build", map[string]any{"target": "quiet"}},
		{"get_diagnostics", map[string]any{"path": "code.lua"}},
		{"get_quick_fixes", map[string]any{"diagnostic": diagnostic}},
		{"apply_quick_fix", map[string]any{"fixId": at(fixes[0], "id")}},
		{"format_document", map[string]any{"path": "wide.lua"}},
	}
	s.checks = map[string]check{
		"error INVALID_PARAMS":    s.fails("read_file", nil),
		"error FILE_NOT_FOUND":    s.fails("read_file", map[string]any{"path": "missing"}),
		"error PERMISSION_DENIED": s.fails("read_file", map[string]any{"path": "../x"}),
		"error COMMAND_BLOCKED":   s.fails("execute_command", map[string]any{"command": "rm", "args": []string{"-rf", "/"}}),
		"error TIMEOUT":           s.fails("execute_command", map[string]any{"command": "sleep 20", "timeout": 100}),
		"error INTERNAL_ERROR":    s.fails("get_quick_fixes", map[string]any{"diagnostic": broken}),
		"limit delete_code of 100 lines": func(row) error {
			return s.fails("delete_code", map[string]any{"path": "long.txt", "startLine": 1, "endLine": 100})(row{name: "PERMISSION_DENIED"})
		},
		"limit delete_code of 99 lines": func(row) error {
			got, err := s.members("delete_code", map[string]any{"path": "long.txt", "startLine": 1, "endLine": 99})
			return errors.Join(err, expect(got["linesDeleted"] == 99.0, got))
		},
		"behaviour delete_code with requireConfirmation false": func(row) error {
			got, err := s.members("delete_code", map[string]any{"path": "long.txt", "startLine": 1, "endLine": 100, "requireConfirmation": false})
			return errors.Join(err, expect(got["linesDeleted"] == 100.0, got))
		},
		"behaviour replace_code with $1 and $<name>": func(row) error {
			s.write(map[string]string{"r.txt": "ab cd\n"})
			_, err := s.members("replace_code", map[string]any{"path": "r.txt", "pattern": `(\w+) (?<last>\w+)`, "replacement": "$<last> $1", "isRegex": true, "preview": false})
			return errors.Join(err, expect(s.read("r.txt") == "cd ab\n", s.read("r.txt")))
		},
		"behaviour output of a command in the background": func(row) error {
			begun := s.mustMembers("execute_command", map[string]any{"command": "sleep 1; echo later", "background": true})
			got, err := s.members("read_process_output", map[string]any{"processId": begun["processId"], "waitMs": 20000})
			if err == nil && !strings.Contains(fmt.Sprint(got), "later") {
				got, err = s.members("read_process_output", map[string]any{"processId": begun["processId"], "waitMs": 20000})
			}
			return errors.Join(err, expect(strings.Contains(fmt.Sprint(got), "later"), got))
		},
		"behaviour killProcess": func(row) error {
			begun := s.mustMembers("execute_command", map[string]any{"command": "sleep 30", "background": true})
			_, err := s.members("kill_process", map[string]any{"processId": begun["processId"]})
			return err
		},
		"limit execute_command of 55 seconds": func(row) error {
			got := <-longEnd
			return errors.Join(got.err, expect(got.members["stdout"] == "done\n" && got.members["exitCode"] == 0.0, got.members))
		},
		"behaviour execute_build names outputs alone": func(row) error {
			artifacts := fmt.Sprint(at(s.results["execute_build"][1], "artifacts"))
			return expect(strings.Contains(artifacts, "prog.o") && !strings.Contains(artifacts, "note.lua"), artifacts)
		},
		"behaviour a link that leads out of the project": func(row) error {
			if err := os.Symlink(t.TempDir(), filepath.Join(s.dir, "out")); err != nil {
				return err
			}
			return s.fails("write_file", map[string]any{"path": "out/x", "content": ""})(row{name: "PERMISSION_DENIED"})
		},
		"audit result success": s.audited("success", "read_file", map[string]any{"path": "a.txt"}),
		"audit result error":   s.audited("error", "read_file", map[string]any{"path": "missing"}),
		"audit result blocked": s.audited("blocked", "execute_command", map[string]any{"command": "rm -rf /"}),
		"audit one record for each operation": func(row) error {
			for _, c := range []sample{{"execute_command", map[string]any{"command": "mkfs x"}}, {"write_file", map[string]any{"path": "once.txt", "content": ""}}, {"execute_command", map[string]any{"command": "true"}}} {
				before := len(s.records())
				if _, err := s.call(c.tool, c.args); err != nil {
					return err
				}
				if n := len(s.records()) - before; n != 1 {
					return fmt.Errorf("%s: %d records", c.tool, n)
				}
			}
			return nil
		},
		"behaviour ErrorResponse": func(row) error {
			result, err := s.call("read_file", map[string]any{"path": "missing"})
			if err != nil {
				return err
			}
			parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
			return expect(parts["code"] == "FILE_NOT_FOUND" && parts["message"] != "", parts)
		},
		"behaviour a query of an editor that fails twice": func(row) error {
			return expect(waited >= 3*time.Second && len(fixes) == 1, waited) // after one second and then two
		},
		"limit maxConcurrentRequests": func(row) error {
			limited := newEditor(t, "MAX_CONCURRENT_REQUESTS=1")
			ended := make(chan error, 1)
			go func() {
				_, err := limited.client.CallTool(t.Context(), "execute_command", map[string]any{"command": "sleep 1; echo x > ended"}, nil)
				ended <- err
			}()
			for deadline := time.Now().Add(time.Minute); len(limited.records()) == 0 && time.Now().Before(deadline); {
				if _, err := limited.call("read_file", map[string]any{"path": "a.txt"}); err != nil {
					return err
				}
			}
			err := <-ended
			return errors.Join(err, expect(limited.read("ended") == "x\n", "the command has not ended"))
		},
		"limit read_file of a larger file than maxSize": func(row) error {
			got, err := s.members("read_file", map[string]any{"path": "long2.txt", "maxSize": 1000})
			if err != nil {
				s.write(map[string]string{"long2.txt": strings.Repeat("0123456789abcde\n", 1000)})
				got, err = s.members("read_file", map[string]any{"path": "long2.txt", "maxSize": 1000})
			}
			content, _ := got["content"].(string)
			return errors.Join(err, expect(len(content) > 900 && len(content) <= 1000 && got["isTruncated"] == true && got["size"] == 16000.0, got))
		},
		"limit read_file of 1 MB": func(row) error {
			content := strings.Repeat("0123456789abcde\n", 1<<16)
			s.write(map[string]string{"large.txt": content})
			got, err := s.members("read_file", map[string]any{"path": "large.txt"})
			return errors.Join(err, expect(got["content"] == content && got["isTruncated"] == false, len(fmt.Sprint(got["content"]))))
		},
		"setting PROJECT_ROOT": func(row) error {
			dir := t.TempDir()
			other := &subject{t: t, dir: dir}
			other.write(map[string]string{"here.txt": "here"})
			other.connect(transport.Command{Path: program(t, "editor"), Args: []string{"-profile", "editor-strict"}, Env: environ(t, "PROJECT_ROOT="+dir)}, nil)
			got, err := other.members("read_file", map[string]any{"path": "here.txt"})
			return errors.Join(err, expect(got["content"] == "here", got))
		},
		"setting LOG_PATH": func(row) error {
			other := newEditor(t, "LOG_PATH=other/log.txt")
			other.mustMembers("read_file", map[string]any{"path": "a.txt"})
			return expect(strings.Contains(other.read("other/log.txt"), "read_file"), "no record")
		},
		"setting DEFAULT_TIMEOUT": func(r row) error {
			other := newEditor(t, "DEFAULT_TIMEOUT=200")
			return other.fails("execute_command", map[string]any{"command": "sleep 20"})(row{name: "TIMEOUT"})
		},
		"setting MAX_FILE_SIZE": func(row) error {
			other := newEditor(t, "MAX_FILE_SIZE=1000")
			got, err := other.members("read_file", map[string]any{"path": "long.txt"})
			return errors.Join(err, expect(got["isTruncated"] == true, got))
		},
		"behaviour get_diagnostics without a path": s.returns("get_diagnostics", nil, func(got map[string]any) bool { return strings.Contains(fmt.Sprint(got["diagnostics"]), "broken.lua") }),
		"behaviour apply_quick_fix": func(row) error {
			return expect(s.read("code.lua") == "local x = good\n" && strings.Contains(fmt.Sprint(at(s.results["apply_quick_fix"][0], "diff")), "good"), s.read("code.lua"))
		},
		"behaviour format_document": func(row) error {
			return expect(s.read("wide.lua") == "local y = 1\n", s.read("wide.lua"))
		},
		"behaviour texts name only tools and parameters of the specification": func(row) error { return s.checkTexts() },
	}
	s.checks["setting MAX_CONCURRENT_REQUESTS"] = s.checks["limit maxConcurrentRequests"]
	for _, more := range []map[string]check{s.editorFileChecks(), s.editorCommandChecks(), s.editorErrorChecks(), s.editorDefaults()} {
		maps.Copy(s.checks, more)
	}
	for _, r := range readTable(t, "editor.tsv") {
		if line, ok := strings.CutPrefix(r.name, "blocked: "); ok {
			s.checks["behaviour "+r.name] = func(_ row) error {
				return s.fails("execute_command", map[string]any{"command": line})(row{name: "COMMAND_BLOCKED"})
			}
		}
		if r.kind == "audit" && s.checks["audit "+r.name] == nil {
			s.checks["audit "+r.name] = func(r row) error {
				for _, record := range s.records() {
					if !hasType(record[r.name], r.spec) {
						return fmt.Errorf("found %v", record)
					}
				}
				return expect(len(s.records()) > 0, "no record")
			}
		}
	}
	s.run("editor.tsv", nil)
}

// records returns the records of the audit log.
func (s *subject) records() []map[string]any {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, "logs", "audit.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	var records []map[string]any
	for line := range strings.Lines(string(content)) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

// audited returns a check that a call adds a record with a result.
func (s *subject) audited(result, tool string, args map[string]any) check {
	return func(row) error {
		if _, err := s.call(tool, args); err != nil {
			return err
		}
		all := s.records()
		last := all[len(all)-1]
		return expect(last["operation"] == tool && last["result"] == result, last)
	}
}
