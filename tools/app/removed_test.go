package app_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// A server deletes, at its start, the trash of a project that has been missing long enough, and doctor shows the trash that is left.
func TestServe_ExpiresTrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the state directory is another variable there")
	}
	state, parent := t.TempDir(), t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	removed := filepath.Join(state, "dougu", "removed")
	ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) + "\n" }
	apptest.Write(t, parent, map[string]string{"beside": ""})
	apptest.Write(t, removed, map[string]string{
		"old/project": fmt.Sprintf("1\n%s\n", filepath.Join(parent, "old")), "old/missing": ago(security.RemovedLife + time.Hour),
		"old/.dougu-trash/x/file": "x", "new/project": fmt.Sprintf("2\n%s\n", filepath.Join(parent, "new")), "new/missing": ago(time.Hour),
		"new/.dougu-trash/x/file": strings.Repeat("x", 2_000_000),
	})
	m := newMachine(t)
	_, checks := m.examine(m.app())
	want := removed + ": trash and backups of 2 projects, 2.0 MB; 2 of the projects are missing, and theirs are deleted after 90 days"
	if got := checks["trash"]; len(got) != 1 || got[0].Detail != want || got[0].Status != app.OK {
		t.Errorf("doctor shows %+v, want %s", got, want)
	}
	in, send := io.Pipe()
	server := program(in, io.Discard, io.Discard)
	done := make(chan int)
	go func() { done <- server.Run(t.Context(), []string{"serve"}) }()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if left, err := os.ReadDir(removed); err != nil || len(left) == 1 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the directory holds %v", left)
		}
	}
	apptest.Must(t, send.Close())
	if code := <-done; code != 0 {
		t.Errorf("the server ends with %d", code)
	}
	if _, err := os.Stat(filepath.Join(removed, "new", ".dougu-trash", "x", "file")); err != nil {
		t.Error(err)
	}
}
