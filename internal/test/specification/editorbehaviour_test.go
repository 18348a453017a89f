package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// The text 日本語 in the encodings of the specification.
const (
	japanese         = "日本語\n"
	japaneseShiftJIS = "\x93\xfa\x96\x7b\x8c\xea\n"
	japaneseEUC      = "\xc6\xfc\xcb\xdc\xb8\xec\n"
)

// returns returns a check that a call succeeds with a result that ok accepts.
func (s *subject) returns(tool string, args map[string]any, ok func(got map[string]any) bool) check {
	return func(row) error {
		got, err := s.members(tool, args)
		if err != nil {
			return err
		}
		return expect(ok(got), got)
	}
}

// failsAs returns a check that a call fails with a code.
func (s *subject) failsAs(code, tool string, args map[string]any) check {
	return func(row) error { return s.fails(tool, args)(row{name: code}) }
}

// editorFileChecks are the checks of the tools that read and change files.
func (s *subject) editorFileChecks() map[string]check {
	reads := func(content, encoding string) check {
		return func(row) error {
			s.write(map[string]string{"japanese.txt": content})
			return s.returns("read_file", map[string]any{"path": "japanese.txt"}, func(got map[string]any) bool {
				return got["content"] == japanese && got["encoding"] == encoding
			})(row{})
		}
	}
	writes := func(content, encoding string) check {
		return func(row) error {
			_, err := s.members("write_file", map[string]any{"path": "written.txt", "content": japanese, "encoding": encoding})
			return errors.Join(err, expect(s.read("written.txt") == content, s.read("written.txt")))
		}
	}
	// edits calls a tool on a file with content and compares the file afterwards.
	edits := func(tool, content, want string, args map[string]any, ok func(got map[string]any) bool) check {
		return func(row) error {
			s.write(map[string]string{"edited.txt": content})
			all := map[string]any{"path": "edited.txt"}
			maps.Copy(all, args)
			got, err := s.members(tool, all)
			return errors.Join(err, expect(s.read("edited.txt") == want && ok(got), fmt.Sprint(got, s.read("edited.txt"))))
		}
	}
	insert := func(preserve bool, want string) check {
		return edits("insert_code", "if x {\n    one()\n}\n", want, map[string]any{"line": 2, "content": "zero()", "preserveIndent": preserve}, func(map[string]any) bool { return true })
	}
	withoutBackup := func(path string) error {
		return s.returns("write_file", map[string]any{"path": path, "content": "new", "createBackup": false}, func(got map[string]any) bool {
			return got["backupPath"] == nil && got["bytesWritten"] == 3.0
		})(row{})
	}
	return map[string]check{
		"behaviour an absolute path outside of the project": s.failsAs("PERMISSION_DENIED", "read_file", map[string]any{"path": "/src/main.ts"}),

		"behaviour read_file with encoding auto of a file in Shift_JIS": reads(japaneseShiftJIS, "shift-jis"),
		"behaviour read_file with encoding auto of a file in EUC-JP":    reads(japaneseEUC, "euc-jp"),
		"behaviour write_file with encoding shift-jis":                  writes(japaneseShiftJIS, "shift-jis"),
		"behaviour write_file with encoding euc-jp":                     writes(japaneseEUC, "euc-jp"),
		"behaviour the backup of an overwritten file": func(row) error {
			s.write(map[string]string{"kept.txt": "old"})
			got, err := s.members("write_file", map[string]any{"path": "kept.txt", "content": "new"})
			if err != nil {
				return err
			}
			kept, err := s.members("read_file", map[string]any{"path": got["backupPath"]})
			return errors.Join(err, expect(kept["content"] == "old" && s.read("kept.txt") == "new", got))
		},
		"behaviour write_file with createBackup false": func(row) error {
			s.write(map[string]string{"seen.txt": "old"})
			s.mustMembers("read_file", map[string]any{"path": "seen.txt"})
			return withoutBackup("seen.txt")
		},
		"behaviour write_file with createBackup false of a file that was not read": func(row) error {
			s.write(map[string]string{"unseen.txt": "old"})
			return withoutBackup("unseen.txt")
		},
		"behaviour write_file with createDirectories false": s.failsAs("FILE_NOT_FOUND", "write_file", map[string]any{"path": "none/x.txt", "content": "", "createDirectories": false}),
		"behaviour insert_code at a line counted from 1": edits("insert_code", "one\ntwo\n", "one\na\nb\ntwo\n", map[string]any{"line": 2, "content": "a\nb"}, func(got map[string]any) bool {
			return got["linesInserted"] == 2.0 && at(got, "modifiedRange.start") == 2.0 && at(got, "modifiedRange.end") == 3.0
		}),
		"behaviour insert_code with preserveIndent":       insert(true, "if x {\n    zero()\n    one()\n}\n"),
		"behaviour insert_code with preserveIndent false": insert(false, "if x {\nzero()\n    one()\n}\n"),
		"behaviour delete_code to an inclusive end": edits("delete_code", "1\n2\n3\n4\n", "1\n4\n", map[string]any{"startLine": 2, "endLine": 3}, func(got map[string]any) bool {
			return got["linesDeleted"] == 2.0
		}),
		"behaviour replace_code with preview": edits("replace_code", "a\nb\na\n", "a\nb\na\n", map[string]any{"pattern": "a", "replacement": "c"}, func(got map[string]any) bool {
			return got["replacementCount"] == 2.0 && fmt.Sprint(got["affectedLines"]) == "[1 3]" && strings.Contains(fmt.Sprint(got["preview"]), "-a\n+c")
		}),
		"behaviour replace_code of a text": edits("replace_code", "a.c abc\n", "x abc\n", map[string]any{"pattern": "a.c", "replacement": "x", "preview": false}, func(got map[string]any) bool {
			return got["replacementCount"] == 1.0
		}),
	}
}

