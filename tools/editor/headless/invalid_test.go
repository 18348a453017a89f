package headless_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func span(l1, c1, l2, c2 int) string {
	return fmt.Sprintf(`"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, l1, c1, l2, c2)
}

func textEdit(l1, c1, l2, c2 int, text string) string {
	return fmt.Sprintf(`{%s,"newText":%q}`, span(l1, c1, l2, c2), text)
}

func changes(uri string, edits ...string) string {
	return fmt.Sprintf(`{"changes":{%q:[%s]}}`, uri, strings.Join(edits, ","))
}

func documentChanges(all ...string) string {
	return `{"documentChanges":[` + strings.Join(all, ",") + `]}`
}

func documentEdit(uri, version string, edits ...string) string {
	return fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%s},"edits":[%s]}`, uri, version, strings.Join(edits, ","))
}

// A rename is refused completely if a part of the server's edit is invalid.
func TestRename_InvalidEdits(t *testing.T) {
	const a, good = "$ROOT/a.go", `{"range":{"start":{"line":2,"character":4},"end":{"line":2,"character":5}},"newText":"z"}`
	for name, tc := range map[string]struct{ answer, says string }{
		"no object":             {`7`, "cannot be used"},
		"negative lines":        {changes(a, textEdit(-1, 0, 0, 0, "")), "cannot be used"},
		"huge lines":            {changes(a, textEdit(4294967295, 0, 4294967295, 1, "")), "there is no line"},
		"behind the end":        {changes(a, textEdit(50, 3, 51, 0, "")), "there is no line 51"},
		"end before beginning":  {changes(a, textEdit(2, 5, 2, 1, "")), "before it begins"},
		"overlaps":              {changes(a, good, textEdit(2, 0, 2, 9, "")), "overlap"},
		"a snippet":             {changes(a, strings.TrimSuffix(good, "}")+`,"insertTextFormat":2}`), "snippet"},
		"no text":               {changes(a, `{`+span(0, 0, 0, 0)+`}`), "lacks"},
		"outside":               {changes("file:///etc/passwd", good), "no file of the project"},
		"outside by dots":       {changes("$ROOT/../x.go", good), "no file of the project"},
		"no file":               {changes("http://x/y", good), "URI that is no file"},
		"the project itself":    {changes("$ROOT", good), "no file of the project"},
		"a secret":              {changes("$ROOT/.env", good), "hidden from tools"},
		"what is not there":     {changes("$ROOT/none.go", good), "none.go"},
		"good and outside":      {documentChanges(documentEdit(a, "null", good), documentEdit("file:///etc/passwd", "null", good)), "no file of the project"},
		"another version":       {documentChanges(documentEdit(a, "99", good)), "another version"},
		"to make what is there": {documentChanges(`{"kind":"create","uri":"$ROOT/b.go","options":{"overwrite":true}}`), "which exists"},
		"to make outside":       {documentChanges(`{"kind":"create","uri":"file:///tmp/x"}`), "no file of the project"},
		"to delete a directory": {documentChanges(`{"kind":"delete","uri":"$ROOT/sub","options":{"recursive":true}}`), "directory"},
		"to delete nothing":     {documentChanges(`{"kind":"delete","uri":"$ROOT/none.go"}`), "does not exist"},
		"to move a directory":   {documentChanges(`{"kind":"rename","oldUri":"$ROOT/sub","newUri":"$ROOT/bus"}`), "directory"},
		"to move over":          {documentChanges(`{"kind":"rename","oldUri":"$ROOT/a.go","newUri":"$ROOT/b.go"}`), "which exists"},
		"to move out":           {documentChanges(`{"kind":"rename","oldUri":"$ROOT/a.go","newUri":"file:///tmp/a.go"}`), "no file of the project"},
		"to edit what is gone":  {documentChanges(`{"kind":"delete","uri":"$ROOT/b.go"}`, documentEdit("$ROOT/b.go", "null", good)), "b.go"},
		"to explode":            {documentChanges(`{"kind":"explode","uri":"$ROOT/b.go"}`), "explode"},
		"nothing at all":        {documentChanges(`{}`), "no file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fake(t, lsptest.Script{Answers: map[string]string{"textDocument/rename": tc.answer}}, headless.Options{})
			edits, err := p.Rename(long(t), p.doc("a.go"), p.at("a.go", "var |x"), "z")
			if err == nil || !strings.Contains(err.Error(), tc.says) || edits != nil {
				t.Errorf("%+v, %v, want %q", edits, err, tc.says)
			}
		})
	}
}

