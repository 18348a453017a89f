// Command editor measures the operations of the example editor as a process on standard input and output. It compares the 95th
// percentile with the limits of its specification (§8.1). Measurements begin after the first fresh result of the language server.
//
//	go run ./editor
//
// It needs gopls on the PATH. The result is printed as a Markdown table.
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
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

func main() { driver.Main("editor", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("editor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	calls := flags.Int("calls", 100, "call every tool so often")
	files := flags.Int("files", 100, "files of the project, two thirds of them source code")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *calls < 1 || *files < 3 {
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	if _, err := exec.LookPath("gopls"); err != nil {
		return fmt.Errorf("%w; go install golang.org/x/tools/gopls@v0.23.0", err)
	}
	dir, remove, err := driver.TempDir("", "editor")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	project := filepath.Join(dir, "project")
	if err := writeProject(project, *files); err != nil {
		return err
	}
	repository, err := driver.Repository(ctx)
	if err != nil {
		return err
	}
	program, err := driver.BuildProgram(ctx, repository, "./examples/editor", dir)
	if err != nil {
		return err
	}
	client, err := mcp.Connect(ctx, transport.Command{Path: program, Args: []string{"-root", project, "-editors", "[]"}}, mcp.Implementation{Name: "bench", Version: "1"}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if err := warm(ctx, client); err != nil {
		return err
	}
	return measure(ctx, client, *calls, stdout)
}

// warm waits until the language server has read the project.
func warm(ctx context.Context, client *mcp.Client) error {
	for range 20 {
		got, err := mcp.Call[struct{ Checked, Stale int }](ctx, client, "get_diagnostics", map[string]any{"waitMs": 20_000})
		if err != nil || got.Checked > 0 && got.Stale == 0 {
			return err
		}
	}
	return errors.New("the diagnostics of the project are never fresh")
}

// operation is an operation of the specification, with its time limit.
type operation struct {
	name, tool string
	bound      time.Duration
	args       func(i int) map[string]any
}

func operations() []operation {
	code := func(i int) string { return fmt.Sprintf("code%d.go", i%10) }
	return []operation{
		{"read a file of 1 MB", "read_file", 500 * time.Millisecond, func(int) map[string]any { return map[string]any{"path": "large.txt"} }},
		{"write a file, with a backup", "write_file", 300 * time.Millisecond, func(i int) map[string]any {
			return map[string]any{"path": fmt.Sprintf("note%d.md", i%10), "content": fmt.Sprintf("# Note %d\n", i)}
		}},
		{"insert code", "insert_code", 200 * time.Millisecond, func(i int) map[string]any {
			return map[string]any{"path": code(i), "line": 4, "content": fmt.Sprintf("_ = %d", i)}
		}},
		{"delete code", "delete_code", 200 * time.Millisecond, func(i int) map[string]any {
			return map[string]any{"path": code(i), "startLine": 4, "endLine": 4}
		}},
		{"replace code, preview", "replace_code", 500 * time.Millisecond, func(i int) map[string]any {
			return map[string]any{"path": code(i), "pattern": `return (\w+)`, "replacement": "return ($1)", "isRegex": true}
		}},
		{"diagnostics of the project", "get_diagnostics", time.Second, func(int) map[string]any { return map[string]any{} }},
		{"run a command", "execute_command", 0, func(int) map[string]any { return map[string]any{"command": "true"} }},
	}
}

func measure(ctx context.Context, client *mcp.Client, calls int, stdout io.Writer) error {
	fmt.Fprintf(stdout, "| operation | median | 95th percentile | asked for |\n|---|---|---|---|\n")
	for _, o := range operations() {
		var took []time.Duration
		for i := range calls {
			begun := time.Now()
			result, err := client.CallTool(ctx, o.tool, o.args(i), nil)
			if err != nil {
				return fmt.Errorf("%s: %w", o.tool, err)
			}
			took = append(took, time.Since(begun))
			if result.IsError {
				text, _ := result.Blocks()[0].(mcp.TextContent)
				return fmt.Errorf("%s: %s", o.tool, text.Text)
			}
		}
		slices.Sort(took)
		bound := "-"
		if o.bound > 0 {
			bound = "< " + o.bound.String()
		}
		fmt.Fprintf(stdout, "| %s | %v | %v | %s |\n", o.name, at(took, 50), at(took, 95), bound)
	}
	return nil
}

// at returns a percentile of sorted times.
func at(took []time.Duration, percent int) time.Duration {
	return took[min(len(took)*percent/100, len(took)-1)].Round(10 * time.Microsecond)
}

// writeProject writes a Go project without errors, and a large file.
func writeProject(dir string, files int) error {
	all := map[string]string{
		"go.mod":    "module example.com/bench\n\ngo 1.26\n",
		"large.txt": strings.Repeat("All work and no play makes Jack a dull boy.\n", 24_000)[:1_000_000],
	}
	for i := range files {
		if i%3 == 2 {
			all[fmt.Sprintf("note%d.md", i/3)] = strings.Repeat("Some words.\n", 100)
			continue
		}
		n := i - i/3
		var b strings.Builder
		fmt.Fprintf(&b, "package bench\n\nfunc f%d(x int) int {\n", n)
		fmt.Fprintf(&b, "\tx += %d\n\treturn x\n}\n", n)
		for j := range 40 {
			fmt.Fprintf(&b, "\nfunc f%d_%d(x int) int {\n\treturn f%d(x) + %d\n}\n", n, j, n, j)
		}
		all[fmt.Sprintf("code%d.go", n)] = b.String()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, content := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
