package cursorcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// setting is a key together with its observable effect on a running server.
type setting struct {
	key     string
	initial string // what is noticed by default
	json    string // another value
	text    string // the same as a person writes it in a variable or a flag
	then    string // what is noticed with it
	bad     []string
	badText []string
	// flags are those that the server needs besides.
	flags []string
	files map[string]string
	// notice looks for what is wanted, or says what there is instead.
	notice func(s *server, want string) string
}

func keys(elsewhere string) []setting {
	quoted := fmt.Sprintf("%q", elsewhere)
	return []setting{
		{key: "server.name", initial: "cursorcli-mcp-server", json: `"mine"`, text: "mine", then: "mine",
			bad: []string{`7`, `""`, `"a\nb"`, `"` + strings.Repeat("x", 129) + `"`, `null`}, badText: []string{strings.Repeat("x", 129), "a\x07"},
			notice: func(s *server, _ string) string { return s.identity("name") }},
		{key: "server.version", initial: version, json: `"9.9"`, text: "9.9", then: "9.9",
			bad: []string{`9.9`, `[]`}, badText: []string{strings.Repeat("9", 65)},
			notice: func(s *server, _ string) string { return s.identity("version") }},
		{key: "server.maxConcurrentRequests", initial: "a second call runs", json: `1`, text: "1", then: "a second call waits",
			bad: []string{`0`, `1001`, `1.5`, `"1"`, `true`}, badText: []string{"0", "many", "-1", "1e9"},
			flags: []string{"-server-request-timeout-ms", "60000"},
			files: map[string]string{"held.txt": "x", "free.txt": "free"}, notice: noticeConcurrency},
		{key: "server.requestTimeoutMs", initial: "it waits", json: `60`, text: "60", then: "did not end within 60ms",
			bad: []string{`0`, `-5`, `600001`, `"5s"`}, badText: []string{"0", "5s"},
			files: map[string]string{"held.txt": "x"}, notice: noticeTimeout},
		{key: "tools.allowedTools", initial: "read_file write_file list_directory", json: `["read_*","list_directory"]`, text: "read_*,list_directory", then: "read_file list_directory",
			bad: []string{`"read_file"`, `[""]`, `["` + strings.Repeat("x", 129) + `"]`, `{}`}, badText: []string{`["read_file"`},
			notice: func(s *server, _ string) string {
				return strings.Join(slices.DeleteFunc(s.tools(), func(name string) bool {
					return name != "read_file" && name != "write_file" && name != "list_directory"
				}), " ")
			}},
		{key: "tools.fileOperations.maxFileSize", initial: "0123456789", json: `9`, text: "9", then: "is cut here",
			bad: []string{`0`, `1073741825`, `"10MB"`}, badText: []string{"0", "10MB"},
			files: map[string]string{"ten.txt": "0123456789"}, notice: noticeRead("ten.txt")},
		{key: "tools.fileOperations.allowedDirectories", initial: "lies outside of the project", json: `["` + filepath.ToSlash(elsewhere) + `"]`, text: elsewhere, then: "from elsewhere",
			bad: []string{quoted, `["/no/such/directory"]`, `["/"]`, `["~"]`, `[".."]`, `["~/.ssh"]`}, badText: []string{"/no/such/directory", "/", "~", "..", "~/.ssh", "~/.config", "~/repo/.git"},
			notice: noticeRead(filepath.Join(elsewhere, "file.txt"))},
		{key: "tools.fileOperations.blockedPatterns", initial: "plain", json: `["*.plain"]`, text: "*.plain", then: "is hidden from tools",
			bad: []string{`"*.plain"`, `["[a-"]`, `["!.env"]`}, badText: []string{"[a-", "{"},
			files: map[string]string{"file.plain": "plain"}, notice: noticeRead("file.plain")},
		{key: "logging.level", initial: "no debug", json: `"debug"`, text: "debug", then: "debug",
			bad: []string{`"loud"`, `"DEBUG"`, `0`}, badText: []string{"loud"},
			flags: []string{"-logging-outputs", toConsole}, notice: noticeDebug},
		{key: "logging.outputs", initial: "client", json: `["console","cursor-output-panel"]`, text: "console,cursor-output-panel", then: "console client",
			bad: []string{`"console"`, `["printer"]`, `["console","console"]`}, badText: []string{"printer"},
			notice: noticeOutputs},
		{key: "logging.logFile", initial: ".cursorcli-mcp/logs/cursorcli.log", json: `".cursorcli-mcp/own.log"`, text: ".cursorcli-mcp/own.log", then: ".cursorcli-mcp/own.log",
			bad:     []string{`"own.log"`, `".cursorcli-mcp/../own.log"`, `"/tmp/own.log"`, `".cursorcli-mcp/own.txt"`, `".cursorcli-mcp/config.json"`, `7`},
			badText: []string{"own.log", ".cursorcli-mcp/own.txt", "docs/own.log"},
			flags:   []string{"-logging-outputs", "console,file"}, notice: noticeLogFile},
		{key: "logging.maxLogSize", initial: "one file", json: `1024`, text: "1024", then: "several files",
			bad: []string{`1023`, `-1`, `"1k"`}, badText: []string{"1023", "1k"},
			flags: []string{"-logging-outputs", "console,file"}, notice: noticeRotation("several files")},
		{key: "logging.rotationCount", initial: "several files", json: `0`, text: "0", then: "one file",
			bad: []string{`-1`, `101`, `"five"`}, badText: []string{"-1", "five"},
			flags: []string{"-logging-outputs", "console,file", "-logging-max-log-size", "1024"}, notice: noticeRotation("several files")},
		{key: "security.enforceProjectRoot", initial: "lies outside of the project", json: `false`, text: "false", then: "from elsewhere",
			bad: []string{`"false"`, `0`}, badText: []string{"no"},
			flags: []string{"-allow-outside-root"}, notice: noticeRead(filepath.Join(elsewhere, "file.txt"))},
		{key: "security.allowDestructiveOperations", initial: "DESTRUCTIVE_NOT_ALLOWED", json: `true`, text: "true", then: "deleted",
			bad: []string{`"true"`, `1`}, badText: []string{"yes"},
			notice: noticeDelete},
	}
}

