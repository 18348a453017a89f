package clientconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

func TestPlanUndo_Order(t *testing.T) {
	d := newDesk(t)
	at := d.at("cursor", "deep/er/mcp.json")
	var states []string
	for _, name := range []string{"a", "b", "c"} {
		d.install(at, name, server)
		states = append(states, d.read("deep/er/mcp.json"))
	}
	d.install(at, "b", clientconfig.Server{Command: "/new/tool"})
	for i := 2; i >= 0; i-- {
		if change := d.undo(at, ""); change.Action != clientconfig.Restore {
			t.Errorf("action %d", change.Action)
		}
		if got := d.read("deep/er/mcp.json"); got != states[i] {
			t.Errorf("after undoing to %d:\n%s", i, got)
		}
	}
	if change := d.undo(at, ""); change.Action != clientconfig.Delete || d.exists("deep") {
		t.Errorf("the file and its directories are still there (action %d)", change.Action)
	}
	if _, err := d.in.PlanUndo(at, ""); err == nil || !strings.Contains(err.Error(), "there is no change by tool to undo") {
		t.Errorf("%v", err)
	}
}

func TestPlanUndo_ByName(t *testing.T) {
	d := newDesk(t)
	before := "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n"
	d.write("f", before)
	at := d.at("cursor", "f")
	d.install(at, "a", server)
	d.install(at, "b", server)
	if change := d.undo(at, "a"); change.Action != clientconfig.Withdraw || len(change.Notes) != 1 {
		t.Errorf("action %d, %q", change.Action, change.Notes)
	}
	if change := d.undo(at, "b"); change.Action != clientconfig.Withdraw {
		t.Errorf("action %d", change.Action)
	}
	if got := d.read("f"); got != before {
		t.Errorf("got\n%s", got)
	}
}

// TestPlanUndo_ChangedFile checks that later changes of the file stay.
func TestPlanUndo_ChangedFile(t *testing.T) {
	for _, tc := range []struct{ name, before, later, want string }{
		{"an entry", "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n",
			"{\n  // mine\n  \"mcpServers\": {\n    \"x\": 2,\n    \"tool\": {\"command\": \"/opt/bin/tool\"}, // theirs\n    \"y\": 3\n  }\n}\n",
			"{\n  // mine\n  \"mcpServers\": {\n    \"x\": 2,\n    // theirs\n    \"y\": 3\n  }\n}\n"},
		{"the last entry", "{\"mcpServers\": {\"x\": 1}}",
			"{\"mcpServers\": {\"x\": 1, \"z\": [], /* why */ \"tool\": {\"command\": \"/opt/bin/tool\", \"env\": {}} }, \"more\": true}",
			"{\"mcpServers\": {\"x\": 1, \"z\": [] /* why */ }, \"more\": true}"},
		{"the first entry", "{\"mcpServers\": {}}",
			"{\"mcpServers\": { \"tool\": {\"command\": \"tool\"}, \"x\": 1 }}",
			"{\"mcpServers\": { \"x\": 1 }}"},
		{"an entry with a comment before its comma", "{\"mcpServers\": {}}",
			"{\"mcpServers\": {\n\"tool\": {\"command\": \"tool\"} /* c */, \"x\": 1 }}",
			"{\"mcpServers\": {\n/* c */ \"x\": 1 }}"},
		{"behind a comment that goes to the end of the line", "{\"mcpServers\": {}}",
			"{\"mcpServers\": {\"x\": 1, // c\n  \"tool\": {\"command\": \"tool\"} }}",
			"{\"mcpServers\": {\"x\": 1 // c\n   }}"},
		{"the only entry, and the servers that we have made", "{\"a\": 1}",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"tool\": {\"command\": \"/opt/bin/tool\"}\n  },\n  \"b\": 2\n}",
			"{\n  \"a\": 1,\n  \"b\": 2\n}"},
		{"the only entry, and a comment among our servers", "{\"a\": 1}",
			"{\"a\": 1, \"mcpServers\": { // keep\n    \"tool\": {\"command\": \"/opt/bin/tool\"}\n  }}",
			"{\"a\": 1, \"mcpServers\": { // keep\n  }}"},
		{"a file that we have made", "",
			"{\"mcpServers\": {\"tool\": {\"command\": \"/opt/bin/tool\"}, \"x\": 1}}",
			"{\"mcpServers\": {\"x\": 1}}"},
		{"the former entry", "{\"mcpServers\": {\"tool\": { \"command\" : \"/old/tool\" }}}",
			"{\"mcpServers\": {\"new\": 1, \"tool\": {\"command\": \"/opt/bin/tool\", \"args\": []}}}",
			"{\"mcpServers\": {\"new\": 1, \"tool\": { \"command\" : \"/old/tool\" }}}"},
		{"an entry that is another's now", "{}", "{\"mcpServers\": {\"tool\": {\"command\": \"npx\"}}}", ""},
		{"an entry that is gone", "{}", "{\"mcpServers\": {}}", ""},
		{"everything is gone", "{}", "{}\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			if tc.before != "" {
				d.write("f", tc.before)
			}
			at := d.at("cursor", "f")
			d.install(at, "tool", server)
			d.write("f", tc.later)
			change := d.undo(at, "")
			want, action := tc.want, clientconfig.Withdraw
			if want == "" {
				want, action = tc.later, clientconfig.Nothing
			}
			if got := d.read("f"); got != want || change.Action != action || len(change.Notes) != 1 {
				t.Errorf("action %d, %q, got\n%s\nwant\n%s", change.Action, change.Notes, got, want)
			}
			values(t, []byte(d.read("f")))
			if _, err := d.in.PlanUndo(at, ""); err == nil {
				t.Error("it can be undone again")
			}
		})
	}
}

