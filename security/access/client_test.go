package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/access"
)

func TestDetect_Names(t *testing.T) {
	for _, tc := range []struct{ name, agent, want string }{
		{"cursor-vscode", "", access.Cursor}, {"Cursor", "", access.Cursor}, {"my cursor client", "", access.Cursor},
		{"Visual Studio Code", "Cursor/1.0", access.Cursor}, {"", "Mozilla/5.0 Cursor/1.7.28", access.Cursor},
		{"claude-ai", "", access.ClaudeDesktop}, {"Claude Desktop", "", access.ClaudeDesktop}, {"claude_desktop", "", access.ClaudeDesktop},
		{"Desktop of Claude", "", access.ClaudeDesktop}, {"claude-code", "", access.ClaudeCode}, {"Claude Code (desktop)", "", access.ClaudeCode},
		{"Visual Studio Code", "", access.VSCode}, {"Visual-Studio-Code", "", access.VSCode}, {"Visual Studio Code - Insiders", "node", access.VSCode},
		{"other", "vscode/1.100", access.VSCode}, {"", "VSCode", access.VSCode},
		{"codex-mcp-client", "", access.Codex}, {"Codex", "", access.Codex}, {"gemini-cli-mcp-client", "", access.Gemini},
		{"JetBrains-IU-copilot-intellij", "", access.JetBrains}, {"Windsurf", "", access.Windsurf}, {"windsurf-client", "", access.Windsurf}, {"Zed", "", access.Zed},
		{"", "", access.Unknown}, {"claude", "", access.Unknown}, {"organized", "Go-http-client/1.1", access.Unknown}, {"無名", "", access.Unknown},
		{strings.Repeat("x", 300) + "cursor", strings.Repeat("x", 300) + "cursor", access.Unknown}, // so much is not read
	} {
		if got := access.Detect(tc.name, tc.agent); got != tc.want {
			t.Errorf("%.40q with %.40q is %s, want %s", tc.name, tc.agent, got, tc.want)
		}
	}
}

// A client that is not allowed gets nothing, whatever it asks and however.
func TestControl_ClientNotAllowed(t *testing.T) {
	methods := []string{"server/discover", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/list", "completion/complete", "subscriptions/listen", "ping", "no/such"}
	for _, tc := range []struct {
		allowed string
		client  client
		want    bool
	}{
		{"*", client{name: "anything"}, true}, {"*", client{}, true},
		{"cursor,claude-desktop", client{name: "cursor-vscode"}, true}, {"cursor,claude-desktop", client{name: "claude-ai"}, true}, {"cursor,claude-desktop", client{name: "x", agent: "Cursor/1"}, true},
		{"cursor,claude-desktop", client{name: "Visual Studio Code"}, false}, {"cursor,claude-desktop", client{}, false}, {"cursor,claude-desktop", client{name: "claude-code"}, false},
		{"Claude Desktop", client{name: "claude-ai"}, true}, {"Cursor", client{name: "cursor"}, true},
		{"my agent", client{name: "My-Agent"}, true}, {"my agent", client{name: "my agent 2"}, false}, {"my agent", client{name: "other"}, false},
		{"unknown", client{}, true}, {"unknown", client{name: "other"}, true}, {"unknown", client{name: "cursor"}, false},
		{"cursor,*", client{name: "other"}, true}, {"", client{name: "cursor"}, false}, {"", client{}, false},
	} {
		for _, c := range []client{tc.client, older(tc.client.name)} {
			if c.session != nil {
				c.agent = tc.client.agent
			}
			control, srv := guarded(t, access.Options{Allowed: strings.FieldsFunc(tc.allowed, func(r rune) bool { return r == ',' })})
			for _, method := range methods {
				if tc.want && method == "subscriptions/listen" {
					continue // it would wait
				}
				code, refused := c.ask(t, srv, method, `{"name":"search","uri":"a:b"}`)
				switch {
				case tc.want && code == "CLIENT_NOT_ALLOWED", !tc.want && (code != "CLIENT_NOT_ALLOWED" || refused.rpc != -32600 || refused.NextStep == ""):
					t.Errorf("%q, %s of %q: %+v", tc.allowed, method, c.name, refused)
				}
			}
			if stats := control.Stats(); stats.Active != map[bool]int{true: 1}[tc.want] || !tc.want && stats.Refused["CLIENT_NOT_ALLOWED"] != int64(len(methods)) {
				t.Errorf("%q: %+v", tc.allowed, stats)
			}
		}
	}
}

func ExampleDetect() {
	fmt.Println(access.Detect("cursor-vscode", ""), access.Detect("claude-ai", ""), access.Detect("", "MyEditor/1.0"))
	// Output: cursor claude-desktop unknown
}
