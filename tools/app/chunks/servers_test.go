package chunks

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
	"github.com/dougu-go/dougu/tools/source"
)

// swiftAnswer is the response of sourcekit-lsp for stackSource.
const swiftAnswer = `[{"name":"Stack","kind":5,"range":{"start":{"line":1,"character":0},"end":{"line":8,"character":1}},"selectionRange":{"start":{"line":1,"character":6},"end":{"line":1,"character":11}},"children":[
{"name":"items","kind":7,"range":{"start":{"line":2,"character":4},"end":{"line":2,"character":26}},"selectionRange":{"start":{"line":2,"character":8},"end":{"line":2,"character":13}}},
{"name":"push(_:)","kind":6,"range":{"start":{"line":5,"character":4},"end":{"line":7,"character":5}},"selectionRange":{"start":{"line":5,"character":9},"end":{"line":5,"character":13}}}]}]`

// pretendSourceKit puts a sourcekit-lsp on PATH, alone, that knows one text.
func pretendSourceKit(t *testing.T, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	self, err := os.Executable()
	apptest.Must(t, err)
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, entry := range (lsptest.Script{Answers: map[string]string{"textDocument/documentSymbol": strings.ReplaceAll(swiftAnswer, "\n", "")}}).Env() {
		name, value, _ := strings.Cut(entry, "=")
		if strings.ContainsRune(value, '\'') {
			t.Fatalf("%s cannot be quoted", entry)
		}
		b.WriteString("export " + name + "='" + value + "'\n")
	}
	b.WriteString("GORACE=atexit_sleep_ms=0 exec '" + self + "'\n")
	apptest.Must(t, os.WriteFile(filepath.Join(dir, "sourcekit-lsp"), []byte(b.String()), 0o755))
	t.Setenv("PATH", dir)
}

// sourcekit-lsp reads its languages, and the built-in parsers read the others.
func TestServers_SourceKit(t *testing.T) {
	pretendSourceKit(t, t.TempDir())
	dir, temporary := newProject(t), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	got := program.MustRun(t, "index", "-root", dir, "-languages", "swift", "-language-servers")
	apptest.Contains(t, got, "2 functions", "in 2 files", "symbols 1", "outline 1")
	apptest.Contains(t, program.MustRun(t, "show", "-root", dir, "-language-servers", "Sources/Stack.swift#Stack.push(_:)"), "/// Puts a number on top.\n    func push(_ x: Int) {\n        items.append(x)\n    }")
	if left, _ := filepath.Glob(filepath.Join(temporary, "dougu-swift-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A language server inside the project is not started.
func TestServers_InProject(t *testing.T) {
	dir := newProject(t)
	pretendSourceKit(t, dir)
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir, "-languages", "swift", "-language-servers"), "outline 2")
}

func TestDoctor_LanguageServers(t *testing.T) {
	look := func(dir string, args ...string) string {
		out := new(apptest.Output)
		app := newApp()
		app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), out, new(apptest.Output)
		app.Environment = emptyMachine(t.TempDir())
		app.Executable = filepath.Join(dir, "none")
		app.Run(t.Context(), append([]string{"doctor", "-json", "-root", dir}, args...))
		return out.String()
	}
	dir := newProject(t)
	apptest.Contains(t, look(dir), "-language-servers uses the installed servers")
	t.Setenv("PATH", t.TempDir())
	apptest.Contains(t, look(dir, "-language-servers"), "no language server or formatter was found", "Install a language server")
	pretendSourceKit(t, t.TempDir())
	apptest.Contains(t, look(dir, "-language-servers"), "sourcekit-lsp reads Swift")
	apptest.Contains(t, look(dir, "-language-servers", "-trust-project"), "language servers and formatters: sourcekit-lsp; sourcekit-lsp reads Swift")
}

// A server has the word about the languages that it knows.
func TestLanguageServers_Languages(t *testing.T) {
	for id, want := range map[string][]source.Language{
		"go": {source.Go}, "javascriptreact": {source.TypeScript, source.TSX, source.JavaScript}, "c": {source.C, source.CPP}, "swift": {source.Swift},
	} {
		got := languagesOfServers(id)
		for _, lang := range want {
			if !slices.Contains(got, lang) {
				t.Errorf("%s: %q is without %s", id, got, lang)
			}
		}
		if slices.Contains(got, source.PHP) {
			t.Errorf("%s: %q", id, got)
		}
	}
}
