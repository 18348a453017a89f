package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
)

// examine runs doctor and returns its checks by name.
func (m *machine) examine(server *app.App, args ...string) (code int, checks map[string][]app.Check) {
	m.t.Helper()
	var out, errs bytes.Buffer
	server.Stdout, server.Stderr = &out, &errs
	code = server.Run(m.t.Context(), append([]string{"doctor", "-json"}, args...))
	var report struct {
		Program, Version string
		OK               bool
		Checks           []app.Check
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Program != "prog" || report.OK != (code == 0) {
		m.t.Fatalf("exit code %d: %v\n%s%s", code, err, out.String(), errs.String())
	}
	checks = make(map[string][]app.Check)
	for _, c := range report.Checks {
		if c.Detail == "" || c.Status != app.OK && c.Status != app.Unused && c.Next == "" {
			m.t.Errorf("%+v does not say what was found, or what to do", c)
		}
		checks[c.Name] = append(checks[c.Name], c)
	}
	return code, checks
}

func TestDoctor_HealthyProgram(t *testing.T) {
	m := newMachine(t).onDisk()
	if out, err := m.start("install", "cursor"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.MkdirAll(m.file(".config", "Claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := m.start("doctor")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"✓ program: prog 1.2.3, " + m.path, "✓ directory: " + m.project, "✓ server: starts in ", "lists 1 tools of ", "✓ Cursor: " + m.file(".cursor", "mcp.json") + `: "prog" starts this program`, "- Claude Desktop: ", "watching files: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "✗") {
		t.Errorf("something is broken:\n%s", out)
	}
	if strings.Contains(out, "- Qwen Code") {
		t.Errorf("it lists a client that is not installed:\n%s", out)
	}
	if entries, err := os.ReadDir(m.project); err != nil || len(entries) > 0 {
		t.Errorf("it has left %v, %v", entries, err)
	}
}

func TestDoctor_BrokenServer(t *testing.T) {
	m := newMachine(t).onDisk()
	for _, tc := range []struct {
		args   []string
		code   int
		status app.Status
		detail string
	}{
		{[]string{"-root", m.project, "-tools", "41"}, 0, app.Warning, "lists 41 tools"},
		{[]string{"-root", m.project, "-tools", "0"}, 0, app.Warning, "lists 0 tools"},
		{[]string{"-root", m.project, "-tools", "40", "-read-only"}, 0, app.OK, "lists 40 tools"},
		{[]string{"-root", m.project, "-fail", "no disk"}, 1, app.Broken, "it says: prog: no disk"},
	} {
		code, checks := m.examine(m.app(), tc.args...)
		if got := checks["server"]; code != tc.code || len(got) != 1 || got[0].Status != tc.status || !strings.Contains(got[0].Detail, tc.detail) {
			t.Errorf("%q: exit code %d, %+v", tc.args, code, got)
		}
	}
	server := m.app()
	server.Executable = m.file("none")
	if code, checks := m.examine(server, "-root", m.project); code != 1 || checks["server"][0].Status != app.Broken {
		t.Errorf("exit code %d, %+v", code, checks["server"])
	}
}

func TestDoctor_Directories(t *testing.T) {
	m := newMachine(t)
	m.write("", "file")
	server := m.app()
	_, missing := os.ReadDir(m.file("none"))
	for dir, want := range map[string]app.Check{
		m.project:      {Status: app.OK, Detail: m.project},
		m.file("none"): {Status: app.Broken, Detail: errors.Unwrap(missing).Error()},
		m.file("file"): {Status: app.Broken, Detail: m.file("file")},
		m.home:         {Status: app.Warning, Detail: "more than a project"},
		filepath.VolumeName(m.home) + string(filepath.Separator): {Status: app.Warning, Detail: "more than a project"},
	} {
		got := server.CheckRoots([]string{dir}, true)
		if len(got) != 1 || got[0].Status != want.Status || !strings.Contains(got[0].Detail, want.Detail) {
			t.Errorf("%s: %+v", dir, got)
		}
	}
	if link := m.file("link"); os.Symlink(m.home, link) == nil {
		if got := server.CheckRoots([]string{link}, true); got[0].Status != app.Warning {
			t.Errorf("a link to the home: %+v", got)
		}
	}
	if got := server.CheckRoots([]string{m.project}, false); got[0].Status != app.OK || strings.Contains(got[0].Detail, "read-only") {
		t.Errorf("%+v", got)
	}
	if entries, err := os.ReadDir(m.project); err != nil || len(entries) > 0 {
		t.Errorf("it has left %v, %v", entries, err)
	}
	if got := app.CheckState("locks", m.file("state", "locks")); got.Status != app.OK || got.Name != "locks" {
		t.Errorf("%+v", got)
	}
	if got := app.CheckState("locks", m.file("file", "locks")); got.Status != app.Warning || got.Next == "" {
		t.Errorf("%+v", got)
	}
	if os.Getuid() > 0 { // others may write everywhere
		if err := os.Chmod(m.project, 0o500); err != nil {
			t.Fatal(err)
		}
		if got := server.CheckRoots([]string{m.project}, false); got[0].Status != app.Broken || !strings.Contains(got[0].Detail, "cannot be written to") {
			t.Errorf("%+v", got)
		}
	}
}

func TestDoctor_Clients(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	other := func(m *machine, version string) string {
		path := m.file("other", "prog")
		m.write("#!/bin/sh\n"+version+"\n", "other", "prog")
		if err := os.Chmod(path, 0o755); err != nil {
			m.t.Fatal(err)
		}
		return path
	}
	quoted := func(text string) string {
		encoded, _ := json.Marshal(text)
		return string(encoded)
	}
	entry := func(command string, rest string) string {
		return `{"mcpServers":{"prog":{"command":` + quoted(command) + rest + `}}}`
	}
	for name, tc := range map[string]struct {
		content func(m *machine) string
		status  app.Status
		detail  string
	}{
		"this program":           {func(m *machine) string { return entry(m.path, "") }, app.OK, "starts this program"},
		"a directory that is":    {func(m *machine) string { return entry(m.path, `,"args":["--root=`+m.project+`","-root","${x}"]`) }, app.OK, "starts this program"},
		"a directory that isn't": {func(m *machine) string { return entry(m.path, `,"args":["-root","/none/here"]`) }, app.Broken, "/none/here, which is not a directory"},
		"a file that isn't":      {func(m *machine) string { return entry(m.path, `,"args":["-config","/none/here"]`) }, app.Broken, "/none/here, which does not exist"},
		"from source":            {func(m *machine) string { return entry("go", `,"args":["run","-C","/x","./examples/prog"]`) }, app.OK, "from source"},
		"nothing":                {func(m *machine) string { return entry(m.file("gone", "prog"), "") }, app.Broken, "does not exist"},
		"another copy":           {func(m *machine) string { return entry(other(m, "echo prog 1.2.3"), "") }, app.OK, "of the same version"},
		"another version":        {func(m *machine) string { return entry(other(m, "echo prog 1.0.0"), "") }, app.Warning, `"prog 1.0.0" and not prog 1.2.3`},
		"a broken copy":          {func(m *machine) string { return entry(other(m, "exit 3"), "") }, app.Broken, "does not work"},
		"disabled":               {func(m *machine) string { return entry(m.path, `,"disabled":true`) }, app.Warning, "is disabled"},
		"another program":        {func(m *machine) string { return entry("npx", "") }, app.Warning, "another program"},
		"a URL":                  {func(m *machine) string { return `{"mcpServers":{"prog":{"url":"https://x/?key=secret"}}}` }, app.OK, "has a URL"},
		"others":                 {func(m *machine) string { return `{"mcpServers":{"x":{},"y":1}}` }, app.Unused, "2 other servers"},
		"broken":                 {func(m *machine) string { return `{"mcpServers":{"env":"secret\q"}}` }, app.Broken, "mcp.json: 1:22: "},
		"a directory":            {func(m *machine) string { return "" }, app.Broken, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if err := os.WriteFile(m.path, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			if content := tc.content(m); content != "" {
				m.write(content, ".cursor", "mcp.json")
			} else if err := os.MkdirAll(m.file(".cursor", "mcp.json"), 0o755); err != nil {
				t.Fatal(err)
			}
			_, checks := m.examine(m.app(), "-root", m.project)
			got := checks["Cursor"]
			if len(got) != 2 || got[0].Status != tc.status || !strings.Contains(got[0].Detail, tc.detail) || strings.Contains(got[0].Detail, "secret") {
				t.Errorf("%+v, want %s and %q", got, tc.status, tc.detail)
			}
			none := len(checks["clients"]) > 0
			if want := tc.status == app.Unused || tc.status == app.Broken && !strings.Contains(got[0].Detail, `"prog"`); none != want {
				t.Errorf("whether no client has it: %v", none)
			}
		})
	}
}

func TestDoctor_CommentsInPlainJSON(t *testing.T) {
	m := newMachine(t)
	m.write("{\n// mine\n}", ".claude.json")
	if _, checks := m.examine(m.app(), "-root", m.project); len(checks["Claude Code"]) != 3 || !strings.Contains(checks["Claude Code"][1].Detail, ".claude.json:2: a comment") {
		t.Errorf("%+v", checks["Claude Code"])
	}
}

func TestDoctor_OwnChecks(t *testing.T) {
	m := newMachine(t)
	server := m.app()
	server.Doctor = func(context.Context) []app.Check {
		return []app.Check{{Name: "settings", Status: app.Warning, Detail: "an unknown key", Next: "Remove it."}}
	}
	if _, checks := m.examine(server); len(checks["settings"]) != 1 || len(checks["directory"]) != 0 {
		t.Errorf("%+v", checks)
	}
	server = m.app()
	server.Environment.Home = ""
	if code, checks := m.examine(server, "-root", m.project); code != 1 || len(checks["Cursor"]) != 2 || checks["Cursor"][0].Status != app.Warning {
		t.Errorf("without a home: exit code %d, %+v", code, checks)
	}
}

func TestDoctor_TextOutput(t *testing.T) {
	m := newMachine(t)
	m.write("{", ".claude.json")
	for locale, want := range map[string]string{"": "✗ Claude Code: ", "ja_JP.UTF-8": "✗ Claude Code: ", "C": "FAIL Claude Code: "} {
		server := m.app()
		server.Environment.Getenv = func(name string) string { return map[string]string{"LANG": locale}[name] }
		var out, errs bytes.Buffer
		server.Stdout, server.Stderr = &out, &errs
		if code := server.Run(t.Context(), []string{"doctor", "-root", m.project}); code != 1 || !strings.Contains(out.String(), want) || !strings.Contains(errs.String(), "2 of ") {
			t.Errorf("%q: exit code %d\n%s%s", locale, code, out.String(), errs.String())
		}
		if !strings.Contains(out.String(), "\n  Correct the file") && !strings.Contains(out.String(), "\n     Correct the file") {
			t.Errorf("no next step in\n%s", out.String())
		}
	}
	m.want(2, "doctor takes no arguments", "doctor", "now")
}

func TestDoctor_MissingParts(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", m.file("none"))
	t.Setenv("TMPDIR", m.file("none"))
	t.Setenv("TMP", m.file("none"))
	_, checks := m.examine(m.app(), "-root", m.project)
	if checks["git"][0].Status != app.Unused || checks["watching files"][0].Status != app.Warning {
		t.Errorf("%+v, %+v", checks["git"], checks["watching files"])
	}
	m.write("#!/bin/sh\nexit 1\n", "bin", "git")
	if err := os.Chmod(m.file("bin", "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(m.home, "bin"))
	if _, checks = m.examine(m.app(), "-root", m.project); checks["git"][0].Status != app.Warning {
		t.Errorf("%+v", checks["git"])
	}
}
