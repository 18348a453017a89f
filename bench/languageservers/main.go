// Command languageservers measures how long the first answers about a project take: the answers of the example editor as a process, and
// the answers of each language server that a bare loop drives with the same questions. Each measurement starts processes of its own.
//
//	go run ./languageservers
//
// Servers that are not on the PATH are left out. The result is printed as a Markdown table: seconds of the editor, seconds of the bare
// server, and their ratio. Times are counted from the start of the process. The bare server has no sandbox, and
// need not have read the whole project when it answers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

func main() { driver.Main("languageservers", run) }

// server is a language server with a question about a project.
type server struct {
	name     string
	command  []string
	language string // identifier of the Language Server Protocol
	project  string // directory of the project, relative to the repository
	inPlace  bool   // the project is not copied
	file     string // relative to the project
	line     int    // from 1
	symbol   string // a name in the line
	options  map[string]any
}

func servers() []server {
	const planted = "internal/test/e2e/testdata/planted/"
	python := func(name, program string) server {
		return server{name: name, command: []string{program, "--stdio"}, language: "python", project: planted + "python", file: "shop/price.py", line: 4, symbol: "Item"}
	}
	return []server{
		{
			name: "gopls", command: []string{"gopls"}, language: "go", project: ".", inPlace: true, file: "tools/editor/adapter/adapter.go", line: 98, symbol: "Diagnose",
			options: map[string]any{"pullDiagnostics": true},
		},
		{
			name: "typescript-language-server", command: []string{"typescript-language-server", "--stdio"}, language: "typescript",
			project: "tools/editor/vscode/extension", file: "src/bridge.ts", line: 36, symbol: "Bridge",
		},
		python("pyright", "pyright-langserver"), python("basedpyright", "basedpyright-langserver"),
		{name: "clangd", command: []string{"clangd", "--log=error"}, language: "cpp", project: planted + "cpp", file: "src/price.cpp", line: 5, symbol: "Item"},
	}
}

// times are the times from the start of the process to its answers.
type times struct{ ready, diagnostics, definition, references time.Duration }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("languageservers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "measure only the server of this `name`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("unexpected arguments")
	}
	repository, err := driver.Repository(ctx)
	if err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "languageservers")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	program, err := driver.BuildProgram(ctx, repository, "./examples/editor", dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "| server | bare: initialized | diagnostics: editor, bare, ratio | definition | references |\n|---|---|---|---|---|\n")
	for _, s := range servers() {
		if _, err := exec.LookPath(s.command[0]); err != nil || *only != "" && *only != s.name {
			continue
		}
		project := filepath.Join(repository, filepath.FromSlash(s.project))
		if !s.inPlace {
			copied := filepath.Join(dir, s.name)
			if err := os.CopyFS(copied, os.DirFS(project)); err != nil {
				return err
			}
			project = copied
		}
		bare, err := s.measureBare(ctx, project)
		if err != nil {
			return fmt.Errorf("%s alone: %w", s.name, err)
		}
		ours, err := s.measureEditor(ctx, program, project)
		if err != nil {
			return fmt.Errorf("%s in the editor: %w", s.name, err)
		}
		fmt.Fprintf(stdout, "| %s | %.2f s | %s | %s | %s |\n", s.name, bare.ready.Seconds(), compare(ours.diagnostics, bare.diagnostics), compare(ours.definition, bare.definition), compare(ours.references, bare.references))
	}
	return nil
}

func compare(ours, bare time.Duration) string {
	return fmt.Sprintf("%.2f s, %.2f s, %.1f", ours.Seconds(), bare.Seconds(), ours.Seconds()/max(bare.Seconds(), 0.001))
}

// measureEditor asks the example editor.
func (s server) measureEditor(ctx context.Context, program, project string) (t times, err error) {
	start := time.Now()
	command := transport.Command{Path: program, Args: []string{"-root", project, "-editors", "[]", "-audit", "-"}, Env: []string{"PATH=" + os.Getenv("PATH")}}
	client, err := mcp.Connect(ctx, command, mcp.Implementation{Name: "bench", Version: "1"}, nil)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	diagnostics, err := mcp.Call[struct{ Checked int }](ctx, client, "get_diagnostics", map[string]any{"path": s.file, "waitMs": 40_000})
	if err != nil {
		return t, err
	}
	if diagnostics.Checked != 1 {
		return t, fmt.Errorf("%s was not checked", s.file)
	}
	t.diagnostics = time.Since(start)
	at := map[string]any{"path": s.file, "line": s.line, "symbol": s.symbol}
	if _, err := mcp.Call[struct{}](ctx, client, "find_definition", at); err != nil {
		return t, err
	}
	t.definition = time.Since(start)
	_, err = mcp.Call[struct{}](ctx, client, "find_references", at)
	t.references = time.Since(start)
	return t, err
}
