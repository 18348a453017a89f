package clientconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// Each file gets the server in its own manner, nothing else changes, and undoing
// gives its bytes back.
func TestPlan_Format(t *testing.T) {
	short := clientconfig.Server{Command: "t", Args: []string{"-r", "/x"}}
	for _, tc := range []struct{ name, client, before, after string }{
		{"no file content", "cursor", "",
			"{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }\n}\n"},
		{"an empty line", "cursor", "\r\n",
			"{\r\n  \"mcpServers\": {\r\n    \"new\": {\r\n      \"command\": \"t\",\r\n      \"args\": [\"-r\", \"/x\"]\r\n    }\r\n  }\r\n}\r\n"},
		{"an empty object", "vscode", "{}",
			"{\n  \"servers\": {\n    \"new\": {\n      \"type\": \"stdio\",\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }\n}"},
		{"an empty object with space", "cursor", "{ }\n",
			"{ \n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }\n}\n"},
		{"an empty object with a line", "cursor", "{\n}\n",
			"{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }\n}\n"},
		{"no servers yet, tabs", "cursor", "{\n\t\"mcpServers\": {}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"new\": {\n\t\t\t\"command\": \"t\",\n\t\t\t\"args\": [\"-r\", \"/x\"]\n\t\t}\n\t}\n}\n"},
		{"a comment alone", "vscode", "{\n  \"servers\": {\n    // none yet\n  }\n}\n",
			"{\n  \"servers\": {\n    // none yet\n    \"new\": {\n      \"type\": \"stdio\",\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }\n}\n"},
		{"one line", "cursor", `{"mcpServers":{"a":{"command":"x"}}}`,
			`{"mcpServers":{"a":{"command":"x"},"new":{"command":"t","args":["-r","/x"]}}}`},
		{"one line, empty", "cursor", `{"a":1,"mcpServers":{}}`,
			`{"a":1,"mcpServers":{"new":{"command":"t","args":["-r","/x"]}}}`},
		{"one line without servers", "cursor", `{"a": 1}`,
			`{"a": 1, "mcpServers": {"new": {"command": "t", "args": ["-r", "/x"]}}}`},
		{"one line with space", "cursor", `{ "mcpServers": { "a": { "command": "x" } } }`,
			`{ "mcpServers": { "a": { "command": "x" }, "new": { "command": "t", "args": ["-r", "/x"] } } }`},
		{"one line, a trailing comma", "vscode", `{"servers": {"a": {"command": "x"},}}`,
			`{"servers": {"a": {"command": "x"}, "new": {"type": "stdio", "command": "t", "args": ["-r", "/x"]},}}`},
		{"a line for each server", "cursor", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n    \"new\": {\"command\": \"t\", \"args\": [\"-r\", \"/x\"]}\n  }\n}"},
		{"a comment behind the last", "vscode", "{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"} // its\n  }\n}\n",
			"{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"}, // its\n    \"new\": {\"type\": \"stdio\", \"command\": \"t\", \"args\": [\"-r\", \"/x\"]}\n  }\n}\n"},
		{"a closing brace on the last line", "cursor", "{ \"mcpServers\": { \"a\": 1,\n  \"b\": 2 } }",
			"{ \"mcpServers\": { \"a\": 1,\n  \"b\": 2,\n  \"new\": {\n    \"command\": \"t\",\n    \"args\": [\"-r\", \"/x\"]\n  } } }"},
		{"an opening brace on the first line", "cursor", "{ \"mcpServers\": {\"a\": 1 // one\n  }}",
			"{ \"mcpServers\": {\"a\": 1, // one\n    \"new\": {\n      \"command\": \"t\",\n      \"args\": [\"-r\", \"/x\"]\n    }\n  }}"},
		{"a name that is written otherwise", "cursor", "{\"mcp\\u0053ervers\":{}}\n",
			"{\"mcp\\u0053ervers\":{\"new\":{\"command\":\"t\",\"args\":[\"-r\",\"/x\"]}}}\n"},
		{"a comment at the end without a line", "vscode", "{\"servers\": {}} // end",
			"{\"servers\": {\"new\": {\"type\": \"stdio\", \"command\": \"t\", \"args\": [\"-r\", \"/x\"]}}} // end"},
		{"space before colons", "cursor", "{\n \"mcpServers\" : {\n  \"a\" : 1\n }\n}\n",
			"{\n \"mcpServers\" : {\n  \"a\" : 1,\n  \"new\" : {\n   \"command\" : \"t\",\n   \"args\" : [\"-r\", \"/x\"]\n  }\n }\n}\n"},
		{"no indentation", "cursor", "{\n\"mcpServers\": {\n\"a\": 1\n}\n}\n",
			"{\n\"mcpServers\": {\n\"a\": 1,\n\"new\": {\n  \"command\": \"t\",\n  \"args\": [\"-r\", \"/x\"]\n}\n}\n}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			d.write("mcp.json", tc.before)
			at := d.at(tc.client, "mcp.json")
			if change := d.install(at, "new", short); change.Action != clientconfig.Add {
				t.Errorf("action %d", change.Action)
			}
			if got := d.read("mcp.json"); got != tc.after {
				t.Errorf("got\n%s\nwant\n%s", got, tc.after)
			}
			if again := d.install(at, "new", short); again.Action != clientconfig.Nothing {
				t.Errorf("action %d when installed again", again.Action)
			}
			d.undo(at, "")
			if got := d.read("mcp.json"); got != tc.before {
				t.Errorf("after undoing\n%s\nwant\n%s", got, tc.before)
			}
		})
	}
}

