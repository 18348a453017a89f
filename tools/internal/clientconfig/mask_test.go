package clientconfig_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// TestChange_Preview_Secrets checks that a preview shows the added command and no secrets.
func TestChange_Preview_Secrets(t *testing.T) {
	content, err := os.ReadFile("testdata/vscode.jsonc")
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.write("f", string(content))
	change, err := d.in.Plan(d.at("vscode", "f"), "tool", server)
	if err != nil {
		t.Fatal(err)
	}
	before, after := change.Preview()
	if want := "\t\t// …\n\t\t\"tool\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/bin/tool\",\n\t\t\t\"args\": [\"-root\", \"/work/my project\"]\n\t\t},\n\t},\n}\n// …\n"; !strings.HasSuffix(after, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", after, want)
	}
	for _, text := range []string{before, after} {
		for _, secret := range []string{"old-secret", "wiki", "PERPLEXITY_API_KEY\",", "mcp/perplexity-ask", "paid"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is shown in\n%s", secret, text)
			}
		}
	}
	if err := onlyAdded(before, after); err != nil {
		t.Error(err)
	}
	if strings.Count(before, "\n") != strings.Count(string(content), "\n") {
		t.Error("there are other lines than in the file")
	}
}

func TestChange_Preview_OwnEntry(t *testing.T) {
	d := newDesk(t)
	d.write("f", "{\"k\": \"\", /* a\n b */ \"mcpServers\": {\"tool\": {\"command\": \"/old/tool\", \"args\": [\"/x\"], \"env\": {\"KEY\": \"hidden\"}, \"n\": [1, \"hidden\" // hidden\n]}}}")
	change, err := d.in.Plan(d.at("cursor", "f"), "tool", server)
	if err != nil {
		t.Fatal(err)
	}
	before, after := change.Preview()
	if want := "{\"k\": \"\", /* …\n */ \"mcpServers\": {\"tool\": {\"command\": \"/old/tool\", \"args\": [\"/x\"], \"env\": {\"KEY\": \"…\"}, \"n\": [1, \"…\" // …\n]}}}"; before != want {
		t.Errorf("got  %s\nwant %s", before, want)
	}
	if !strings.Contains(after, `"command": "/opt/bin/tool", "args": ["-root", "/work/my project"], "env": {"KEY": "…"}`) {
		t.Errorf("got %s", after)
	}
	d.write("f", "")
	change, err = d.in.Plan(d.at("cursor", "f"), "tool", server)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := change.Preview(); before != "" || !strings.Contains(after, "/opt/bin/tool") {
		t.Errorf("%q becomes %q", before, after)
	}
}

func TestChange_Notes(t *testing.T) {
	for _, tc := range []struct{ client, content, want string }{
		{"claude-desktop", "{\n  // mine\n}", "Line 2 of"},
		{"claude-code", "{\n  \"a\": [1,\n  ]\n}", "Line 2 of"},
		{"cursor", "{\"a\": \"//,]\", \"b\": [{}, []]}", ""},
		{"vscode", "{\n  // mine\n}", ""},
		{"cursor", `{"mcpServers":{"tool":{"command":"tool","disabled":true}}}`, "is disabled"},
	} {
		d := newDesk(t)
		d.write("f", tc.content)
		change, err := d.in.Plan(d.at(tc.client, "f"), "tool", server)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(change.Notes, "\n"); !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: %q, want %q", tc.content, got, tc.want)
		}
	}
}

func TestServer_Program(t *testing.T) {
	for _, tc := range []struct {
		s    clientconfig.Server
		want string
	}{
		{clientconfig.Server{Command: "/usr/bin/tool"}, "tool"},
		{clientconfig.Server{Command: `C:\x\Tool.exe`}, "tool"},
		{clientconfig.Server{Command: "go", Args: []string{"run", "-C", "/src", "./examples/tool", "-root", "."}}, "tool"},
		{clientconfig.Server{Command: "go", Args: []string{"run", "example.com/x/tool@v1.2.3", "-root", "."}}, "tool"},
		{clientconfig.Server{Command: "go", Args: []string{"run", "-C"}}, "go"},
		{clientconfig.Server{Command: "go", Args: []string{"version"}}, "go"},
	} {
		if got := tc.s.Program(); got != tc.want {
			t.Errorf("%v is %q, want %q", tc.s, got, tc.want)
		}
	}
}
