package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
)

func TestRun_ReadsREADME(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	if err := run(t.Context(), dir, readmeModel, &out); err != nil || !strings.Contains(out.String(), "no README") {
		t.Errorf("an empty project: %q, %v", out.String(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Kagi\n\nLocks.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := run(t.Context(), dir, readmeModel, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"called list_directory", "called read_file", "# Kagi", "Locks."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answer lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRun_ErrorsOfModel(t *testing.T) {
	dir := t.TempDir()
	var seen []string
	mistaken := func(_ []mcp.Tool, history []message) (*call, string) {
		seen = append(seen, history[len(history)-1].Text)
		switch len(history) {
		case 1:
			return &call{Tool: "write_file", Args: map[string]any{"path": "a", "content": "x"}}, ""
		case 2:
			return &call{Tool: "destroy"}, ""
		}
		return nil, "enough"
	}
	var out strings.Builder
	if err := run(t.Context(), dir, mistaken, &out); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || !strings.Contains(seen[1], "PERMISSION_DENIED") || !strings.Contains(seen[2], "no tool destroy") {
		t.Errorf("the model was told %q", seen)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	never := func([]mcp.Tool, []message) (*call, string) { return &call{Tool: "again"}, "" }
	if err := run(t.Context(), dir, never, &out); err == nil {
		t.Error("an agent that never answers was not stopped")
	}
	if err := run(t.Context(), filepath.Join(dir, "none"), never, &out); err == nil {
		t.Error("a directory that does not exist was opened")
	}
}
