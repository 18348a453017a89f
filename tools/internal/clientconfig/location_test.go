package clientconfig_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

func TestClient_Locate(t *testing.T) {
	variables := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	linux := clientconfig.Environment{GOOS: "linux", Home: "/home/me"}
	mac := clientconfig.Environment{GOOS: "darwin", Home: "/Users/me"}
	windows := clientconfig.Environment{GOOS: "windows", Home: `C:\Users\me`, Getenv: variables("APPDATA", `C:\Users\me\AppData\Roaming`, "LOCALAPPDATA", `C:\Users\me\AppData\Local`)}
	with := func(e clientconfig.Environment, f func(*clientconfig.Environment)) clientconfig.Environment {
		f(&e)
		return e
	}
	packaged := with(windows, func(e *clientconfig.Environment) {
		e.List = func(dir string) []string {
			if dir == `C:\Users\me\AppData\Local\Packages` {
				return []string{"Microsoft.Paint_x", "Claude_pzs8sxrjxfjjc"}
			}
			return nil
		}
	})
	xdg := with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("XDG_CONFIG_HOME", "/cfg") })
	for _, tc := range []struct {
		client  string
		scope   clientconfig.Scope
		env     clientconfig.Environment
		project string
		want    string
	}{
		{"cursor", clientconfig.Usual, linux, "", "/home/me/.cursor/mcp.json"},
		{"cursor", clientconfig.User, windows, "", `C:\Users\me\.cursor\mcp.json`},
		{"cursor", clientconfig.Project, linux, "/work", "/work/.cursor/mcp.json"},
		{"cursor", clientconfig.Project, windows, `C:\work`, `C:\work\.cursor\mcp.json`},
		{"cursor", clientconfig.Project, windows, `C:\`, `C:\.cursor\mcp.json`},
		{"claude-desktop", clientconfig.Usual, linux, "", "/home/me/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", clientconfig.User, xdg, "", "/cfg/Claude/claude_desktop_config.json"},
		{"claude-desktop", clientconfig.Usual, mac, "", "/Users/me/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", clientconfig.Usual, windows, "", `C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`},
		{"claude-desktop", clientconfig.Usual, packaged, "", `C:\Users\me\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`},
		{"claude-desktop", clientconfig.Usual, with(windows, func(e *clientconfig.Environment) { e.Getenv = nil }), "", `C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`},
		{"vscode", clientconfig.Usual, linux, "/work", "/work/.vscode/mcp.json"},
		{"vscode", clientconfig.User, linux, "/work", "/home/me/.config/Code/User/mcp.json"},
		{"vscode", clientconfig.User, with(xdg, func(e *clientconfig.Environment) { e.Getenv = variables("XDG_CONFIG_HOME", "relative") }), "", "/home/me/.config/Code/User/mcp.json"},
		{"vscode", clientconfig.User, mac, "", "/Users/me/Library/Application Support/Code/User/mcp.json"},
		{"vscode", clientconfig.User, windows, "", `C:\Users\me\AppData\Roaming\Code\User\mcp.json`},
		{"vscode", clientconfig.User, with(linux, func(e *clientconfig.Environment) { e.ConfigDir = "/else" }), "", "/else/Code/User/mcp.json"},
		{"claude-code", clientconfig.Usual, linux, "/work", "/home/me/.claude.json"},
		{"claude-code", clientconfig.Project, linux, "/work", "/work/.mcp.json"},
		{"claude-code", clientconfig.User, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("CLAUDE_CONFIG_DIR", "/home/me/.claude-job") }), "", "/home/me/.claude-job/.claude.json"},
	} {
		at, err := client(t, tc.client).Locate(tc.env, tc.scope, tc.project)
		if err != nil || at.File != tc.want || at.Scope == clientconfig.Usual {
			t.Errorf("%s, scope %d, on %s: %q, scope %d, %v; want %q", tc.client, tc.scope, tc.env.GOOS, at.File, at.Scope, err, tc.want)
		}
	}
	if dir, err := mac.StateDir(); err != nil || dir != "/Users/me/Library/Application Support/dougu/install" {
		t.Errorf("the state directory is %q, %v", dir, err)
	}
}

func TestClient_Locate_Errors(t *testing.T) {
	twice := clientconfig.Environment{
		GOOS: "windows", Home: `C:\Users\me`,
		Getenv: func(string) string { return `C:\x` },
		List:   func(string) []string { return []string{"Claude_a", "Claude_b"} },
	}
	for _, tc := range []struct {
		client string
		scope  clientconfig.Scope
		env    clientconfig.Environment
		want   string
	}{
		{"claude-desktop", clientconfig.Project, twice, "one configuration for all projects"},
		{"claude-desktop", clientconfig.User, twice, "more than one installation"},
		{"cursor", clientconfig.User, clientconfig.Environment{GOOS: "linux"}, "set HOME"},
		{"vscode", clientconfig.User, clientconfig.Environment{GOOS: "darwin"}, "set HOME"},
		{"claude-desktop", clientconfig.User, clientconfig.Environment{GOOS: "windows"}, "USERPROFILE"},
	} {
		if at, err := client(t, tc.client).Locate(tc.env, tc.scope, "/p"); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.client, at.File, err, tc.want)
		}
	}
	if _, err := (clientconfig.Environment{GOOS: "linux"}).StateDir(); err == nil {
		t.Error("a state directory without a home")
	}
	if _, err := clientconfig.Find("curser"); err == nil || !strings.Contains(err.Error(), "known are cursor, claude-desktop, vscode, claude-code") {
		t.Errorf("%v", err)
	}
}

func TestCurrent_Environment(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	env := clientconfig.Current()
	at, err := client(t, "cursor").Locate(env, clientconfig.User, "")
	if err != nil || at.File != filepath.Join(home, ".cursor", "mcp.json") {
		t.Errorf("%q, %v", at.File, err)
	}
	if names := env.List(filepath.Join(home, "none")); names != nil {
		t.Errorf("a directory that is not there has %q", names)
	}
}

func TestClient_Scopes(t *testing.T) {
	for name, want := range map[string]clientconfig.Scope{"cursor": clientconfig.User, "vscode": clientconfig.Project, "claude-code": clientconfig.User, "claude-desktop": clientconfig.User} {
		scopes := client(t, name).Scopes()
		if scopes[0] != want || name == "claude-desktop" != (len(scopes) == 1) {
			t.Errorf("%s has %v", name, scopes)
		}
	}
}
