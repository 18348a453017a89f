package repository_test

import (
	"go/ast"
	"strings"
	"testing"
)

// Every goroutine has an owner that waits for its end: package group alone
// starts them, and contains the panics of timers.
func TestGoroutines_Owners(t *testing.T) {
	files, fset := sources(t)
	for _, s := range files {
		if strings.HasPrefix(s.name, "internal/group/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a bare go statement; start it with group.Group.Go", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "time" && n.Sel.Name == "AfterFunc" {
					t.Errorf("%s: a panic in the function of a timer ends the program; use group.AfterFunc", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}
