package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/postgres/internal/pgtest"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// run runs the program, and returns its exit code and output.
func run(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	app := newApp()
	app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), &out, &out
	code = app.Run(t.Context(), args)
	return code, out.String()
}

// One server indexes; another one, with the same files elsewhere, finds them without
// indexing anything.
func TestTwoServers(t *testing.T) {
	t.Setenv(addressVariable, server.Database(t))
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := os.WriteFile(filepath.Join(dir, "shape.go"), []byte("package shape\n\n// Area is that of the circle.\nfunc Area(radius float64) float64 { return 3.14 * radius * radius }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, said := run(t, "call", "-root", first, "-project", "shape", "refresh_index", "{}"); code != 0 {
		t.Fatal(code, said)
	}
	code, said := run(t, "call", "-root", second, "-project", "shape", "-follow", "searchDocuments", `{"query": "circle area"}`)
	if code != 0 || !strings.Contains(said, "shape.go") || !strings.Contains(said, "Area") {
		t.Error(code, said)
	}
	if code, said := run(t, "call", "-root", second, "-project", "shape", "-follow", "get_index_status", "{}"); code != 0 || !strings.Contains(said, " 1 file,") {
		t.Error(code, said)
	}
	if code, said := run(t, "call", "-root", second, "-project", "other", "-follow", "get_index_status", "{}"); code != 0 || !strings.Contains(said, " 0 files") {
		t.Error(code, said)
	}
}

func TestNoDatabase(t *testing.T) {
	t.Setenv(addressVariable, "postgres://me:geheim@127.0.0.1:bad/x")
	if code, said := run(t, "tools"); code == 0 || !strings.Contains(said, addressVariable) || strings.Contains(said, "geheim") {
		t.Error(code, said)
	}
}
