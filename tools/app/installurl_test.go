package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/auth/usertoken"
)

// enters runs install for a program that needs a token, and returns its output.
func (m *machine) enters(want int, args ...string) string {
	m.t.Helper()
	app := m.app()
	app.NeedsToken = true
	var out bytes.Buffer
	app.Stdout, app.Stderr = &out, &out
	if code := app.Run(m.t.Context(), append([]string{"install"}, args...)); code != want {
		m.t.Errorf("%q: exit code %d, want %d\n%s", args, code, want, &out)
	}
	return out.String()
}

// token is the token of the program; empty if none was made.
func (m *machine) token() string {
	t, err := usertoken.Find(filepath.Join(m.home, ".config"), "prog")
	if err != nil {
		return ""
	}
	return t.Text
}

const local = "http://127.0.0.1:3000/mcp"

func TestInstall_URLOfTheUser(t *testing.T) {
	for client, file := range map[string][]string{"cursor": {".cursor", "mcp.json"}, "claude-code": {".claude.json"}, "vscode": {".config", "Code", "User", "mcp.json"}} {
		m := newMachine(t)
		shown := m.enters(0, client, "-user", "-http", local, "-dry-run")
		if m.token() != "" || !strings.Contains(shown, `"Authorization": "…"`) || !strings.Contains(shown, local) {
			t.Errorf("%s: a dry run makes a token, or shows\n%s", client, shown)
		}
		out := m.enters(0, client, "-user", "-http", local)
		if m.token() == "" || strings.Contains(out, m.token()) || !strings.Contains(out, `"Authorization": "…"`) || !strings.Contains(out, "kept in "+usertoken.File(m.file(".config"), "prog")) {
			t.Errorf("%s: it says\n%s", client, out)
		}
		if got := m.read(file...); !strings.Contains(got, `"Authorization": "Bearer `+m.token()+`"`) || !strings.Contains(got, `"url": "`+local+`"`) || strings.Contains(got, "command") {
			t.Errorf("%s: the file has\n%s", client, got)
		}
		if info, err := os.Stat(m.file(file...)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", client, info, err)
		}
		if out := m.enters(0, client, "-user", "-http", local); !strings.Contains(out, "already") {
			t.Errorf("%s: again it says\n%s", client, out)
		}
		if out := m.enters(0); !strings.Contains(out, `has "prog"`) {
			t.Errorf("%s: the list is\n%s", client, out)
		}
		if out := m.enters(0, client, "-user", "-undo"); strings.Contains(out, m.token()) {
			t.Errorf("%s: undoing says\n%s", client, out)
		}
	}
}

func TestInstall_URLOfAProject(t *testing.T) {
	for client, tc := range map[string]struct{ file, want string }{
		"cursor":      {".cursor/mcp.json", `"Bearer ${env:DOUGU_TOKEN}"`},
		"vscode":      {".vscode/mcp.json", `"Bearer ${env:DOUGU_TOKEN}"`},
		"claude-code": {".mcp.json", `"Bearer ${DOUGU_TOKEN:-}"`},
	} {
		m := newMachine(t)
		token, err := usertoken.Load(m.file(".config"), "prog")
		if err != nil {
			t.Fatal(err)
		}
		out := m.enters(0, client, "-project", "-root", m.project, "-http", local)
		if strings.Contains(out, token.Text) || !strings.Contains(out, tc.want) || !strings.Contains(out, `to what "prog token" prints`) {
			t.Errorf("%s: it says\n%s", client, out)
		}
		got, err := os.ReadFile(filepath.Join(m.project, filepath.FromSlash(tc.file)))
		if err != nil || !strings.Contains(string(got), tc.want) || strings.Contains(string(got), token.Text) {
			t.Errorf("%s: the file has\n%s, %v", client, got, err)
		}
	}
}

func TestInstall_URLInClientWithoutReferences(t *testing.T) {
	m := newMachine(t)
	out := m.enters(0, "zed", "-project", "-root", m.project, "-http", local)
	if content, err := os.ReadFile(filepath.Join(m.project, ".zed", "settings.json")); err != nil || strings.Contains(string(content), "headers") || !strings.Contains(out, "entries of Zed cannot refer to variables") {
		t.Errorf("%v, it says\n%s\nand has\n%s", err, out, content)
	}
	out = m.enters(0, "codex", "-project", "-root", m.project, "-http", local)
	if content, err := os.ReadFile(filepath.Join(m.project, ".codex", "config.toml")); err != nil || !strings.Contains(string(content), `bearer_token_env_var = "DOUGU_TOKEN"`) || !strings.Contains(out, "refers to the variable DOUGU_TOKEN") {
		t.Errorf("%v, it says\n%s\nand has\n%s", err, out, content)
	}
}

func TestInstall_URLOfAnotherMachine(t *testing.T) {
	m := newMachine(t)
	out := m.enters(0, "cursor", "-http", "https://tools.example.com/mcp")
	if got := m.read(".cursor", "mcp.json"); m.token() != "" || !strings.Contains(got, `"Bearer ${env:DOUGU_TOKEN}"`) || !strings.Contains(out, "to the token of that server") {
		t.Errorf("the file has\n%s\nand it says\n%s", got, out)
	}
}

func TestInstall_URLWithoutToken(t *testing.T) {
	m := newMachine(t)
	m.want(0, "is now in", "install", "cursor", "-http", local)
	if got := m.read(".cursor", "mcp.json"); strings.Contains(got, "headers") {
		t.Errorf("the file has\n%s", got)
	}
}

func TestInstall_InvalidURL(t *testing.T) {
	m := newMachine(t)
	for _, tc := range []struct {
		code int
		want string
		args []string
	}{
		{1, "-http is a URL such as", []string{"cursor", "-http", "127.0.0.1:3000"}},
		{1, "-http is a URL such as", []string{"cursor", "-http", "ws://127.0.0.1:3000/ws"}},
		{1, "without a user or password", []string{"cursor", "-http", "http://me:secret@127.0.0.1:3000/mcp"}},
		{1, "no URLs", []string{"claude-desktop", "-http", local}},
		{2, "names a running server", []string{"cursor", "-http", local, "-read-only"}},
		{2, "names a running server", []string{"cursor", "-http", local, "--", "-x"}},
		{2, "-undo takes", []string{"cursor", "-http", local, "-undo"}},
	} {
		if out := m.enters(tc.code, tc.args...); !strings.Contains(out, tc.want) {
			t.Errorf("%q: it says\n%s", tc.args, out)
		}
	}
}
