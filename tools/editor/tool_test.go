package editor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestFeatures_Descriptions(t *testing.T) {
	p := newProject(t, setup{}, nil)
	total := 0
	for _, st := range p.Features().Tools {
		tool := st.Tool()
		if tool.Annotations == nil || !json.Valid(tool.OutputSchema) || tool.Description == "" {
			t.Errorf("%s lacks annotations, an output schema or a description", tool.Name)
			continue
		}
		verb, _, _ := strings.Cut(tool.Name, "_")
		readOnly := tool.Annotations.ReadOnly != nil && *tool.Annotations.ReadOnly
		if reads := verb == "get" || verb == "find" || verb == "list"; readOnly != reads {
			t.Errorf("%s: read-only is %v", tool.Name, readOnly)
		}
		// Hosts send these three fields to models.
		size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
		t.Logf("%-20s %d", tool.Name, size)
		if total += size; size > 1000 {
			t.Errorf("%s takes %d bytes of every conversation", tool.Name, size)
		}
	}
	n := len(p.Features().Tools)
	t.Logf("on average %d", total/n)
	if n != 17 || total > n*600 {
		t.Errorf("%d tools take %d bytes of every conversation", n, total)
	}
}

// A tool without a suitable adapter is not listed. Its error names the program to start.
func TestFeatures_Listed(t *testing.T) {
	screen, mind := newFakeEditor(), newFakeServer()
	screen.state = adapter.State{Detail: "no window", Start: "start the Fake editor"}
	mind.state = adapter.State{}
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "package a\n"})
	listed := func() string {
		var names []string
		for _, st := range p.Features().Tools {
			if !st.Options().Unlisted {
				names = append(names, st.Tool().Name)
			}
		}
		return strings.Join(names, " ")
	}
	if got := listed(); got != "insert_code delete_code replace_code" {
		t.Errorf("listed are %s", got)
	}
	changes := make(chan struct{}, 10)
	stop := p.Watch(func() { changes <- struct{}{} })
	screen.setState(adapter.State{Running: true})
	<-changes
	if got := listed(); got != "insert_code delete_code replace_code open_file_in_editor get_active_file insert_text replace_text" {
		t.Errorf("listed are %s", got)
	}
	mind.setState(adapter.State{Running: true})
	<-changes
	if got := listed(); strings.Count(got, " ") != 16 {
		t.Errorf("listed are %s", got)
	}
	stop()
	screen.setState(adapter.State{Start: "start the Fake editor"})
	mind.setState(adapter.State{})
	if len(changes) != 0 {
		t.Error("it is watched on")
	}
	for tool, says := range map[string]string{
		"get_active_file":     "IDE_NOT_RUNNING: cannot tell the active file: fake is not running\nNext step: Ask the user to do this, and call again: start the Fake editor.",
		"open_file_in_editor": "IDE_NOT_RUNNING",
		"insert_text":         "IDE_NOT_RUNNING",
		"replace_text":        "IDE_NOT_RUNNING",
		"get_diagnostics":     "NO_LANGUAGE_SERVER: cannot get diagnostics: brain is not running",
		"format_document":     "NO_LANGUAGE_SERVER",
		"find_definition":     "NO_LANGUAGE_SERVER",
		"rename_symbol":       "NO_LANGUAGE_SERVER",
		"get_quick_fixes":     "NO_LANGUAGE_SERVER",
		"list_refactorings":   "NO_LANGUAGE_SERVER",
		"extract_method":      "NO_LANGUAGE_SERVER",
	} {
		args := map[string]string{
			"open_file_in_editor": `{"path":"new.go"}`, "insert_text": `{"text":"x"}`, "format_document": `{"path":"a.go"}`,
			"replace_text":      `{"text":"x","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":2}}}`,
			"list_refactorings": `{"path":"a.go","startLine":1}`, "extract_method": `{"path":"a.go","startLine":1}`,
			"find_definition": `{"path":"a.go","line":1,"column":9}`, "rename_symbol": `{"path":"a.go","line":1,"column":9,"newName":"b"}`,
			"get_quick_fixes": `{"diagnostic":{"file":"a.go","severity":"error","message":"m","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":2}}}}`,
		}[tool]
		if args == "" {
			args = `{}`
		}
		if got := toolsettest.Call(t, p, tool, args); !got.IsError || !strings.HasPrefix(toolsettest.Text(t, got), says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s: %s", tool, toolsettest.Text(t, got))
		}
	}
	p.wantAbsent(t, "new.go")
	if err := p.Close(t.Context()); err != nil || !screen.closed || !mind.closed {
		t.Errorf("closed %v, %v: %v", screen.closed, mind.closed, err)
	}
}