func TestRename_EditKinds(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		want   string
	}{
		"none":              {`null`, ``},
		"an empty one":      {`{}`, ``},
		"what is there now": {changes("$ROOT/a.go", textEdit(2, 4, 2, 5, "x")), ``},
		"of the open version": {documentChanges(documentEdit("$ROOT/a.go", `"$VERSION"`, textEdit(2, 4, 2, 5, "z"))),
			`change a.go 3:1-4:1 "var z = 1\n"`},
		"of all there is": {changes("$ROOT/a.go", textEdit(0, 0, 99999, 0, "package a\n\nvar z = 1\n")),
			`change a.go 3:1-4:1 "var z = 1\n"`},
		"one after the other": {documentChanges(documentEdit("$ROOT/a.go", "null", textEdit(0, 0, 1, 0, "")), documentEdit("$ROOT/a.go", "null", textEdit(1, 4, 1, 5, "z"))),
			`change a.go 1:1-2:1 "", 3:1-4:1 "var z = 1\n"`},
		"a move": {documentChanges(documentEdit("$ROOT/b.go", "null", textEdit(2, 8, 2, 9, "z")), `{"kind":"rename","oldUri":"$ROOT/a.go","newUri":"$ROOT/z.go"}`, documentEdit("$ROOT/z.go", "null", textEdit(2, 4, 2, 5, "z"))),
			`change b.go 3:1-4:1 "var y = z\n"; change a.go 3:1-4:1 "var z = 1\n"; rename a.go to z.go`},
		"a new file": {documentChanges(`{"kind":"create","uri":"$ROOT/n.go"}`, documentEdit("$ROOT/n.go", "null", textEdit(0, 0, 0, 0, "package a\n"))),
			`create n.go 1:1-1:1 "package a\n"`},
		"a file that is there already": {documentChanges(`{"kind":"create","uri":"$ROOT/b.go","options":{"ignoreIfExists":true}}`), ``},
		"a file less":                  {documentChanges(`{"kind":"delete","uri":"$ROOT/b.go"}`), `delete b.go`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fake(t, lsptest.Script{Answers: map[string]string{"textDocument/rename": tc.answer}}, headless.Options{})
			edits, err := p.Rename(long(t), p.doc("a.go"), p.at("a.go", "var |x"), "z")
			if got := p.describe(edits); err != nil || got != tc.want {
				t.Errorf("%s, %v\nwant %s", got, err, tc.want)
			}
		})
	}
}

// describe writes edits down.
func (p *project) describe(all []adapter.FileEdit) string {
	var lines []string
	for _, e := range all {
		line := []string{"change", "create", "rename", "delete"}[e.Op] + " " + p.rel(e.Path)
		if e.NewPath != "" {
			line += " to " + p.rel(e.NewPath)
		}
		var edits []string
		for _, edit := range e.Edits {
			r := edit.Range
			edits = append(edits, fmt.Sprintf(" %d:%d-%d:%d %q", r.Start.Line, r.Start.Column, r.End.Line, r.End.Column, edit.NewText))
		}
		lines = append(lines, line+strings.Join(edits, ","))
	}
	return strings.Join(lines, "; ")
}

