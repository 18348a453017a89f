package clientconfig_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// TestPlan_Forms compares the entries of clients with forms of their own.
func TestPlan_Forms(t *testing.T) {
	const token = `"Authorization": "Bearer the-secret-token-of-the-user"`
	for _, tc := range []struct {
		client string
		server clientconfig.Server
		want   string
	}{
		{"opencode", handing, `{"mcp": {"tool": {"type": "local", "command": ["/opt/bin/tool", "-root", "/work/my project"], "environment": {"TOOL_A": "{env:TOOL_A}", "TOOL_B": "{env:TOOL_B}"}, "enabled": true}}}`},
		{"opencode", running, `{"mcp": {"tool": {"type": "remote", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}, "enabled": true}}}`},
		{"qwen", handing, `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"qwen", running, `{"mcpServers": {"tool": {"httpUrl": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"gemini", handing, `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"], "env": {"TOOL_A": "${TOOL_A:-}", "TOOL_B": "${TOOL_B:-}"}}}}`},
		{"gemini", running, `{"mcpServers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"copilot", handing, `{"mcpServers": {"tool": {"type": "stdio", "command": "/opt/bin/tool", "args": ["-root", "/work/my project"], "env": {"TOOL_A": "${TOOL_A:-}", "TOOL_B": "${TOOL_B:-}"}}}}`},
		{"copilot", running, `{"mcpServers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"crush", handing, `{"mcp": {"tool": {"type": "stdio", "command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"crush", running, `{"mcp": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"continue", handing, `{"mcpServers": {"tool": {"type": "stdio", "command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"continue", running, `{"mcpServers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"windsurf", handing, `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"], "env": {"TOOL_A": "${env:TOOL_A}", "TOOL_B": "${env:TOOL_B}"}}}}`},
		{"windsurf", running, `{"mcpServers": {"tool": {"serverUrl": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"zed", handing, `{"context_servers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"zed", running, `{"context_servers": {"tool": {"url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"junie", server, `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"jetbrains", server, `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"cline", handing, `{"mcpServers": {"tool": {"type": "stdio", "command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
		{"cline", running, `{"mcpServers": {"tool": {"type": "streamableHttp", "url": "http://127.0.0.1:3000/mcp", "headers": {` + token + `}}}}`},
		{"vscode-insiders", server, `{"servers": {"tool": {"type": "stdio", "command": "/opt/bin/tool", "args": ["-root", "/work/my project"]}}}`},
	} {
		d := newDesk(t)
		at := d.at(tc.client, "f.json")
		d.write("f.json", "{}")
		change := d.install(at, "tool", tc.server)
		if _, shown := change.Preview(); strings.Contains(shown, running.Token) {
			t.Errorf("%s: it shows\n%s", tc.client, shown)
		}
		plain := strings.NewReplacer("\n", "", " ", "")
		if got := d.read("f.json"); plain.Replace(got) != plain.Replace(tc.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.client, got, tc.want)
		}
		entries, err := at.Client.Entries([]byte(d.read("f.json")))
		if err != nil || len(entries) != 1 || !entries[0].Same(clientconfig.Server{Command: tc.server.Command, Args: tc.server.Args}) || entries[0].URL != tc.server.URL || entries[0].Disabled {
			t.Errorf("%s: read again: %+v, %v", tc.client, entries, err)
		}
		if again := d.install(at, "tool", tc.server); again.Action != clientconfig.Nothing {
			t.Errorf("%s: again: %d", tc.client, again.Action)
		}
		d.undo(at, "tool")
		if got := d.read("f.json"); got != "{}" {
			t.Errorf("%s: after undoing\n%s", tc.client, got)
		}
	}
}

// TestPlan_JoinedCommand checks an array with program and arguments in a file with comments.
func TestPlan_JoinedCommand(t *testing.T) {
	const before = `{
  "$schema": "https://opencode.ai/config.json", // keep
  "mcp": {
    // ours
    "tool": {
      "type": "local",
      "command": ["/old/tool", "-root", "/x"], // old
      "enabled": false,
      "timeout": 9000,
    },
  },
}
`
	d := newDesk(t)
	at := d.at("opencode", "f.json")
	d.write("f.json", before)
	change := d.install(at, "tool", server)
	if change.Action != clientconfig.Update || !strings.Contains(strings.Join(change.Notes, "\n"), "is disabled") {
		t.Errorf("%d, %q", change.Action, change.Notes)
	}
	if want := strings.Replace(before, `["/old/tool", "-root", "/x"]`, `["/opt/bin/tool", "-root", "/work/my project"]`, 1); d.read("f.json") != want {
		t.Errorf("got\n%s", d.read("f.json"))
	}
	d.write("f.json", d.read("f.json")+"\n")
	d.undo(at, "tool")
	if got := d.read("f.json"); got != before+"\n" {
		t.Errorf("after undoing\n%s", got)
	}
	d.write("f.json", `{"mcp": {"tool": {"type": "local", "command": ["npx", "tool"]}}}`)
	if change, err := d.in.Plan(at, "tool", server); err != nil || change.Action != clientconfig.Replace {
		t.Errorf("another program: %+v, %v", change, err)
	}
}