// editorCommandChecks are the checks of the tools that run programs.
func (s *subject) editorCommandChecks() map[string]check {
	t := s.t
	echoes := newEditor(t, "PATH="+recorders(s, "npm", "yarn", "pnpm", "mvn", "gradle", "msbuild", "dotnet")+string(os.PathListSeparator)+os.Getenv("PATH"))
	echoes.write(map[string]string{
		"package.json": `{"name":"p","scripts":{"build":"true","test":"true","prod":"true"}}`, "pom.xml": "<project/>", "build.gradle": "", "p.csproj": `<Project Sdk="Microsoft.NET.Sdk"/>`,
		"sub/package.json": `{"name":"sub","scripts":{"build":"true"}}`,
	})
	builds := func(want string, args map[string]any) check {
		return echoes.returns("execute_build", args, func(got map[string]any) bool {
			log, _ := got["buildLog"].(string)
			return got["success"] == true && containsAll(log, strings.Fields(want)...)
		})
	}
	checks := map[string]check{
		"behaviour execute_command in the project": s.returns("execute_command", map[string]any{"command": "pwd"}, func(got map[string]any) bool {
			return strings.HasSuffix(strings.TrimSpace(fmt.Sprint(got["stdout"])), filepath.Base(s.dir))
		}),
		"behaviour execute_command with cwd": func(row) error {
			s.write(map[string]string{"below/x": ""})
			return s.returns("execute_command", map[string]any{"command": "pwd", "cwd": "below"}, func(got map[string]any) bool {
				return strings.HasSuffix(strings.TrimSpace(fmt.Sprint(got["stdout"])), "/below")
			})(row{})
		},
		"behaviour execute_command with an exit code": s.returns("execute_command", map[string]any{"command": "echo out; echo err >&2; exit 3"}, func(got map[string]any) bool {
			return got["exitCode"] == 3.0 && got["stdout"] == "out\n" && got["stderr"] == "err\n"
		}),
		"behaviour execute_command with args": s.returns("execute_command", map[string]any{"command": "printf", "args": []string{"%s|", "a b", "$HOME", "*"}}, func(got map[string]any) bool {
			return got["stdout"] == "a b|$HOME|*|"
		}),
		"behaviour execute_build with target test": builds("npm test", map[string]any{"buildType": "npm", "target": "test"}),
		"behaviour execute_build with target prod": builds("npm prod", map[string]any{"buildType": "npm", "target": "prod"}),
		"behaviour execute_build with projectPath": builds("npm build /sub", map[string]any{"projectPath": "sub"}),
		"behaviour execute_build with buildType auto": func(row) error {
			got, err := echoes.members("execute_build", map[string]any{"projectPath": "sub"})
			return errors.Join(err, expect(got["success"] == true && strings.Contains(fmt.Sprint(got["buildLog"]), "npm"), got))
		},
	}
	for _, r := range readTable(t, "editor.tsv") {
		if kind, ok := strings.CutPrefix(r.name, "execute_build with buildType "); ok && kind != "auto" {
			checks["behaviour "+r.name] = builds(strings.ReplaceAll(r.spec, " run", ""), map[string]any{"buildType": kind})
		}
	}
	return checks
}

