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
	listing := func(dir string, names ...string) func(*clientconfig.Environment) {
		return func(e *clientconfig.Environment) {
			e.List = func(asked string) []string {
				if asked == dir {
					return names
				}
				return nil
			}
		}
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
		{"vscode-insiders", clientconfig.Usual, linux, "/work", "/work/.vscode/mcp.json"},
		{"vscode-insiders", clientconfig.User, mac, "", "/Users/me/Library/Application Support/Code - Insiders/User/mcp.json"},
		{"gemini", clientconfig.Usual, linux, "", "/home/me/.gemini/settings.json"},
		{"gemini", clientconfig.Project, linux, "/work", "/work/.gemini/settings.json"},
		{"opencode", clientconfig.Usual, linux, "", "/home/me/.config/opencode/opencode.json"},
		{"opencode", clientconfig.Usual, mac, "", "/Users/me/.config/opencode/opencode.json"},
		{"opencode", clientconfig.Usual, windows, "", `C:\Users\me\.config\opencode\opencode.json`},
		{"opencode", clientconfig.Usual, xdg, "", "/cfg/opencode/opencode.json"},
		{"opencode", clientconfig.Usual, with(linux, listing("/home/me/.config/opencode", "opencode.jsonc")), "", "/home/me/.config/opencode/opencode.jsonc"},
		{"opencode", clientconfig.Usual, with(linux, listing("/home/me/.config/opencode", "opencode.jsonc", "opencode.json")), "", "/home/me/.config/opencode/opencode.json"},
		{"opencode", clientconfig.Project, with(linux, listing("/work", "opencode.jsonc")), "/work", "/work/opencode.jsonc"},
		{"codex", clientconfig.Usual, linux, "", "/home/me/.codex/config.toml"},
		{"codex", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("CODEX_HOME", "/x") }), "", "/x/config.toml"},
		{"codex", clientconfig.Project, linux, "/work", "/work/.codex/config.toml"},
		{"qwen", clientconfig.Usual, linux, "", "/home/me/.qwen/settings.json"},
		{"qwen", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("QWEN_HOME", "/q") }), "", "/q/settings.json"},
		{"copilot", clientconfig.Usual, linux, "", "/home/me/.copilot/mcp-config.json"},
		{"copilot", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("COPILOT_HOME", "/c") }), "", "/c/mcp-config.json"},
		{"copilot", clientconfig.Project, linux, "/work", "/work/.github/mcp.json"},
		{"copilot", clientconfig.Project, with(linux, listing("/work", ".mcp.json")), "/work", "/work/.mcp.json"},
		{"crush", clientconfig.Usual, linux, "", "/home/me/.config/crush/crush.json"},
		{"crush", clientconfig.Usual, windows, "", `C:\Users\me\.config\crush\crush.json`},
		{"crush", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("CRUSH_GLOBAL_CONFIG", "/c") }), "", "/c/crush.json"},
		{"crush", clientconfig.Project, with(linux, listing("/work", ".crush.json")), "/work", "/work/.crush.json"},
		{"continue", clientconfig.Usual, linux, "", "/home/me/.continue/mcpServers/mcp.json"},
		{"continue", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("CONTINUE_GLOBAL_DIR", "/c") }), "", "/c/mcpServers/mcp.json"},
		{"continue", clientconfig.Project, linux, "/work", "/work/.continue/mcpServers/mcp.json"},
		{"windsurf", clientconfig.Usual, windows, "", `C:\Users\me\.codeium\windsurf\mcp_config.json`},
		{"zed", clientconfig.Usual, mac, "", "/Users/me/.config/zed/settings.json"},
		{"zed", clientconfig.Usual, windows, "", `C:\Users\me\AppData\Roaming\Zed\settings.json`},
		{"zed", clientconfig.Project, linux, "/work", "/work/.zed/settings.json"},
		{"junie", clientconfig.Usual, linux, "", "/home/me/.junie/mcp/mcp.json"},
		{"junie", clientconfig.Project, linux, "/work", "/work/.junie/mcp/mcp.json"},
		{"jetbrains", clientconfig.Usual, linux, "/work", "/work/.ai/mcp/mcp.json"},
		{"cline", clientconfig.Usual, linux, "", "/home/me/.cline/data/settings/cline_mcp_settings.json"},
		{"cline", clientconfig.Usual, with(linux, func(e *clientconfig.Environment) { e.Getenv = variables("CLINE_MCP_SETTINGS_PATH", "/c.json") }), "", "/c.json"},
		{"cline-vscode", clientconfig.Usual, linux, "", "/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
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
		{"jetbrains", clientconfig.User, twice, "leave out -user"},
		{"windsurf", clientconfig.Project, twice, "one configuration for all projects"},
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
	if _, err := clientconfig.Find("curser"); err == nil || !strings.Contains(err.Error(), "known are cursor, claude-desktop, vscode, vscode-insiders, claude-code, ") {
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

func TestClient_Installed(t *testing.T) {
	on := func(goos string, path string, entries map[string][]string) clientconfig.Environment {
		return clientconfig.Environment{
			GOOS: goos, Home: "/home/me",
			Getenv: func(name string) string { return map[string]string{"PATH": path}[name] },
			List:   func(dir string) []string { return entries[dir] },
		}
	}
	for _, tc := range []struct {
		name string
		env  clientconfig.Environment
		want string
	}{
		{"nothing", on("linux", "/usr/bin", nil), ""},
		{"directories", on("linux", "", map[string][]string{"/home/me": {".cursor", ".claude", ".junie", ".qwen", ".copilot", ".continue"}, "/home/me/.config": {"opencode", "zed", "JetBrains", "crush"}}), "cursor claude-code opencode qwen copilot crush zed junie jetbrains continue"},
		{"programs", on("linux", "/usr/bin::/opt/bin", map[string][]string{"/opt/bin": {"gemini", "code"}, "/usr/bin": {"zeditor", "encode"}}), "vscode gemini zed"},
		{"programs on Windows", on("windows", `C:\a;C:\b`, map[string][]string{`C:\a`: {"code.cmd", "claude"}, `C:\b`: {"claude.exe"}}), "vscode claude-code"},
		{"an extension", on("linux", "", map[string][]string{"/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev": {"settings"}, "/home/me/.config/Code": {"User"}}), "vscode cline-vscode"},
	} {
		var found []string
		for _, c := range clientconfig.All() {
			if c.Installed(tc.env) {
				found = append(found, c.Name)
			}
		}
		if got := strings.Join(found, " "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
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
