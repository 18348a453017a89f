package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Kagi\n\nLocks.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"definitions", []string{dir}, []string{`{"type":"function","function":{"name":"read_file"`, `"search_content"`}},
		{"call", []string{dir, "read_file", `{"path":"README.md"}`}, []string{"# Kagi", "Locks."}},
		{"mistake of the model", []string{dir, "read_file", `{"path":"REDME.md"}`}, []string{"FILE_NOT_FOUND", "Next step:"}},
		{"tool that changes files", []string{dir, "write_file", `{"path":"a","content":""}`}, []string{"Unknown tool"}},
		{"no directory", []string{filepath.Join(dir, "none")}, []string{"none"}},
		{"no arguments", nil, []string{"usage: embed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(t.Context(), tc.args, &out); err != nil {
				out.WriteString(err.Error())
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output lacks %q:\n%s", want, out.String())
				}
			}
			if strings.Contains(out.String(), `"write_file"`) && tc.args[len(tc.args)-1] == dir {
				t.Errorf("a tool that writes is listed:\n%s", out.String())
			}
		})
	}
}