// The structured result of each tool.
func TestFeatures_JSON(t *testing.T) {
	screen, mind := newFakeEditor(), newFakeServer()
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "one two\n"})
	at := p.path("a.go")
	screen.addDocument(at, "one two\n", false)
	screen.front, screen.active = true, adapter.Active{Path: at, Version: 1, Cursor: adapter.Position{Line: 1, Column: 1}}
	here := func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{{Path: at, Range: span(1, 1, 4)}}, nil
	}
	mind.diagnose = diagnosticsOf(newDiagnostic(at, 1, adapter.Error, "wrong"))
	mind.definition, mind.references = here, here
	mind.rename = func(doc adapter.Document, _ adapter.Position, name string) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{{Path: at, Edits: replaceAll(doc.Text, "one", name)}}, nil
	}
	mind.format = func(adapter.Document, *adapter.Range) ([]adapter.TextEdit, error) { return nil, nil }
	mind.fixes = func(doc adapter.Document, _ adapter.Diagnostic) ([]adapter.Fix, error) {
		return []adapter.Fix{{Title: "fix", Edits: []adapter.FileEdit{{Path: at, Edits: replaceAll(doc.Text, "two", "2")}}}}, nil
	}
	var id string
	for _, tt := range []struct{ tool, args, answers string }{
		{"get_diagnostics", `{"path":"a.go"}`, `{"diagnostics":[{"id":"`},
		{"find_definition", `{"symbol":"one","path":"a.go","line":1}`, `{"definitions":[{"path":"a.go","line":1,"column":1,"startLine":1,"endLine":1,"code":"one two\n"}]}`},
		{"find_references", `{"path":"a.go","line":1,"column":1}`, `{"totalCount":1,"files":[{"path":"a.go","references":[{"line":1,"column":1,"text":"one two"}]}]}`},
		{"get_quick_fixes", `{"diagnostic":{"file":"a.go","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":2}},"severity":"error","message":"wrong"}}`, `{"fixes":[{"fixId":"`},
		{"apply_quick_fix", `{"fixId":"FIX"}`, `{"success":true,"title":"fix","filesModified":["a.go"],"files":[{"path":"a.go","sha256":"` + sha256Of("one 2\n") + `","saved":true,"editor":"fake"}],"diff":"`},
		{"rename_symbol", `{"path":"a.go","line":1,"column":1,"newName":"three"}`, `{"oldName":"one","newName":"three","places":1,"filesModified":["a.go"],"files":[{"path":"a.go","sha256":"` + sha256Of("one 2\n") + `","saved":true,"editor":"fake"}],"diff":"`},
		{"format_document", `{"path":"a.go"}`, `{"path":"a.go","sha256":"` + sha256Of("one 2\n") + `","saved":true,"editor":"fake","changed":false,"formatter":"brain"}`},
		{"replace_code", `{"path":"a.go","pattern":"one","replacement":"1"}`, `{"replacementCount":1,"affectedLines":[1],"preview":"`},
		{"insert_code", `{"path":"a.go","line":1,"content":"x"}`, `{"path":"a.go","sha256":"` + sha256Of("x\none 2\n") + `","saved":true,"editor":"fake","diff":"--- a.go\n+++ a.go\n@@ -1 +1,2 @@\n+x\n one 2\n","modifiedRange":{"start":1,"end":1},"linesInserted":1,"diagnostics":"checked","checkedBy":"brain"}`},
		{"delete_code", `{"path":"a.go","startLine":1,"endLine":1}`, `{"path":"a.go","sha256":"` + sha256Of("one 2\n") + `","saved":true,"editor":"fake","diff":"--- a.go\n+++ a.go\n@@ -1,2 +1 @@\n-x\n one 2\n","linesDeleted":1,"confirmed":false,"diagnostics":"checked","checkedBy":"brain"}`},
		{"replace_text", `{"text":"y","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":4}}}`, `{"success":true,"newCursorPosition":{"line":1,"column":2},"linesAffected":1,"path":"a.go",`},
		{"insert_text", `{"text":"z","position":{"line":1,"column":1}}`, `{"success":true,"newCursorPosition":{"line":1,"column":2},"linesAffected":1,"path":"a.go",`},
		{"get_active_file", `{}`, `{"path":"a.go","cursorPosition":{"line":1,"column":1},"selection":null,"isDirty":false,"editor":"fake"}`},
		{"open_file_in_editor", `{"path":"a.go"}`, `{"success":true,"path":"a.go","isNewFile":false,"editor":"fake"}`},
	} {
		got := toolsettest.Call(t, p, tt.tool, strings.ReplaceAll(tt.args, "FIX", id))
		if got.IsError || !strings.HasPrefix(string(got.Structured), tt.answers) {
			t.Errorf("%s answers %s\n%s", tt.tool, toolsettest.Text(t, got), got.Structured)
		}
		if _, rest, ok := strings.Cut(string(got.Structured), `"fixId":"`); ok {
			id, _, _ = strings.Cut(rest, `"`)
		}
	}
	p.wantFile(t, "a.go", "zy 2\n")
}

