package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// A pattern finds the statements of the standard library that go/ast finds. The fast level reads one directory of it.
func TestPattern_Find_GoOracle(t *testing.T) {
	p := compile(t, source.Go, "if err != nil { return $E }")
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if testing.Short() {
		dir = filepath.Join(dir, "os")
	}
	files, found := 0, 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		want := 0
		ast.Inspect(parsed, func(n ast.Node) bool {
			if returnsOne(n) {
				want++
			}
			return true
		})
		got := 0
		if p.Candidate(src) {
			r, err := p.Find(t.Context(), src)
			if err != nil {
				return err
			}
			got = len(r.Matches)
		}
		if got != want {
			t.Errorf("%s: %d matches, want %d", path, got, want)
		}
		found += got
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d matches in %d files, %v", found, files, err)
	}
	t.Logf("%d matches in %d files", found, files)
}

// returnsOne reports whether a node is if err != nil { return x }.
func returnsOne(n ast.Node) bool {
	s, ok := n.(*ast.IfStmt)
	if !ok || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return false
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ || !isIdent(cond.X, "err") || !isIdent(cond.Y, "nil") {
		return false
	}
	r, ok := s.Body.List[0].(*ast.ReturnStmt)
	return ok && len(r.Results) == 1
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