// elsewhere creates a directory outside of every project, with a file, and a home directory
// with secrets.
func elsewhere(t *testing.T) string {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{"file.txt": "from elsewhere"})
	home, err := os.UserHomeDir()
	apptest.Must(t, err)
	for _, name := range []string{".ssh", ".config", "repo/.git"} {
		apptest.Must(t, os.MkdirAll(filepath.Join(home, filepath.FromSlash(name)), 0o755))
	}
	return dir
}

func TestSettings_EveryKeyIsTested(t *testing.T) {
	var tested, known []string
	for _, k := range keys("/x") {
		tested = append(tested, k.key)
	}
	for _, k := range newSettings().Keys() {
		known = append(known, k.Path())
	}
	if !slices.Equal(tested, known) {
		t.Errorf("tested are %v,\nkeys are  %v", tested, known)
	}
}

func TestSettings_EveryKeyAndSource(t *testing.T) {
	for _, k := range keys(elsewhere(t)) {
		flagName, variable := "", ""
		for _, key := range newSettings().Keys() {
			if key.Path() == k.key {
				flagName, variable = "-"+key.Flag(), variablePrefix+key.Variable()
			}
		}
		with := func(name string, from sources, want, problem string) {
			t.Run(k.key+"/"+name, func(t *testing.T) {
				t.Parallel()
				from.flags = append(slices.Clone(k.flags), from.flags...)
				s := serve(t, k.files, from)
				if got := k.notice(s, want); !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("noticed %q, want %q\n%s", got, want, s.stderr)
				}
				problems := fmt.Sprint(s.service.loaded.Err())
				if problem == "" && problems != "<nil>" || !strings.Contains(problems, problem) || problem != "" && !strings.Contains(problems, k.key) {
					t.Errorf("problems: %s, want one of %q", problems, problem)
				}
			})
		}
		with("default", sources{}, k.initial, "")
		with("file", sources{file: nested(k.key, k.json), approved: nested(k.key, k.json)}, k.then, "")
		with("environment", sources{env: []string{variable + "=" + k.text}}, k.then, "")
		with("flag", sources{flags: []string{flagName + "=" + k.text}}, k.then, "")
		for i, bad := range k.bad {
			with(fmt.Sprint("bad file ", i), sources{file: nested(k.key, bad)}, badly(k, bad), settingsFile)
		}
		for i, bad := range k.badText {
			with(fmt.Sprint("bad environment ", i), sources{env: []string{variable + "=" + bad}}, badly(k, bad), "environment variable "+variable)
			with(fmt.Sprint("bad flag ", i), sources{flags: []string{flagName + "=" + bad}}, badly(k, bad), "flag "+flagName)
		}
	}
}