func TestFeatures_InvalidArguments(t *testing.T) {
	p := newProject(t, with(newFakeServer(), newFakeEditor()), map[string]string{"f": "a\nb\n"})
	for _, tt := range []struct{ tool, args, says string }{
		{"insert_code", `{"path":"f","line":0,"content":"x"}`, "line"},
		{"insert_code", `{"path":"f","line":1,"content":""}`, "content is empty"},
		{"insert_code", `{"path":"f","line":4,"content":"x"}`, "BAD_RANGE"},
		{"insert_code", `{"path":"none","line":1,"content":"x"}`, "FILE_NOT_FOUND"},
		{"insert_code", `{"path":"../f","line":1,"content":"x"}`, "PERMISSION_DENIED"},
		{"insert_code", `{"path":"f","line":1,"content":"x","expectedSha256":"12"}`, "64 hexadecimal digits"},
		{"delete_code", `{"path":"f","startLine":2,"endLine":1}`, "not a range"},
		{"delete_code", `{"path":"f","startLine":1,"endLine":3}`, "BAD_RANGE"},
		{"replace_code", `{"path":"f","pattern":"","replacement":"x"}`, "pattern"},
		{"replace_code", `{"path":"f","pattern":"(","replacement":"x","isRegex":true}`, "INVALID_PATTERN"},
		{"replace_code", `{"path":"f","pattern":"a","replacement":"$1","isRegex":true}`, "no group"},
		{"replace_code", `{"path":".","pattern":"a","replacement":"b"}`, "glob"},
		{"replace_code", `{"path":".","pattern":"a","replacement":"b","glob":"*","expectedSha256":"12"}`, "do not go together"},
		{"replace_code", `{"path":"f","pattern":"a","replacement":"b","occurrenceIds":["f"]}`, "not the id"},
		{"replace_code", `{"path":"f","pattern":"a","replacement":"b","occurrenceIds":["f:1@ab","g:1@ab"]}`, "several files"},
		{"replace_code", `{"path":"f","pattern":"z","replacement":"b"}`, "EDIT_NO_MATCH"},
		{"replace_code", `{"path":"f","pattern":"a","replacement":"b","expectedCount":2}`, "EDIT_COUNT_MISMATCH"},
		{"format_document", `{"path":"f","startLine":2,"endLine":1}`, "not a range"},
		{"format_document", `{"path":"f","startLine":1,"endLine":9}`, "BAD_RANGE"},
		{"get_diagnostics", `{"severity":"fatal"}`, "severity"},
		{"get_diagnostics", `{"scope":"new"}`, "scope"},
		{"get_diagnostics", `{"scope":"changed","path":"f"}`, "do not go together"},
		{"get_diagnostics", `{"since":"x"}`, "baseline"},
		{"get_diagnostics", `{"cursor":"x:1"}`, "INVALID_CURSOR"},
		{"get_diagnostics", `{"path":"none"}`, "FILE_NOT_FOUND"},
		{"get_quick_fixes", `{"diagnostic":"abc"}`, "is unknown"},
		{"get_quick_fixes", `{"diagnostic":{"file":"f"}}`, "no range"},
		{"apply_quick_fix", `{"fixId":"abc"}`, "UNKNOWN_FIX"},
		{"open_file_in_editor", `{"path":"f","column":2}`, "position"},
		{"find_definition", `{}`, "which name"},
		{"find_definition", `{"line":1,"column":1}`, "position"},
		{"find_definition", `{"path":"f","line":1}`, "which name"},
		{"find_definition", `{"path":"f","line":9,"column":1}`, "BAD_RANGE"},
		{"find_definition", `{"path":"f","line":1,"symbol":"z"}`, "SYMBOL_NOT_FOUND"},
		{"find_references", `{"path":"f","line":1,"column":1,"cursor":"x"}`, "INVALID_CURSOR"},
		{"rename_symbol", `{"path":"f","line":1,"column":1,"newName":"a\nb"}`, "no name"},
		{"replace_text", `{"text":"x","range":{"start":{"line":2,"column":1},"end":{"line":1,"column":1}}}`, "ends before"},
	} {
		got := toolsettest.Call(t, p, tt.tool, tt.args)
		if !got.IsError || !strings.Contains(toolsettest.Text(t, got), tt.says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s(%s): %s", tt.tool, tt.args, toolsettest.Text(t, got))
		}
	}
	p.wantFile(t, "f", "a\nb\n")
}

func TestNew_WithoutRoot(t *testing.T) {
	if _, err := editor.New(t.Context(), tools.Env{}, editor.Options{}); err == nil {
		t.Error("there is no root, and nobody says so")
	}
	p := newProject(t, setup{readOnly: true}, map[string]string{"f": "a\n"})
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x"})
	toolsettest.WantError(t, err, string(security.PermissionDenied), "read-only")
}

func TestNew_NilAdapter(t *testing.T) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = editor.New(t.Context(), tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{newFakeServer(), nil}})
	if err == nil || !strings.Contains(err.Error(), "adapter 1 is nil") {
		t.Errorf("New returned %v", err)
	}
}
