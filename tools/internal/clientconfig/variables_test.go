package clientconfig_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// handing is the server with variables that the client is to hand on.
var handing = clientconfig.Server{Command: server.Command, Args: server.Args, Env: []string{"TOOL_A", "TOOL_B"}}

// Every client refers to its own variables in its own words; one cannot.
func TestPlan_Variables(t *testing.T) {
	for name, want := range map[string]map[string]any{
		"cursor":         {"TOOL_A": "${env:TOOL_A}", "TOOL_B": "${env:TOOL_B}"},
		"vscode":         {"TOOL_A": "${env:TOOL_A}", "TOOL_B": "${env:TOOL_B}"},
		"claude-code":    {"TOOL_A": "${TOOL_A:-}", "TOOL_B": "${TOOL_B:-}"},
		"claude-desktop": nil,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			at := d.at(name, "f")
			d.install(at, "tool", handing)
			var servers map[string]any
			for _, value := range values(t, []byte(d.read("f"))) {
				servers, _ = value.(map[string]any)
			}
			entry, _ := servers["tool"].(map[string]any)
			env, _ := entry["env"].(map[string]any)
			if !reflect.DeepEqual(env, want) || entry["command"] != server.Command {
				t.Errorf("the entry is %v, want in its env %v", entry, want)
			}
			if _, after := d.install(at, "other", handing).Preview(); want != nil && !strings.Contains(after, want["TOOL_A"].(string)) {
				t.Errorf("shown is\n%s", after)
			}
			if again := d.install(at, "tool", handing); again.Action != clientconfig.Nothing {
				t.Errorf("action %d when installed again", again.Action)
			}
			d.undo(at, "other")
			if d.undo(at, "tool"); d.exists("f") {
				t.Errorf("after undoing there is %s", d.read("f"))
			}
		})
	}
}

// TestPlan_VariablesOfExistingEntry checks that missing variables are added in the form of the
// entry, and that others stay.
func TestPlan_VariablesOfExistingEntry(t *testing.T) {
	const start = `"command": "/opt/bin/tool", "args": ["-root", "/work/my project"]`
	const a, b = `"TOOL_A": "${env:TOOL_A}"`, `"TOOL_B": "${env:TOOL_B}"`
	for _, tc := range []struct {
		name, before, after string // the entry; no after: it stays
		action              clientconfig.Action
	}{
		{"no env", `{` + start + `}`, `{` + start + `, "env": {` + a + `, ` + b + `}}`, clientconfig.Update},
		{"an empty one", `{"env": {}, ` + start + `}`, `{"env": {` + a + `, ` + b + `}, ` + start + `}`, clientconfig.Update},
		{"variables of the user", `{` + start + `, "env": {"KEY": "k"}}`, `{` + start + `, "env": {"KEY": "k", ` + a + `, ` + b + `}}`, clientconfig.Update},
		{"one of the two", `{` + start + `, "env": {` + b + `}}`, `{` + start + `, "env": {` + b + `, ` + a + `}}`, clientconfig.Update},
		{"both, and more", `{"env": { ` + b + `, "KEY": "k", ` + a + ` }, ` + start + `}`, "", clientconfig.Nothing},
		{"set by the user", `{` + start + `, "env": {"TOOL_A": "mine", "TOOL_B": ""}}`, "", clientconfig.Nothing},
		{"no object", `{` + start + `, "env": null}`, `{` + start + `, "env": {` + a + `, ` + b + `}}`, clientconfig.Update},
		{"other arguments too", `{"command": "tool", "env": {` + a + `, ` + b + `}}`, `{"command": "/opt/bin/tool", "env": {` + a + `, ` + b + `}, "args": ["-root", "/work/my project"]}`, clientconfig.Update},
		{"another program", `{"command": "npx", "args": [], "env": {"KEY": "k"}}`, `{"command": "/opt/bin/tool", "args": ["-root", "/work/my project"], "env": {"KEY": "k", ` + a + `, ` + b + `}}`, clientconfig.Replace},
		{"a URL", `{"url": "https://x/mcp"}`, `{` + start + `, "env": {` + a + `, ` + b + `}}`, clientconfig.Replace},
		{"lines and comments", "{\n  " + start + ",\n  \"env\": {\n    \"KEY\": \"k\" // mine\n  }\n}", "{\n  " + start + ",\n  \"env\": {\n    \"KEY\": \"k\", // mine\n    " + a + ",\n    " + b + "\n  }\n}", clientconfig.Update},
		{"a comment alone", "{" + start + ", \"env\": {\n    // none\n  }}", "{" + start + ", \"env\": {\n    // none\n  " + a + ",\n  " + b + "\n  }}", clientconfig.Update},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			file := func(entry string) string {
				return "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"env\": {\"TOOL_A\": \"secret\" }}, \"tool\": " + entry + ", \"y\": {} }}"
			}
			before, want := file(tc.before), file(tc.after)
			if tc.after == "" {
				want = before
			}
			d.write("f", before)
			at := d.at("cursor", "f")
			if change := d.install(at, "tool", handing); change.Action != tc.action {
				t.Errorf("action %d, want %d", change.Action, tc.action)
			}
			if got := d.read("f"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if again := d.install(at, "tool", handing); again.Action != clientconfig.Nothing {
				t.Errorf("action %d when installed again", again.Action)
			}
			if tc.action == clientconfig.Nothing {
				return
			}
			d.write("f", d.read("f")+"\n") // so that the entry alone is taken back
			d.undo(at, "")
			if got := d.read("f"); got != before+"\n" {
				t.Errorf("after undoing\n%s", got)
			}
		})
	}
}

