//go:build unix

package serverinstaller_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

func TestInstallServer_Question(t *testing.T) {
	dir := addRustup(t)
	p := program(t)
	for _, tt := range []struct {
		answer, want string
		code         int
	}{{"n\n", "nothing was installed: you did not agree", 1}, {"y\n", "Install into ", 0}} {
		ours, theirs, err := pty.Size{Rows: 24, Columns: 80}.Open()
		apptest.Must(t, err)
		var screen strings.Builder
		var reading group.Group
		reading.Go(func() { _, _ = io.Copy(&screen, ours) }) // it ends with an error of the terminal
		_, err = ours.WriteString(tt.answer)
		apptest.Must(t, err)
		run := func() *app.App {
			a := p()
			a.Stdin, a.Stdout, a.Stderr = theirs, theirs, theirs
			return a
		}
		code := run().Run(t.Context(), []string{"install-server", "rust"})
		apptest.Must(t, theirs.Close())
		reading.Wait()
		apptest.Must(t, ours.Close())
		if code != tt.code || !strings.Contains(screen.String(), tt.want) {
			t.Errorf("after %q it ends with %d:\n%s", tt.answer, code, screen.String())
		}
		if _, err := os.Stat(filepath.Join(dir, "rust-analyzer")); (err == nil) != (tt.code == 0) {
			t.Errorf("after %q: %v", tt.answer, err)
		}
	}
}
