package golang

import (
	"go/ast"
	"go/token"

	"github.com/dougu-go/dougu/tools/source"
)

// within finds, in a body or a value, the types, the functions that are bound to
// names, and the calls. in is the number of the callable chunk around it, or -1.
func (f *file) within(n ast.Node, in int) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok {
				f.general(d, scope{in, true})
				return false
			}
		case *ast.AssignStmt:
			return !f.assigned(s, in)
		case *ast.CallExpr:
			if name := callee(s.Fun); f.calls && name != nil && name.Name != "_" {
				f.Call(name.Name, int(f.at(name.Pos())), in)
			}
		}
		return true
	})
}

// assigned handles f := func() {…}, and says whether it did.
func (f *file) assigned(s *ast.AssignStmt, in int) bool {
	if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
		return false
	}
	bound := false
	for _, value := range s.Rhs {
		_, literal := ast.Unparen(value).(*ast.FuncLit)
		bound = bound || literal
	}
	if !bound {
		return false
	}
	for i, value := range s.Rhs {
		literal, ok := ast.Unparen(value).(*ast.FuncLit)
		name, named := s.Lhs[i].(*ast.Ident)
		if !ok || !named || name.Name == "_" {
			f.within(value, in)
			continue
		}
		c := source.Chunk{Kind: source.Lambda, Name: name.Name, Parent: int32(in), Body: f.at(literal.Body.Lbrace)}
		if chunk := f.add(c, nil, s.Pos(), name, s.End()); chunk >= 0 {
			f.within(literal.Body, chunk)
		}
	}
	return true
}

// callee is the name by which something is called.
func callee(x ast.Expr) *ast.Ident { return lastName(x, false) }
