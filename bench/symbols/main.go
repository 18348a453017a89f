// Command symbols compares the symbol tools of this library with the tools of Serena (github.com/oraios/serena): the number of tools,
// the bytes of their definitions, and the calls and bytes of 20 tasks in the package tools/source of this repository.
//
//	go run ./symbols
//
// The numbers of this library are measured, without a language server. Serena is not run. Its calls and answers are modelled from
// its source: names and lengths of descriptions in commit 7fcbca7 of 2026-08-20, and JSON answers with the fields that its tools
// return, for the same symbols.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

func main() { driver.Main("symbols", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("symbols", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "print calls and answers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("unexpected arguments")
	}
	dir, remove, err := driver.TempDir("", "symbols")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b, err := open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if *verbose {
		b.verbose = stdout
	}
	return b.print(ctx, stdout)
}

// bench is a project with the symbol tools.
type bench struct {
	*editor.Editor
	dir     string
	root    *security.Root
	verbose io.Writer // nil prints no calls
	close   func() error

	ours, serena usage // of the present task
}

// usage counts the calls of a task.
type usage struct {
	calls int
	bytes int // arguments and answers
}

// open copies the project into a directory.
func open(ctx context.Context, dir string) (*bench, error) {
	repository, err := driver.Repository(ctx)
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(repository, "tools", "source", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644)
		}
		if err != nil {
			return nil, fmt.Errorf("copying the project: %w", err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, RemovedInState: true})
	if err != nil {
		return nil, err
	}
	parsers := builtin.Parsers(builtin.Options{})
	code, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{Parsers: parsers, Feedback: -1})
	if err != nil {
		return nil, errors.Join(err, parsers.Close(), root.Close())
	}
	b := &bench{Editor: code, dir: dir, root: root}
	b.close = func() error { return errors.Join(code.Close(ctx), parsers.Close(), root.Close()) }
	return b, nil
}

// ourTools are the compared tools of this library.
func ourTools() []string {
	return []string{"find_symbol", "find_references", "find_definition", "find_hierarchy", "insert_before_symbol", "insert_after_symbol", "replace_symbol_body", "rename_symbol", "delete_symbol"}
}

// definitions returns the bytes of the definitions of this library's tools in the list of tools.
func (b *bench) definitions() (int, error) {
	size, found := 0, 0
	for _, t := range b.Features().Tools {
		tool := t.Tool()
		if !slices.Contains(ourTools(), tool.Name) {
			continue
		}
		tool.OutputSchema = nil // programs list no output schemas by default
		data, err := json.Marshal(tool)
		if err != nil {
			return 0, fmt.Errorf("encode the definition of %s: %w", tool.Name, err)
		}
		size += len(data)
		found++
	}
	if found != len(ourTools()) {
		return 0, fmt.Errorf("the editor has %d of %d tools", found, len(ourTools()))
	}
	return size, nil
}

// call calls a tool of this library and counts its bytes.
func call[A any, R interface{ TextContent() string }](ctx context.Context, b *bench, name string, f func(context.Context, A) (R, error), args A) (R, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return *new(R), fmt.Errorf("encode the arguments of %s: %w", name, err)
	}
	r, err := f(ctx, args)
	text := ""
	if err == nil {
		text = r.TextContent()
	} else {
		text = err.Error() // a refusal is an answer, too
	}
	b.ours.calls++
	b.ours.bytes += len(name) + len(data) + len(text)
	if b.verbose != nil {
		fmt.Fprintf(b.verbose, "%s %s\n%s\n", name, data, text)
	}
	return r, err
}

func (b *bench) find(ctx context.Context, args editor.FindSymbolArgs) (editor.FindSymbolResult, error) {
	return call(ctx, b, "find_symbol", b.FindSymbol, args)
}

// print solves all tasks and prints the tables.
func (b *bench) print(ctx context.Context, stdout io.Writer) error {
	size, err := b.definitions()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "dougu is measured, without a language server. Serena is modelled from its published source and not run.\n\n")
	fmt.Fprintf(stdout, "| | tools | bytes of definitions |\n|---|---:|---:|\n| dougu | %d | %d |\n| Serena (modelled) | %d | %d |\n\n", len(ourTools()), size, len(serenaTools()), serenaDefinitions())
	fmt.Fprintf(stdout, "| task | calls | bytes | Serena's calls | bytes (modelled) |\n|---|---:|---:|---:|---:|\n")
	var ours, serena usage
	for i, t := range tasks() {
		b.ours, b.serena = usage{}, usage{}
		if err := t.solve(ctx, b); err != nil {
			return fmt.Errorf("task %d, %s: %w", i+1, t.name, err)
		}
		fmt.Fprintf(stdout, "| %s | %d | %d | %d | %d |\n", t.name, b.ours.calls, b.ours.bytes, b.serena.calls, b.serena.bytes)
		ours.calls, ours.bytes = ours.calls+b.ours.calls, ours.bytes+b.ours.bytes
		serena.calls, serena.bytes = serena.calls+b.serena.calls, serena.bytes+b.serena.bytes
	}
	fmt.Fprintf(stdout, "| **all** | %d | %d | %d | %d |\n", ours.calls, ours.bytes, serena.calls, serena.bytes)
	return nil
}

// text returns lines of a file, from 1, both ends included.
func (b *bench) text(path string, first, last int) (string, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, path))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	lines := strings.Split(string(data), "\n")
	return strings.Join(lines[max(first-1, 0):min(last, len(lines))], "\n"), nil
}