func TestRequests_InvalidPositions(t *testing.T) {
	p := fake(t, lsptest.Script{Answers: map[string]string{
		"textDocument/definition":     `[{"uri":"http://x/y",` + span(0, 0, 0, 0) + `},{"uri":"$ROOT/b.go",` + span(4294967295, 4294967295, 0, 0) + `}]`,
		"textDocument/references":     `{"uri":5}`,
		"textDocument/documentSymbol": `[{"name":"x","kind":9999,` + span(9, 9, 9, 9) + `,"selectionRange":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}]`,
		"textDocument/formatting":     `[` + textEdit(2, 5, 2, 1, "") + `]`,
		"textDocument/diagnostic":     `{"kind":"full","items":[{` + span(4294967295, 0, 4294967295, 5) + `,"message":"` + strings.Repeat("m", 1<<16) + `"}]}`,
	}}, headless.Options{})
	doc, x := p.doc("a.go"), p.at("a.go", "var |x")
	if found, err := p.Definition(long(t), doc, x); err != nil || len(found) != 1 || p.rel(found[0].Path) != "b.go" || found[0].Range.Start.Line < 1 {
		t.Errorf("definition: %+v, %v", found, err)
	}
	if _, err := p.References(long(t), doc, x); code(err) != "LANGUAGE_SERVER_FAILED" {
		t.Errorf("references: %v", err)
	}
	if symbols, err := p.Symbols(long(t), doc); err != nil || len(symbols) != 1 || symbols[0].Kind != "" {
		t.Errorf("symbols: %+v, %v", symbols, err)
	}
	if _, err := p.Format(long(t), doc, nil); code(err) != "LANGUAGE_SERVER_FAILED" {
		t.Errorf("format: %v", err)
	}
	end := adapter.Position{Line: 4, Column: 1}
	if d := p.diagnostics("a.go"); len(d) != 1 || d[0].Range != (adapter.Range{Start: end, End: end}) || len(d[0].Message) > 5000 {
		t.Errorf("diagnostics: %d", len(d))
	}
	if _, err := p.Definition(long(t), doc, adapter.Position{Line: 40, Column: 1}); code(err) != "INVALID_PARAMS" {
		t.Errorf("a position that is not there: %v", err)
	}
}

func TestFixes_Commands(t *testing.T) {
	edit := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{"edit":` + changes("$ROOT/a.go", textEdit(2, 4, 2, 5, text)) + `}}`
	}
	script := lsptest.Script{
		Capabilities: []byte(`{"codeActionProvider":true,"diagnosticProvider":{},"executeCommandProvider":{"commands":["mend"]}}`),
		Answers: map[string]string{"textDocument/codeAction": `[{"title":"Mend","command":"mend"},{"title":"Format the disk","kind":"quickfix","command":{"title":"","command":"format.disk"}},
			{"title":"Not now","kind":"quickfix","disabled":{"reason":"no"}},{"title":"Extract","kind":"refactor.extract"},7,{"title":"Lie","kind":"quickfix","edit":` + changes("file:///etc/passwd", textEdit(0, 0, 0, 0, "x")) + `}]`},
	}
	d := adapter.Diagnostic{Range: adapter.Range{Start: adapter.Position{Line: 3, Column: 5}, End: adapter.Position{Line: 3, Column: 6}}, Message: "bad"}
	for want, sends := range map[string][]string{`change a.go 3:1-4:1 "var z = 1\n"`: {edit("z")}, "several steps": {edit("z"), edit("y")}} {
		script.Sends = map[string][]string{"workspace/executeCommand": sends}
		p := fake(t, script, headless.Options{})
		ctx := long(t)
		fixes, err := p.Fixes(ctx, p.doc("a.go"), d)
		if err != nil || len(fixes) != 2 || fixes[0].Title != "Mend" {
			t.Fatalf("fixes: %+v, %v", fixes, err)
		}
		edits, err := p.Resolve(ctx, fixes[0])
		if got := p.describe(edits); got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("its edits: %s, %v", got, err)
		}
		if _, err := p.Resolve(ctx, fixes[1]); err == nil || !strings.Contains(err.Error(), "does not offer the command") {
			t.Errorf("a command that is not offered: %v", err)
		}
		p.write("a.go", "package a\n")
		if _, err := p.Resolve(ctx, fixes[0]); !errors.Is(err, adapter.ErrStale) {
			t.Errorf("after a change: %v", err)
		}
	}
}