func TestPlanUndo_InvalidFile(t *testing.T) {
	d := newDesk(t)
	at := d.at("cursor", "f")
	d.write("f", "{}")
	d.install(at, "tool", server)
	d.write("f", "{ half")
	if _, err := d.in.PlanUndo(at, ""); err == nil || !strings.Contains(err.Error(), "f:1:3:") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(d.file("f")); err != nil {
		t.Fatal(err)
	}
	if change := d.undo(at, ""); change.Action != clientconfig.Nothing || !strings.Contains(change.Notes[0], "no longer exists") {
		t.Errorf("%+v", change)
	}
}

// A process that died between recording a change and making it leaves a record
// of something that never was.
func TestPlanUndo_StaleRecords(t *testing.T) {
	d := newDesk(t)
	at := d.at("cursor", "f")
	d.write("f", "{}")
	d.install(at, "a", server)
	first := d.read("f")
	d.install(at, "b", server)
	d.write("f", first) // as if b had never been written
	records, err := os.ReadDir(d.in.StateDir)
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for name, content := range map[string]string{"000009.json": "{half", "note.txt": "", "x.json": "{}"} {
		if err := os.WriteFile(filepath.Join(d.in.StateDir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if change := d.undo(at, ""); change.Action != clientconfig.Restore || d.read("f") != "{}" {
		t.Errorf("action %d: %s", change.Action, d.read("f"))
	}
	if records, err = os.ReadDir(d.in.StateDir); err != nil || len(records) != 3 {
		t.Errorf("records left: %v, %v", records, err)
	}
}

func TestPlanUndo_OtherProgram(t *testing.T) {
	d := newDesk(t)
	at := d.at("cursor", "f")
	d.install(at, "tool", server)
	other := &clientconfig.Installer{Program: "other", StateDir: d.in.StateDir, Now: func() time.Time { return time.Unix(0, 0) }}
	if _, err := other.PlanUndo(at, ""); err == nil {
		t.Error("another program can undo it")
	}
	if _, err := d.in.PlanUndo(d.at("claude-desktop", "f"), ""); err == nil {
		t.Error("it can be undone for another client")
	}
	change, err := other.Plan(at, "other", server)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	if change := d.undo(at, ""); change.Action != clientconfig.Withdraw || strings.Contains(d.read("f"), `"tool"`) {
		t.Errorf("action %d: %s", change.Action, d.read("f"))
	}
}

func TestChange_Apply_OldRecords(t *testing.T) {
	d := newDesk(t)
	at := d.at("cursor", "f")
	for i := range 60 {
		d.install(at, "tool", clientconfig.Server{Command: "tool", Args: []string{strings.Repeat("x", i+1)}})
	}
	records, err := os.ReadDir(d.in.StateDir)
	if err != nil || len(records) != 50 {
		t.Errorf("%d records, %v", len(records), err)
	}
	for range 50 {
		d.undo(at, "")
	}
	if got := d.read("f"); !strings.Contains(got, `"`+strings.Repeat("x", 10)+`"`) {
		t.Errorf("%s", got)
	}
}
