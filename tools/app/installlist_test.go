package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// withClients makes directories of Cursor and Qwen Code, and an app that finds them.
func (m *machine) withClients() *app.App {
	m.t.Helper()
	for _, dir := range []string{".cursor", ".qwen"} {
		if err := os.MkdirAll(m.file(dir), 0o755); err != nil {
			m.t.Fatal(err)
		}
	}
	a := m.app()
	a.Environment.List = func(dir string) []string {
		var names []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	return a
}

func TestInstall_ListsInstalledClients(t *testing.T) {
	m := newMachine(t)
	a := m.withClients()
	var out bytes.Buffer
	a.Stdout, a.Stderr = &out, &out
	if code := a.Run(t.Context(), []string{"install"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"cursor -project  ", "\nqwen ", "Not found on this machine: claude-desktop, vscode, ", `"prog install CLIENT"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\nzed ") {
		t.Errorf("it lists Zed:\n%s", &out)
	}
	m.want(0, "\nzed ", "install") // without any client, all are listed
}

func TestInstall_AsksOnTerminal(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		code         int
		entered      []string
		says         string
	}{
		{"a number", "2\n", 0, []string{".qwen/settings.json"}, "is now in"},
		{"numbers", "2, 1 2\n", 0, []string{".cursor/mcp.json", ".qwen/settings.json"}, "is now in"},
		{"all", "ALL\n", 0, []string{".cursor/mcp.json", ".qwen/settings.json"}, "is now in"},
		{"none", "\n", 0, nil, "1  cursor"},
		{"no number", "1 3\n", 1, nil, `"3" is not a number from 1 to 2`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine(t)
			a := m.withClients()
			ours, theirs, err := pty.Size{Rows: 24, Columns: 80}.Open()
			if err != nil {
				t.Skipf("no terminal: %v", err)
			}
			defer theirs.Close()
			var typing group.Group
			typing.Go(func() { _, _ = ours.WriteString(tc.answer) })
			var out bytes.Buffer
			a.Stdin, a.Stdout, a.Stderr = theirs, &out, &out
			if code := a.Run(t.Context(), []string{"install", "-root", m.project}); code != tc.code || !strings.Contains(out.String(), tc.says) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, tc.code, tc.says, &out)
			}
			ours.Close()
			typing.Wait()
			var entered []string
			for _, file := range []string{".cursor/mcp.json", ".qwen/settings.json"} {
				if _, err := os.Stat(m.file(filepath.FromSlash(file))); err == nil {
					entered = append(entered, file)
				}
			}
			if strings.Join(entered, " ") != strings.Join(tc.entered, " ") {
				t.Errorf("entered into %q, want %q", entered, tc.entered)
			}
		})
	}
}

func TestInstall_Link(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link to the program needs rights on Windows")
	}
	m := newMachine(t)
	m.want(0, "cursor://anysphere.cursor-deeplink/mcp/install?name=prog&config=", "install", "-link", "cursor", "-read-only")
	m.want(0, "vscode:mcp/install?%7B", "install", "vscode", "-link")
	m.want(1, "has no links", "install", "-link", "zed")
	m.want(2, "changes no file", "install", "-link", "cursor", "-user")
	m.want(2, "exclude each other", "install", "vscode", "-project", "-vscode-profile", "x")
	m.want(1, "known are Default", "install", "vscode", "-vscode-profile", "x")
	if _, err := os.Stat(m.file(".cursor")); err == nil {
		t.Error("something was installed")
	}
}

func TestInstall_ProfileOfVSCode(t *testing.T) {
	m := newMachine(t)
	m.write(`{"userDataProfiles": [{"name": "My Work", "location": "5a"}]}`, ".config", "Code", "User", "globalStorage", "storage.json")
	m.want(0, `-vscode-profile "My Work" -undo`, "install", "vscode", "-root", m.project, "-vscode-profile", "My Work")
	if got := m.read(".config", "Code", "User", "profiles", "5a", "mcp.json"); !strings.Contains(got, `"prog"`) {
		t.Errorf("it has\n%s", got)
	}
	m.want(0, "is removed", "install", "vscode", "-vscode-profile", "My Work", "-undo")
}
