//go:build unix

package fs_test

import (
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestRead_FIFO(t *testing.T) {
	p := newProject(t, setup{}, nil)
	if err := syscall.Mkfifo(p.path("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	_, err := p.Read(t.Context(), fs.ReadArgs{Path: "pipe"})
	toolsettest.WantError(t, err, "NOT_A_REGULAR_FILE")
	_, err = p.Write(t.Context(), fs.WriteArgs{Path: "pipe", Content: "x"})
	toolsettest.WantError(t, err, "NOT_A_REGULAR_FILE")
	if got := p.list(t, fs.ListArgs{}); len(got.Entries) != 1 || got.Entries[0].Type != "other" {
		t.Errorf("got %+v", got.Entries)
	}
}
