package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/source"
)

// checker decides whether a text has the syntax of a language.
type checker interface {
	valid(lang source.Language, text string) (bool, error)
	close() error
}

// checkerOf returns the checker of a language and its name: a compiler or an interpreter if one is installed, otherwise the grammar of the
// library itself.
func (b *bench) checkerOf(ctx context.Context, parsers *source.Parsers, lang source.Language) (checker, string, error) {
	truth := func(name string) string { return filepath.Join(b.repository, "bench", "chunks", "truth", name) }
	var program string
	var args []string
	switch lang {
	case source.Go:
		return goSyntax{}, "go/parser", nil
	case source.Python:
		program, args = "python3", []string{truth("valid.py")}
	case source.Ruby:
		program, args = "ruby", []string{"-W0", truth("valid.rb")}
	case source.PHP:
		program, args = "php", []string{"-d", "memory_limit=1G", truth("valid.php")}
	case source.TypeScript, source.TSX, source.JavaScript:
		program, args = "node", []string{truth("valid.cjs"), filepath.Join(b.repository, "internal", "test", "e2e", "programs", "node_modules", "typescript")}
		if _, err := os.Stat(args[1]); err != nil {
			program = ""
		}
	case source.Java:
		program, args = "java", []string{truth("Valid.java")}
	}
	if path, err := exec.LookPath(program); program != "" && err == nil {
		j, err := startChecker(ctx, path, args...)
		return j, program, err
	}
	return grammarSyntax{ctx, parsers}, "own grammar", nil
}

// goSyntax is the parser of the standard library.
type goSyntax struct{}

func (goSyntax) valid(_ source.Language, text string) (bool, error) {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err == nil, nil
}

func (goSyntax) close() error { return nil }

// grammarSyntax is the grammar of the library. It shows that a text is edited as it should be, and nothing about the grammar.
type grammarSyntax struct {
	ctx     context.Context
	parsers *source.Parsers
}

func (j grammarSyntax) valid(lang source.Language, text string) (bool, error) {
	problems, _, err := j.parsers.Check(j.ctx, []byte(text), lang)
	if err != nil {
		return false, j.ctx.Err()
	}
	return len(problems) == 0, nil
}

func (j grammarSyntax) close() error { return nil }

// programSyntax is a program that reads texts as lines of JSON strings and prints for each a line: true or false.
type programSyntax struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startChecker(ctx context.Context, program string, args ...string) (*programSyntax, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &programSyntax{cmd, in, bufio.NewReader(out)}, nil
}

func (j *programSyntax) valid(lang source.Language, text string) (bool, error) {
	line, err := json.Marshal([]string{string(lang), text})
	if err != nil {
		return false, err
	}
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		return false, fmt.Errorf("ask %s: %w", j.cmd.Path, err)
	}
	answer, err := j.out.ReadString('\n')
	if err != nil {
		return false, fmt.Errorf("answer of %s: %w", j.cmd.Path, err)
	}
	return answer == "true\n", nil
}

func (j *programSyntax) close() error { return errors.Join(j.in.Close(), j.cmd.Wait()) }
