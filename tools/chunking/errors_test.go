package chunking_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/source"
)

// busyParser is a parser that is stopped before its end.
type busyParser struct{}

func (busyParser) Name() string                 { return "busy" }
func (busyParser) Languages() []source.Language { return []source.Language{source.Go} }

func (busyParser) Parse(context.Context, []byte, source.Language, source.Options) (*source.File, error) {
	return nil, fmt.Errorf("parsing go: %w", source.ErrBusy)
}

// A parse that a busy machine stopped says nothing about the text: the caller is asked to try again.
func TestListFunctions_BusyMachine(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true, Parsers: source.NewParsers(busyParser{})}, map[string]string{"a.go": "package a\n"})
	_, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "a.go"})
	if security.CodeOf(err) != security.Timeout {
		t.Errorf("%v", err)
	}
}

// Each next step is a sentence: it begins with a capital letter or the name of a tool, and ends with a mark.
func TestErrors_NextStepsAreSentences(t *testing.T) {
	begin, end := regexp.MustCompile(`^([A-Z]|[a-z]+_)`), regexp.MustCompile(`[.?]$`)
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			var next ast.Expr
			switch f, _ := call.Fun.(*ast.Ident); {
			case f != nil && f.Name == "invalid":
				next = call.Args[0]
			case f != nil && f.Name == "problem":
				next = call.Args[1]
			default:
				return true
			}
			first, last := next, next
			for sum, ok := first.(*ast.BinaryExpr); ok; sum, ok = first.(*ast.BinaryExpr) {
				first = sum.X
			}
			if sum, ok := last.(*ast.BinaryExpr); ok {
				last = sum.Y
			}
			if text, ok := literal(first); ok && !begin.MatchString(text) {
				t.Errorf("%s: the next step begins with %q", fset.Position(first.Pos()), text)
			}
			if text, ok := literal(last); ok && !end.MatchString(text) {
				t.Errorf("%s: the next step ends with %q", fset.Position(last.Pos()), text)
			}
			steps++
			return true
		})
	}
	if steps < 40 {
		t.Errorf("%d next steps were found", steps)
	}
}

// literal returns the value of a string literal.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
