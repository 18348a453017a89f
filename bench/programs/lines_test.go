package programs_test

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of README.md")

const readme = "../README.md"

// code is the length of a program without comments and blank lines.
type code struct{ lines, tokens int }

// codeOf counts the code of the Go files in a directory, without tests.
func codeOf(t *testing.T, dir string) code {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", dir, err)
	}
	var sum code
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		positions := fset.AddFile(file, -1, len(text))
		var s scanner.Scanner
		s.Init(positions, text, func(at token.Position, msg string) { t.Errorf("%s: %s", at, msg) }, 0)
		last := 0
		for {
			pos, tok, literal := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.SEMICOLON && literal == "\n" {
				continue // a semicolon that the scanner adds
			}
			first := positions.Line(pos)
			end := first + strings.Count(literal, "\n")
			sum.lines += end - max(first, last+1) + 1
			sum.tokens++
			last = end
		}
	}
	return sum
}

func (c code) String() string { return fmt.Sprintf("%d (%d)", c.lines, c.tokens) }

// TestLines counts the code of the programs. The versions for this library have the fewest lines and the fewest tokens.
func TestLines(t *testing.T) {
	const head = "| program | `dougu` | `gosdk` | `mcpgo` |\n|---|---:|---:|---:|\n"
	var table strings.Builder
	for _, program := range []string{"server", "client", "agent"} {
		fmt.Fprintf(&table, "| [%s](programs/%[1]s) |", program)
		var ours code
		for i, library := range libraries {
			c := codeOf(t, filepath.Join(program, library))
			fmt.Fprintf(&table, " %v |", c)
			if i == 0 {
				ours = c
			} else if ours.lines >= c.lines || ours.tokens >= c.tokens {
				t.Errorf("%s: %v lines (tokens), and %s has %v", program, ours, library, c)
			}
		}
		table.WriteByte('\n')
	}
	keepTable(t, readme, head, table.String())
}

// keepTable compares the rows of a table in a document with rows. The test flag -update writes them instead.
func keepTable(t *testing.T, file, head, rows string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table with the head %q", file, head)
	}
	end := 0
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		end += len(line)
	}
	switch {
	case rest[:end] == rows:
	case *update:
		if err := os.WriteFile(file, []byte(before+head+rows+rest[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has the rows\n%s\nwant\n%s\nrun the test with -update", file, rest[:end], rows)
	}
}

// TestMinimal_Size compares the sizes of the same minimal server: one tool with one argument, which is checked. Symbols are left out.
func TestMinimal_Size(t *testing.T) {
	if testing.Short() {
		t.Skip("it links three programs")
	}
	dir := t.TempDir()
	var ours int64
	for i, library := range libraries {
		path := filepath.Join(dir, library)
		cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./minimal/"+library)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s has %d KB", library, info.Size()/1000)
		if i == 0 {
			ours = info.Size()
		} else if ours >= info.Size() {
			t.Errorf("%d bytes, and %s has %d", ours, library, info.Size())
		}
	}
}