// A reference is no secret; all else that an env has may be one.
func TestChange_Preview_References(t *testing.T) {
	for name, shown := range map[string]string{"cursor": "${env:KEY}", "claude-code": "${KEY:-}", "claude-desktop": ""} {
		d := newDesk(t)
		env := map[string]string{"A": shown, "B": "hidden", "C": "${KEY:-hidden}", "D": "${env:hidden KEY}", "E": "hidden${env:KEY}", "F": "${env:KEY}hidden", "G": "${hidden", "H": "hidden}"}
		entry, err := json.Marshal(map[string]any{"command": "tool", "env": env, "headers": map[string]string{"X": shown}})
		if err != nil {
			t.Fatal(err)
		}
		d.write("f", `{"mcpServers": {"tool": `+string(entry)+`, "other": `+string(entry)+`}}`)
		change, err := d.in.Plan(d.at(name, "f"), "tool", handing)
		if err != nil {
			t.Fatal(err)
		}
		before, after := change.Preview()
		for _, text := range []string{before, after} {
			if strings.Contains(text, "hidden") || shown != "" && strings.Count(text, `"`+shown+`"`) != 1 {
				t.Errorf("%s: shown is %s", name, text)
			}
		}
		if added := strings.Contains(after, "TOOL_A"); added != (shown != "") {
			t.Errorf("%s: shown after is %s", name, after)
		}
	}
}

func TestPlan_InvalidVariables(t *testing.T) {
	d := newDesk(t)
	for want, names := range map[string][]string{
		`"A}" is not`: {"A", "A}"}, `"" is not`: {""}, `"1A" is not`: {"1A"}, `"A-B" is not`: {"A-B"}, "A is listed twice": {"A", "B", "A"},
	} {
		if _, err := d.in.Plan(d.at("cursor", "f"), "tool", clientconfig.Server{Command: "x", Env: names}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
	d.write("f", `{"mcpServers": {"tool": {"command": "/opt/bin/tool", "env": {"TOOL_A": "1", "TOOL_A": "2"}}}}`)
	if _, err := d.in.Plan(d.at("cursor", "f"), "tool", handing); err == nil || !strings.Contains(err.Error(), `"TOOL_A" is here for the second time`) {
		t.Errorf("%v", err)
	}
}

// Real files keep every other byte.
func TestPlan_VariablesInRealFiles(t *testing.T) {
	for file, name := range map[string]string{"cursor.json": "cursor", "vscode.jsonc": "vscode", "claude-code-project.json": "claude-code", "claude-desktop-crlf.json": "claude-desktop", "cursor-bom.json": "cursor"} {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t)
		d.write("f", string(content))
		at := d.at(name, "f")
		d.install(at, "tool", server)
		plain := d.read("f")
		if change := d.install(at, "tool", handing); (change.Action == clientconfig.Update) != (name != "claude-desktop") {
			t.Errorf("%s: action %d", file, change.Action)
		}
		if err := onlyAdded(plain, d.read("f")); err != nil {
			t.Errorf("%s: %v:\n%s", file, err, d.read("f"))
		}
		for _, want := range []string{plain, string(content)} {
			if d.read("f") != want {
				d.undo(at, "")
			}
			if got := d.read("f"); got != want {
				t.Errorf("%s: after undoing\n%s", file, got)
			}
		}
	}
}
