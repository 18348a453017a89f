package security_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security"
)

// TestWalk_OwnDirectories lists directories at the places of the ready programs, with every option of a walk.
func TestWalk_OwnDirectories(t *testing.T) {
	audit := projectfile.GitignoreContent("audit.log", "audit.log.[0-9]*")
	chunks := projectfile.GitignoreContent("chunks.jsonl")
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"of programs alone": {map[string]string{
			"logs/.gitignore": audit, "logs/audit.log": "x", "logs/audit.log.1": "x", "data/chunks/.gitignore": chunks, "data/chunks/chunks.jsonl": "x",
			".cursorcli-mcp/.gitignore": projectfile.GitignoreContent("config.json"), ".cursorcli-mcp/config.json": "{}",
		}, ""},
		"of an earlier version":   {map[string]string{"data/chunks/.gitignore": "*\n", "data/chunks/chunks.jsonl": "x"}, ""},
		"with a log of the user":  {map[string]string{"logs/.gitignore": audit, "logs/audit.log": "x", "logs/own.log": "x"}, "logs logs/own.log"},
		"with data of the user":   {map[string]string{"data/chunks/.gitignore": chunks, "data/chunks/chunks.jsonl": "x", "data/own": "x"}, "data data/own"},
		"with a line taken away":  {map[string]string{"data/chunks/.gitignore": projectfile.GitignoreContent(), "data/chunks/chunks.jsonl": "x"}, "data data/chunks data/chunks/chunks.jsonl"},
		"with rules of the user":  {map[string]string{"logs/.gitignore": "*\n", "logs/audit.log": "x"}, "logs logs/.gitignore logs/audit.log"},
		"empty":                   {map[string]string{"logs/": "", "data/": ""}, "data logs"},
		"below another directory": {map[string]string{"a/logs/.gitignore": audit, "a/logs/audit.log": "x"}, "a a/logs a/logs/.gitignore a/logs/audit.log"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, quick, layout(t, tc.files))
			var got []string
			_, err := r.Walk(t.Context(), ".", security.WalkOptions{Ignored: true, Hidden: true}, func(e *security.WalkEntry) error {
				got = append(got, e.Rel())
				return nil
			})
			if err != nil || strings.Join(got, " ") != tc.want {
				t.Errorf("the walk has visited %q, %v", got, err)
			}
			dir, err := r.OpenDir(t.Context(), ".")
			if err != nil {
				t.Fatal(err)
			}
			defer dir.Close()
			entries, err := dir.Next(t.Context(), 0)
			top := map[string]bool{}
			for name := range strings.FieldsSeq(tc.want) {
				first, _, _ := strings.Cut(name, "/")
				top[first] = true
			}
			if len(entries) != len(top) {
				t.Errorf("the list has %v, %v", entries, err)
			}
		})
	}
}

// A walk that starts in a directory of the programs visits their files, because the caller names the directory.
func TestWalk_OwnDirectoryAsStart(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{"logs/.gitignore": projectfile.GitignoreContent("audit.log"), "logs/audit.log": "x", "logs/own.log": "x"}))
	var got []string
	_, err := r.Walk(t.Context(), "logs", security.WalkOptions{Ignored: true, Hidden: true}, func(e *security.WalkEntry) error {
		got = append(got, e.Rel())
		return nil
	})
	if want := ".gitignore audit.log own.log"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("the walk has visited %q, %v", got, err)
	}
}
