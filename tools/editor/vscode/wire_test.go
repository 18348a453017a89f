package vscode_test

import (
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// For any response, the adapter returns positions from 1, ordered ranges and clean absolute paths.
func FuzzAnswers(f *testing.F) {
	const span = `{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}`
	f.Add([]byte(`{"document":{"text":"x","version":1,"language":"go"},"locations":[{"path":"/a/../b","range":` + span + `}]}`))
	f.Add([]byte(`{"edits":[{"range":` + span + `,"newText":"x"}],"files":[{"op":"rename","path":"/a","newPath":"/b"},{"op":"change","path":"/a","edits":[{"range":` + span + `}]}]}`))
	f.Add([]byte(`{"symbols":[{"name":"a","path":"/a","range":` + span + `,"selection":` + span + `}]}`))
	f.Add([]byte(`{"diagnostics":{"items":[{"path":"/project/a","range":` + span + `,"severity":"hint","message":"m"}],"covered":["/project/a","/b"],"notes":["n"]}}`))
	f.Add([]byte(`{"edits":[{"range":{"start":{"line":-1},"end":{"line":2147483647}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		const asked = "/project/a"
		got := vscode.ParseAnswers(data, asked)
		for _, doc := range got.Documents {
			if doc.Path != asked || doc.Version < 1 || len(doc.Language) > 64 {
				t.Errorf("%+v", doc)
			}
		}
		for _, l := range got.Locations {
			sane(t, l)
		}
		for _, e := range got.Edits {
			sane(t, adapter.Location{Path: asked, Range: e.Range})
		}
		for _, file := range got.Files {
			for _, e := range file.Edits {
				sane(t, adapter.Location{Path: file.Path, Range: e.Range})
			}
			if file.Op == adapter.RenameFile != (file.NewPath != "") || file.Version < 0 {
				t.Errorf("%+v", file)
			}
		}
		for _, s := range got.Symbols {
			sane(t, s.Location)
			sane(t, adapter.Location{Path: asked, Range: s.Selection})
		}
		for _, d := range got.Diagnostics.Items {
			sane(t, adapter.Location{Path: d.Path, Range: d.Range})
			if d.Path != asked || d.Severity == "" || !utf8.ValidString(d.Message) {
				t.Errorf("%+v", d)
			}
		}
		for _, path := range got.Diagnostics.Covered {
			if path != asked {
				t.Errorf("%s was not asked for", path)
			}
		}
	})
}

func sane(t *testing.T, l adapter.Location) {
	t.Helper()
	if !filepath.IsAbs(l.Path) || l.Path != filepath.Clean(l.Path) || l.Range.Start.Line < 1 || l.Range.Start.Column < 1 || l.Range.End.Before(l.Range.Start) {
		t.Errorf("%+v", l)
	}
}