// Files as people have them.
func TestPlan_RealFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) < 7 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			for _, c := range clientconfig.All() {
				if strings.HasPrefix(name, c.Name) {
					checkInstall(t, c.Name, string(content))
				}
			}
		})
	}
	t.Run("the state of Claude Code", func(t *testing.T) { checkInstall(t, "claude-code", claudeState(300<<10)) })
}

// checkInstall installs and undoes, with all that must hold for any file.
func checkInstall(t *testing.T, clientName, before string) {
	t.Helper()
	d := newDesk(t)
	d.write("f", before)
	at := d.at(clientName, "f")
	d.install(at, "tool", server)
	after := d.read("f")
	if err := onlyAdded(before, after); err != nil {
		t.Errorf("%v:\n%.3000s", err, after)
	}
	entries, err := at.Client.Entries([]byte(after))
	if err != nil || len(entries) == 0 {
		t.Fatalf("%v, %v", entries, err)
	}
	if last := entries[len(entries)-1]; last.Name != "tool" || !last.Same(server) || last.Remote {
		t.Errorf("the last entry is %+v", last)
	}
	if strings.Contains(before, "\r\n") && strings.Count(after, "\r\n") != strings.Count(after, "\n") {
		t.Errorf("ends of lines are mixed: %q", after)
	}
	for line := range strings.Lines(after) {
		if strings.Contains(before, "\n\t") && strings.HasPrefix(line, " ") {
			t.Errorf("the line %q is indented by spaces", line)
		}
	}
	d.undo(at, "tool")
	if got := d.read("f"); got != before {
		t.Errorf("after undoing\n%.3000s\nwant\n%.3000s", got, before)
	}
}

// claudeState is a file as Claude Code writes it: servers among much else.
func claudeState(size int) string {
	var b strings.Builder
	b.WriteString("{\n  \"numStartups\": 412,\n  \"autoUpdates\": true,\n  \"oauthAccount\": {\n    \"emailAddress\": \"me@example.com\"\n  },\n  \"projects\": {\n")
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("    \"/home/me/src/project-" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + "\": {\n      \"allowedTools\": [],\n      \"history\": [\n        {\n          \"display\": \"say \\\"{[//*\\\\\\\" in 日本語 " +
			strings.Repeat("and on ", 20) + "\",\n          \"pastedContents\": {}\n        }\n      ],\n      \"mcpServers\": {},\n      \"hasTrustDialogAccepted\": true\n    }")
	}
	b.WriteString("\n  },\n  \"mcpServers\": {\n    \"context7\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"@upstash/context7-mcp\"\n      ],\n      \"env\": {}\n    }\n  },\n  \"tipsHistory\": {\n    \"shift-tab\": 410\n  }\n}")
	return b.String()
}

