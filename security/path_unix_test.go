//go:build unix

package security_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestNames_WindowsRulesOnWindowsOnly reads, writes, lists, moves and walks files whose names only Windows refuses.
func TestNames_WindowsRulesOnWindowsOnly(t *testing.T) {
	names := []string{"aux.c", "con/k.c", "t:1.md", `back\slash.md`, "dot.", "space ", "a~1.txt"}
	r := open(t, quick, t.TempDir())
	for _, name := range names {
		if _, err := r.Write(t.Context(), name, []byte(name), security.WriteOptions{CreateDirs: true}); err != nil {
			t.Errorf("write %q: %v", name, err)
			continue
		}
		if got := read(t, r, name); got != name {
			t.Errorf("%q holds %q", name, got)
		}
		if info, err := r.Stat(t.Context(), name); err != nil || info.Path != name {
			t.Errorf("stat %q: %+v, %v", name, info, err)
		}
	}
	got, stats := alike(t, r, ".", security.WalkOptions{})
	if len(got) != len(names)+1 || stats.Entries != len(names)+1 || stats.Unusable != 0 {
		t.Errorf("walked %q, %+v", got, stats)
	}
	if _, err := r.Move(t.Context(), "t:1.md", "aux.h", security.MoveOptions{}); err != nil {
		t.Errorf("move: %v", err)
	}
	if _, err := r.Trash(t.Context(), `back\slash.md`, security.TrashOptions{}); err != nil {
		t.Errorf("trash: %v", err)
	}
}

// TestNames_OtherSpellingsOfHiddenFiles walks a tree with literal names that some file systems treat as other
// spellings of blocked names.
func TestNames_OtherSpellingsOfHiddenFiles(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{
		".env.": secret, "server.pem:x": secret, "home/.aws./credentials": secret, "home/.aws./config": "x", ".ssh /config": secret, "id:1.md": "x",
	}))
	got, stats := alike(t, r, ".", security.WalkOptions{Hidden: true})
	if len(got) != 4 || stats.Withheld != 4 {
		t.Errorf("walked %q, %+v", got, stats)
	}
	for _, name := range []string{".env.", "server.pem:x", "home/.aws./credentials", ".ssh /config"} {
		if _, err := r.Open(t.Context(), name); asError(t, err).Reason != hidden {
			t.Errorf("open %q: %v", name, err)
		}
	}
	if _, err := r.Trash(t.Context(), "home", security.TrashOptions{Recursive: true}); asError(t, err).Reason != hidden {
		t.Errorf("trash a directory with one: %v", err)
	}
}
