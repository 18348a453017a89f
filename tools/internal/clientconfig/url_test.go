package clientconfig_test

import (
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// running is a server that runs already.
var running = clientconfig.Server{URL: "http://127.0.0.1:3000/mcp", Token: "the-secret-token-of-the-user", TokenVariable: "DOUGU_TOKEN"}

func TestPlan_ServerWithURL(t *testing.T) {
	for _, tc := range []struct {
		client string
		scope  clientconfig.Scope
		want   string
	}{
		{"cursor", clientconfig.User, `{"mcpServers": {"tool": {"url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer the-secret-token-of-the-user"}}}}`},
		{"cursor", clientconfig.Project, `{"mcpServers": {"tool": {"url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer ${env:DOUGU_TOKEN}"}}}}`},
		{"vscode", clientconfig.User, `{"servers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer the-secret-token-of-the-user"}}}}`},
		{"vscode", clientconfig.Project, `{"servers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer ${env:DOUGU_TOKEN}"}}}}`},
		{"claude-code", clientconfig.User, `{"mcpServers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer the-secret-token-of-the-user"}}}}`},
		{"claude-code", clientconfig.Project, `{"mcpServers": {"tool": {"type": "http", "url": "http://127.0.0.1:3000/mcp", "headers": {"Authorization": "Bearer ${DOUGU_TOKEN:-}"}}}}`},
	} {
		d := newDesk(t)
		at := d.at(tc.client, "new/f.json")
		at.Scope = tc.scope
		change, err := d.in.Plan(at, "tool", running)
		if err != nil {
			t.Fatal(err)
		}
		_, after := change.Preview()
		if strings.Contains(after, running.Token) || !strings.Contains(after, `"url": "http://127.0.0.1:3000/mcp"`) ||
			strings.Contains(after, "Bearer") != (tc.scope == clientconfig.Project) {
			t.Errorf("%s, scope %d: it shows\n%s", tc.client, tc.scope, after)
		}
		if err := change.Apply(); err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer("\n", "", " ", "")
		if got := d.read("new/f.json"); plain.Replace(got) != plain.Replace(tc.want) {
			t.Errorf("%s, scope %d: got\n%s\nwant\n%s", tc.client, tc.scope, got, tc.want)
		}
		info, err := os.Stat(d.file("new/f.json"))
		if want := map[clientconfig.Scope]fs.FileMode{clientconfig.User: 0o600, clientconfig.Project: 0o644}[tc.scope]; err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s, scope %d: the mode is %v, %v", tc.client, tc.scope, info.Mode(), err)
		}
		if again, err := d.in.Plan(at, "tool", running); err != nil || again.Action != clientconfig.Nothing {
			t.Errorf("%s, scope %d: again: %+v, %v", tc.client, tc.scope, again, err)
		}
		undo, err := d.in.PlanUndo(at, "")
		if err != nil {
			t.Fatal(err)
		}
		if before, after := undo.Preview(); strings.Contains(before+after, running.Token) {
			t.Errorf("%s: undoing shows\n%s%s", tc.client, before, after)
		}
		if err := undo.Apply(); err != nil || undo.Action != clientconfig.Delete {
			t.Errorf("%s: undo: %d, %v", tc.client, undo.Action, err)
		}
	}
}

func TestPlan_TokenIsReplaced(t *testing.T) {
	d := newDesk(t)
	d.write("f.json", `{"mcpServers": {"tool": {"url": "http://127.0.0.1:3000/mcp", "headers": {"X-Mine": "kept", "Authorization": "Bearer old"}, "timeout": 5}}}`)
	change, err := d.in.Plan(d.at("cursor", "f.json"), "tool", running)
	if err != nil {
		t.Fatal(err)
	}
	if change.Action != clientconfig.Update || runtime.GOOS != "windows" && !strings.Contains(strings.Join(change.Notes, "\n"), "chmod 600 "+d.file("f.json")) {
		t.Errorf("%d, %q", change.Action, change.Notes)
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	if got, want := d.read("f.json"), `{"mcpServers": {"tool": {"url": "http://127.0.0.1:3000/mcp", "headers": {"X-Mine": "kept", "Authorization": "Bearer the-secret-token-of-the-user"}, "timeout": 5}}}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.write("f.json", d.read("f.json")+"\n") // changed by others
	undo, err := d.in.PlanUndo(d.at("cursor", "f.json"), "")
	if err != nil || undo.Action != clientconfig.Withdraw {
		t.Fatalf("%+v, %v", undo, err)
	}
	if err := undo.Apply(); err != nil || !strings.Contains(d.read("f.json"), `"Authorization": "Bearer old"`) {
		t.Errorf("%v: %s", err, d.read("f.json"))
	}
}

func TestPlan_URLReplacesOtherEntries(t *testing.T) {
	d := newDesk(t)
	for name, entry := range map[string]string{"a command": `{"command": "/opt/bin/tool"}`, "another URL": `{"url": "https://example.com/secret/mcp"}`} {
		d.write("f.json", `{"mcpServers": {"tool": `+entry+`}}`)
		change, err := d.in.Plan(d.at("cursor", "f.json"), "tool", running)
		if err != nil || change.Action != clientconfig.Replace {
			t.Fatalf("%s: %+v, %v", name, change, err)
		}
		if before, _ := change.Preview(); strings.Contains(before, "secret") {
			t.Errorf("%s: it shows\n%s", name, before)
		}
	}
	if _, err := d.in.Plan(d.at("claude-desktop", "f.json"), "tool", running); err == nil || !strings.Contains(err.Error(), "no URLs") {
		t.Errorf("a client that reaches no URLs: %v", err)
	}
}