// recorders makes programs that print their names, arguments and working directory, and returns their directory.
func recorders(s *subject, names ...string) string {
	s.t.Helper()
	dir := s.t.TempDir()
	for _, name := range names {
		script := "#!/bin/sh\necho " + name + " \"$@\" in \"$PWD\"\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	return dir
}

// containsAll reports whether a text has all words.
func containsAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// editorErrorChecks are the checks of errors and of the records of operations.
func (s *subject) editorErrorChecks() map[string]check {
	codes := []string{"INVALID_PARAMS", "FILE_NOT_FOUND", "PERMISSION_DENIED", "COMMAND_BLOCKED", "TIMEOUT", "INTERNAL_ERROR"}
	return map[string]check{
		"behaviour codes of errors": func(row) error {
			for _, c := range []sample{
				{"apply_quick_fix", map[string]any{"fixId": "none"}},
				{"read_file", map[string]any{"path": "."}},
				{"replace_code", map[string]any{"path": "a.txt", "pattern": "(", "replacement": "", "isRegex": true}},
				{"delete_code", map[string]any{"path": "long.txt", "startLine": 1, "endLine": 200}},
				{"insert_code", map[string]any{"path": "a.txt", "line": 1000, "content": "x"}},
				{"execute_build", map[string]any{"buildType": "npm"}},
				{"execute_build", map[string]any{"projectPath": "none"}},
				{"format_document", map[string]any{"path": "a.txt"}},
				{"kill_process", map[string]any{"processId": "none"}},
				{"get_quick_fixes", map[string]any{"diagnostic": map[string]any{"file": "none.lua"}}},
			} {
				result, err := s.call(c.tool, c.args)
				if err != nil {
					return err
				}
				code := result.ErrorCode()
				if !result.IsError || !slices.Contains(codes, code) || !strings.HasPrefix(text(result), code+": ") {
					return fmt.Errorf("%s %v: code %q, text %q", c.tool, c.args, code, text(result))
				}
			}
			return nil
		},
		"behaviour get_quick_fixes of an unknown diagnostic": s.failsAs("INVALID_PARAMS", "get_quick_fixes", map[string]any{"diagnostic": map[string]any{"file": "code.lua"}}),
		"behaviour a change is not repeated": func(row) error {
			fix := at(s.results["get_quick_fixes"][0], "quickFixes")
			id := at(fix.([]any)[0], "id")
			if _, err := s.call("apply_quick_fix", map[string]any{"fixId": id}); err != nil {
				return err
			}
			return s.failsAs("INVALID_PARAMS", "apply_quick_fix", map[string]any{"fixId": id})(row{})
		},
		"behaviour isError": func(row) error {
			result, err := s.call("read_file", map[string]any{"path": "missing"})
			if err != nil {
				return err
			}
			return expect(result.IsError, result)
		},
		"behaviour details of an error": func(row) error {
			result, err := s.call("read_file", map[string]any{"path": "missing"})
			if err != nil {
				return err
			}
			details := at(result.Meta[protocol.ErrorMeta], "details")
			return expect(at(details, "file") == "missing" && hasType(at(details, "suggestion"), "string"), result.Meta)
		},
		"audit params of a record": func(row) error {
			if _, err := s.call("read_file", map[string]any{"path": "b.txt"}); err != nil {
				return err
			}
			all := s.records()
			params, _ := all[len(all)-1]["params"].(string)
			var args map[string]any
			err := json.Unmarshal([]byte(params), &args)
			return errors.Join(err, expect(args["path"] == "b.txt", all[len(all)-1]))
		},
		"audit an unknown user": func(row) error {
			other := &subject{t: s.t, dir: s.dir}
			other.connectAs(mcp.Implementation{}, transport.Command{Path: program(s.t, "editor"), Args: []string{"-root", s.dir, "-profile", "editor-strict", "-editors", "[]"}, Env: environ(s.t)}, nil)
			other.mustMembers("read_file", map[string]any{"path": "b.txt"})
			all := s.records()
			return expect(all[len(all)-1]["userId"] == "unknown", all[len(all)-1])
		},
		"audit records of an earlier run": func(row) error {
			count := func() int { return len(s.records()) }
			before := count()
			again := &subject{t: s.t, dir: s.dir}
			again.connect(transport.Command{Path: program(s.t, "editor"), Args: []string{"-root", s.dir, "-profile", "editor-strict", "-editors", "[]"}, Env: environ(s.t)}, nil)
			again.mustMembers("read_file", map[string]any{"path": "b.txt"})
			return expect(before > 0 && count() == before+1, count())
		},
	}
}

// editorDefaults are the checks of the defaults of the settings, as the help of the flags has them.
func (s *subject) editorDefaults() map[string]check {
	help, err := exec.Command(program(s.t, "editor"), "help", "flags").CombinedOutput()
	if err != nil {
		s.t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(help)), " ")
	states := func(flag string) check {
		return func(r row) error {
			_, after, ok := strings.Cut(words, " "+flag+" ")
			after, _, _ = strings.Cut(after, " -")
			return expect(ok && strings.Contains(after, "(default "+r.spec+")"), after)
		}
	}
	return map[string]check{
		"setting the default of LOG_PATH":                states("-log-path"),
		"setting the default of MAX_CONCURRENT_REQUESTS": states("-max-concurrent-requests"),
		"setting the default of DEFAULT_TIMEOUT":         states("-default-timeout"),
		"setting the default of MAX_FILE_SIZE":           states("-max-file-size"),
		"limit the timeout of a command":                 func(row) error { return states("-default-timeout")(row{spec: "60000"}) },
		"setting the default of PROJECT_ROOT": func(row) error {
			dir := s.t.TempDir()
			other := &subject{t: s.t, dir: dir}
			other.write(map[string]string{"here.txt": "here"})
			other.connect(transport.Command{Path: program(s.t, "editor"), Dir: dir, Args: []string{"-profile", "editor-strict", "-editors", "[]"}, Env: environ(s.t)}, nil)
			return other.returns("read_file", map[string]any{"path": "here.txt"}, func(got map[string]any) bool { return got["content"] == "here" })(row{})
		},
	}
}