// badly returns the effect of an invalid value: the default, or for a list the effect of
// its valid elements.
func badly(k setting, bad string) string {
	switch {
	case k.key == "tools.allowedTools" && strings.HasPrefix(bad, "[") && strings.HasSuffix(bad, "]"):
		return ""
	case k.key == "logging.outputs" && strings.Contains(bad, "printer"):
		return ""
	case k.key == "logging.outputs" && strings.HasPrefix(bad, "["):
		return "console"
	}
	return k.initial
}

func TestReload_EveryKey(t *testing.T) {
	for _, k := range keys(elsewhere(t)) {
		t.Run(k.key, func(t *testing.T) {
			t.Parallel()
			s := serve(t, k.files, sources{flags: k.flags, approved: nested(k.key, k.json)})
			for _, step := range []struct {
				file, want string
				bad        bool
			}{
				{nested(k.key, k.json), k.then, false}, {nested(k.key, k.bad[0]), k.then, true}, {nested(k.key, k.json), k.then, false}, {`{}`, k.initial, false},
			} {
				s.settings(step.file)
				if step.bad {
					s.awaitLog("the settings file cannot be used")
				} else {
					s.applied(step.file)
				}
				if got := k.notice(s, step.want); !strings.Contains(got, step.want) {
					t.Errorf("with %s noticed %q, want %q\n%s", step.file, got, step.want, s.stderr)
				}
			}
			if problem := s.stderr.String(); !strings.Contains(problem, settingsFile+":1:") || !strings.Contains(problem, k.key+": received") {
				t.Errorf("the bad value was not logged:\n%s", problem)
			}
		})
	}
}

// A file whose values are those in force does not renew the limits, which would not count
// the calls that are running.
func TestReload_SameValues(t *testing.T) {
	one := nested("server.maxConcurrentRequests", "1")
	s := serve(t, map[string]string{"held.txt": "x", "free.txt": "free"}, sources{file: one, approved: one, flags: []string{"-server-request-timeout-ms", "60000"}})
	release := s.hold("held.txt")
	first := make(chan string, 1)
	go func() {
		first <- s.call(t.Context(), "write_file", map[string]any{"path": "held.txt", "content": "y"})
	}()
	s.awaitInFlight(1)
	s.settings(one + "\n")
	s.awaitLog("settings applied")
	if got := s.within(brief, "read_file", map[string]any{"path": "free.txt"}); !strings.HasPrefix(got, "error: ") {
		t.Errorf("a second call returned %q while the first was running", got)
	}
	release()
	if got := <-first; strings.Contains(got, "error: ") {
		t.Errorf("the first call: %s", got)
	}
}

// applied waits until the server has put a file in force: a value of it, or the
// default.
func (s *server) applied(file string) {
	s.t.Helper()
	want, _ := s.service.options.values.LoadFile([]byte(file), nil)
	s.service.settings.selectTools(want, profileFull, s.service.names())
	same := func(difference string) bool { return difference == "" }
	look := func() string {
		s.service.mu.Lock()
		defer s.service.mu.Unlock()
		return strings.Join(s.service.loaded.Differences(want), " ")
	}
	if difference := eventually(look, same); difference != "" {
		s.t.Fatalf("not applied: %s\n%s", difference, s.stderr)
	}
}

// names are all tools that the server could offer.
func (v *service) names() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	sets, err := v.sets(v.loaded, nil)
	if err != nil {
		return nil
	}
	defer closeSets(sets)
	return offered(v.options.profile, sets)
}

// hold keeps others from writing to a file of the project until it is let go.
func (s *server) hold(name string) (letGo func()) {
	s.t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{s.dir}})
	apptest.Must(s.t, err)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := root.Update(context.Background(), name, security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) {
			close(held)
			<-release
			return old, nil
		})
		done <- err
	}()
	select {
	case <-held:
	case err := <-done:
		s.t.Fatalf("the file cannot be held: %v", err)
	}
	return func() {
		close(release)
		apptest.Must(s.t, <-done)
		apptest.Must(s.t, root.Close())
	}
}

// brief is how long is waited for what must not come, and patience for what must.
const brief = 300 * time.Millisecond