func TestPlan_ExistingEntry(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		action              clientconfig.Action
	}{
		{"the same, formatted otherwise", `{"mcpServers":{"tool":{ "args":["-root","\/work\/my project"],"type":"stdio", "command" :"/opt/bin/tool","env":{"A":"b"}}}}`, "", clientconfig.Nothing},
		{"another version of the program keeps what it does not know",
			"{\n  \"mcpServers\": {\n    \"tool\": {\n      \"disabled\": true,\n      \"command\": \"/old/tool\", // moved\n      \"env\": {\"KEY\": \"k\"},\n      \"args\": [\n        \"-root\",\n        \"/old\"\n      ],\n      \"autoApprove\": [\"read_file\"]\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"tool\": {\n      \"disabled\": true,\n      \"command\": \"/opt/bin/tool\", // moved\n      \"env\": {\"KEY\": \"k\"},\n      \"args\": [\n        \"-root\",\n        \"/work/my project\"\n      ],\n      \"autoApprove\": [\"read_file\"]\n    }\n  }\n}",
			clientconfig.Update},
		{"arguments are missing", `{"mcpServers":{"tool":{"command":"/opt/bin/tool"}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":["-root","/work/my project"]}}}`, clientconfig.Update},
		{"arguments of another kind", `{"mcpServers":{"tool":{"args":7,"command":"tool"}}}`, `{"mcpServers":{"tool":{"args":["-root","/work/my project"],"command":"/opt/bin/tool"}}}`, clientconfig.Update},
		{"arguments with something else in them", `{"mcpServers":{"tool":{"args":["-root",null],"command":"tool"}}}`, `{"mcpServers":{"tool":{"args":["-root","/work/my project"],"command":"/opt/bin/tool"}}}`, clientconfig.Update},
		{"on Windows", `{"mcpServers":{"tool":{"command":"C:\\bin\\Tool.EXE","args":[ "-root","/work/my project" ]}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":[ "-root","/work/my project" ]}}}`, clientconfig.Update},
		{"from source", `{"mcpServers":{"tool":{"command":"go","args":["run","-C","/src","./examples/tool","-root","/x"]}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":["-root","/work/my project"]}}}`, clientconfig.Update},
		{"another program", `{"mcpServers":{"tool":{"command":"npx","args":["tool"],"env":{"K":"v"}}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":["-root","/work/my project"],"env":{"K":"v"}}}}`, clientconfig.Replace},
		{"a URL", `{"mcpServers":{"tool":{"url":"https://x/mcp","headers":{"A":"b"}}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":["-root","/work/my project"]}}}`, clientconfig.Replace},
		{"a type", `{"mcpServers":{"tool":{"type":"sse","command":"tool"}}}`, `{"mcpServers":{"tool":{"command":"/opt/bin/tool","args":["-root","/work/my project"]}}}`, clientconfig.Replace},
		{"no object", "{\n\t\"mcpServers\": {\n\t\t\"tool\": null\n\t}\n}", "{\n\t\"mcpServers\": {\n\t\t\"tool\": {\n\t\t\t\"command\": \"/opt/bin/tool\",\n\t\t\t\"args\": [\"-root\", \"/work/my project\"]\n\t\t}\n\t}\n}", clientconfig.Replace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			d.write("f", tc.before)
			at := d.at("cursor", "f")
			if change := d.install(at, "tool", server); change.Action != tc.action {
				t.Errorf("action %d, want %d", change.Action, tc.action)
			}
			if tc.after == "" {
				tc.after = tc.before
			}
			if got := d.read("f"); got != tc.after {
				t.Errorf("got\n%s\nwant\n%s", got, tc.after)
			}
			if tc.action == clientconfig.Nothing {
				return
			}
			d.undo(at, "")
			if got := d.read("f"); got != tc.before {
				t.Errorf("after undoing\n%s", got)
			}
		})
	}
}

func TestPlan_InvalidFile(t *testing.T) {
	for _, tc := range []struct{ before, want string }{
		{"{", ":1:2: "},
		{"{\n  \"mcpServers\": {\n    \"a\": {\"env\": {\"日本\": bad-secret}}\n  }\n}", ":3:25: a string, number or word is not valid JSON"},
		{"{\n  \"a\": \"x\\q-secret\"\n}", ":2:8: "},
		{"{\"a\": 1\n \"b\": 2}", ":2:2: invalid character"},
		{"[1]", ":1:1: the file should hold an object"},
		{"// nothing\n", ":2:1: "},
		{"{\"mcpServers\": []}", ":1:16: \"mcpServers\" should be an object"},
		{"{\"mcpServers\": null}", "should be an object"},
		{"{\"mcpServers\": {},\n \"mcp\\u0053ervers\": {}}", ":2:2: \"mcpServers\" is here for the second time, after line 1"},
		{"{\"mcpServers\": {\"tool\": 1, \"tool\": 2}}", "\"tool\" is here for the second time"},
		{"{\"mcpServers\": {\"tool\": {\"command\": \"a\", \"command\": \"b\"}}}", "\"command\" is here for the second time"},
		{"\xff\xfe{\x00}\x00", "UTF-16"},
		{"{\"a\": " + strings.Repeat("[", 1_000_000), "more than 256"},
		{"{\"mcpServers\": {\"a\": 1}} trailing", "after top-level value"},
	} {
		d := newDesk(t)
		d.write("f", tc.before)
		_, err := d.in.Plan(d.at("cursor", "f"), "tool", server)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), d.file("f")) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60q: %v, want %q", tc.before, err, tc.want)
		}
		if d.read("f") != tc.before || d.exists("state") {
			t.Errorf("%.60q: it was changed", tc.before)
		}
	}
}

func TestPlan_InvalidServer(t *testing.T) {
	d := newDesk(t)
	for _, tc := range []struct {
		name string
		s    clientconfig.Server
		want string
	}{
		{"", server, "1 to 64"},
		{strings.Repeat("x", 65), server, "1 to 64"},
		{"a b", server, "letters"},
		{"a", clientconfig.Server{Command: "x", Args: []string{"\xff"}}, "not UTF-8"},
	} {
		if _, err := d.in.Plan(d.at("cursor", "f"), tc.name, tc.s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v", tc.name, err)
		}
	}
}

func TestPlan_WindowsPath(t *testing.T) {
	d := newDesk(t)
	s := clientconfig.Server{Command: `C:\Program Files\tool.exe`, Args: []string{"-root", `C:\Users\あ "b"`}}
	at := d.at("vscode", "f")
	d.install(at, "tool", s)
	if got := d.read("f"); !strings.Contains(got, `"command": "C:\\Program Files\\tool.exe"`) {
		t.Errorf("%s", got)
	}
	entries, err := at.Client.Entries([]byte(d.read("f")))
	if err != nil || len(entries) != 1 || !entries[0].Same(s) || entries[0].Program() != "tool" {
		t.Errorf("%+v, %v", entries, err)
	}
}
