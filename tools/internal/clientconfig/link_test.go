package clientconfig_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// linked returns the value that a link adds, from its URL and from the URL of its page.
func linked(t *testing.T, link clientconfig.Link) (values [2]map[string]any) {
	t.Helper()
	for i, address := range []string{link.URL, link.Web} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		switch {
		case u.Query().Has("config"):
			decoded, err := base64.StdEncoding.DecodeString(u.Query().Get("config"))
			if err != nil || u.Query().Get("name") != "tool" {
				t.Fatalf("%s: %v", address, err)
			}
			text = string(decoded)
		default:
			if u.Query().Has("url") {
				address = u.Query().Get("url")
			}
			_, query, _ := strings.Cut(address, ":mcp/install?")
			if text, err = url.PathUnescape(query); err != nil {
				t.Fatal(err)
			}
		}
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
	}
	return values
}

func TestClient_Link(t *testing.T) {
	args := []any{"-root", "/work/my project"}
	for _, tc := range []struct {
		client, begin, web string
		server             clientconfig.Server
		want               map[string]any
	}{
		{"cursor", "cursor://anysphere.cursor-deeplink/mcp/install?", "https://cursor.com/en/install-mcp?", server, map[string]any{"command": "/opt/bin/tool", "args": args}},
		{"cursor", "cursor:", "https:", running, map[string]any{"url": running.URL, "headers": map[string]any{"Authorization": "Bearer ${env:DOUGU_TOKEN}"}}},
		{"vscode", "vscode:mcp/install?%7B", "https://vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F", handing, map[string]any{"name": "tool", "type": "stdio", "command": "/opt/bin/tool", "args": args, "env": map[string]any{"TOOL_A": "${env:TOOL_A}", "TOOL_B": "${env:TOOL_B}"}}},
		{"vscode-insiders", "vscode-insiders:mcp/install?%7B", "https://insiders.vscode.dev/redirect?url=vscode-insiders%3A", server, map[string]any{"name": "tool", "type": "stdio", "command": "/opt/bin/tool", "args": args}},
	} {
		link, err := client(t, tc.client).Link("tool", tc.server)
		if err != nil || !strings.HasPrefix(link.URL, tc.begin) || !strings.HasPrefix(link.Web, tc.web) || strings.Contains(link.URL+link.Web, " ") {
			t.Fatalf("%s: %+v, %v", tc.client, link, err)
		}
		for _, got := range linked(t, link) {
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%s: %v, want %v", tc.client, got, tc.want)
			}
		}
	}
	for name, c := range map[string]string{"tool": "zed", "a b": "cursor"} {
		if _, err := client(t, c).Link(name, server); err == nil {
			t.Errorf("%s in %s has a link", name, c)
		}
	}
}
