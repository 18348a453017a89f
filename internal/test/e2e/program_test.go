package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/test/programs"
	"github.com/dougu-go/dougu/internal/testrequire"
)

var builder programs.Builder

func TestMain(m *testing.M) { builder.Main(m) }

// build builds a program and returns its path. It has the race detector if the test has it.
func build(t *testing.T, pkg string) string {
	t.Helper()
	return builder.Build(t, pkg, testrequire.Race)
}

// buildInto builds a program without the race detector, and puts it into a directory.
func buildInto(t *testing.T, dir, pkg string) {
	t.Helper()
	if err := os.Link(builder.Build(t, pkg, false), filepath.Join(dir, filepath.Base(pkg))); err != nil {
		t.Fatal(err)
	}
}
