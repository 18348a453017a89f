// Package golang reads Go with go/parser.
package golang

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// Parser is the source.Parser of this package. The zero value is ready for use.
type Parser struct{}

// Name is "go/parser".
func (Parser) Name() string { return "go/parser" }

// Languages is Go alone.
func (Parser) Languages() []source.Language { return []source.Language{source.Go} }

// Parse implements source.Parser. Syntax errors are Problems; the tree that go/parser makes
// of the rest is read all the same.
func (Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(src) > math.MaxInt32 {
		return nil, source.ErrTooLong
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", legible(src), parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if tree == nil || !tree.FileStart.IsValid() {
		return nil, err
	}
	f := &file{Builder: source.NewBuilder(src, lang), src: src, base: int(tree.FileStart), calls: o.Calls}
	f.problems(err)
	f.declarations(tree)
	return f.File(Parser{}.Name()), nil
}

// Check implements source.Checker.
func (Parser) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	f, err := Parser{}.Parse(ctx, src, lang, source.Options{})
	if err != nil {
		return nil, err
	}
	return f.Problems, nil
}

// legible replaces the bytes that are not UTF-8. go/parser stops at them, although they occur only
// in comments and strings. All offsets stay.
func legible(src []byte) []byte {
	if utf8.Valid(src) {
		return src
	}
	src = bytes.Clone(src)
	for at := 0; at < len(src); {
		c, size := utf8.DecodeRune(src[at:])
		if c == utf8.RuneError && size == 1 {
			src[at] = 'x'
		}
		at += size
	}
	return src
}

// file holds the state of reading one text.
type file struct {
	*source.Builder
	src   []byte
	base  int // the token.Pos of its first byte
	calls bool
}

// at is the offset of a position. Where the text is broken go/parser makes
// positions up, some of them outside of it.
func (f *file) at(p token.Pos) int32 {
	return int32(min(max(int(p)-f.base, 0), len(f.src)))
}

func (f *file) problems(err error) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		f.Problem(e.Msg, min(e.Pos.Offset, len(f.src)))
	}
}

func (f *file) declarations(tree *ast.File) {
	if tree.Name != nil && tree.Name.Name != "_" && tree.Name.Name != "" {
		f.add(source.Chunk{Kind: source.Module, Name: tree.Name.Name, Parent: -1}, tree.Doc, tree.Package, tree.Name, tree.Name.End())
	}
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.GenDecl:
			f.general(d, scope{-1, false})
		case *ast.FuncDecl:
			f.function(d)
		}
	}
}

// add adds a chunk and returns its index. It returns -1 for a node that go/parser invented for a
// broken text.
func (f *file) add(c source.Chunk, doc *ast.CommentGroup, decl token.Pos, name ast.Node, end token.Pos) int {
	c.Decl, c.Ident, c.End = f.at(decl), f.at(name.Pos()), f.at(end)
	if c.Name == "" || c.Ident < c.Decl || c.Ident >= c.End {
		return -1
	}
	if c.Body <= c.Ident || c.Body > c.End {
		c.Body = 0
	}
	if doc != nil {
		c.Doc, c.DocEnd = f.at(doc.Pos()), f.at(doc.End())
		if c.DocEnd > c.Decl {
			c.Doc, c.DocEnd = 0, 0
		}
	}
	return f.Add(c)
}

func (f *file) function(d *ast.FuncDecl) {
	c := source.Chunk{Kind: source.Function, Name: d.Name.Name, Parent: -1}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		if c.Container = typeName(d.Recv.List[0].Type); c.Container != "" {
			c.Kind = source.Method
		}
	}
	if d.Body != nil {
		c.Body = f.at(d.Body.Lbrace)
	}
	in := f.add(c, d.Doc, d.Pos(), d.Name, d.End())
	if d.Body != nil && in >= 0 {
		f.within(d.Body, in)
	}
}

// typeName is the name of the type of a receiver or of an embedded field.
func typeName(x ast.Expr) string {
	if name := lastName(x, true); name != nil {
		return name.Name
	}
	return ""
}

// lastName is the last name of an expression, without parentheses, type arguments
// and, if pointers are wanted, the stars before it; nil if it ends in something
// else.
func lastName(x ast.Expr, pointers bool) *ast.Ident {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			if !pointers {
				return nil
			}
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.SelectorExpr:
			return t.Sel
		case *ast.Ident:
			return t
		default:
			return nil
		}
	}
}

// scope is the context of a declaration.
type scope struct {
	parent int  // the number of the chunk around it, or -1
	local  bool // in a function, named or not
}

// general reads a declaration of types, variables, constants or imports.
func (f *file) general(d *ast.GenDecl, in scope) {
	for _, spec := range d.Specs {
		decl, end, doc := spec.Pos(), spec.End(), d.Doc
		if d.Lparen.IsValid() {
			doc = nil
		} else {
			decl, end = d.Pos(), d.End()
		}
		switch s := spec.(type) {
		case *ast.ImportSpec:
			if path, err := strconv.Unquote(s.Path.Value); err == nil && path != "" {
				f.Import(path, int(f.at(s.Path.Pos())))
			}
		case *ast.TypeSpec:
			f.typeSpec(s, or(s.Doc, doc), decl, end, in)
		case *ast.ValueSpec:
			f.values(d.Tok, s, or(s.Doc, doc), decl, end, in)
		}
	}
}

func or(a, b *ast.CommentGroup) *ast.CommentGroup {
	if a != nil {
		return a
	}
	return b
}

func (f *file) typeSpec(s *ast.TypeSpec, doc *ast.CommentGroup, decl, end token.Pos, at scope) {
	c := source.Chunk{Kind: source.TypeAlias, Name: s.Name.Name, Parent: int32(at.parent)}
	var members *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		c.Kind, members = source.Struct, t.Fields
	case *ast.InterfaceType:
		c.Kind, members = source.Interface, t.Methods
	}
	if members != nil && members.Opening.IsValid() {
		c.Body = f.at(members.Opening)
	}
	in := f.add(c, doc, decl, s.Name, end)
	if in < 0 || members == nil {
		return
	}
	for _, field := range members.List {
		f.field(field, in)
	}
}

// field adds the declarations of a field of a struct or of an interface element.
func (f *file) field(field *ast.Field, in int) {
	c := source.Chunk{Kind: source.Property, Parent: int32(in)}
	if _, ok := field.Type.(*ast.FuncType); ok && f.Chunk(in).Kind == source.Interface {
		c.Kind = source.Method
	}
	for _, name := range field.Names {
		c.Name = name.Name
		f.add(c, field.Doc, field.Pos(), name, field.End())
	}
	if len(field.Names) == 0 && f.Chunk(in).Kind == source.Struct {
		c.Name = typeName(field.Type)
		f.add(c, field.Doc, field.Pos(), field.Type, field.End())
	}
}

// values adds variables and constants. In a function, only names of function literals are chunks.
func (f *file) values(kind token.Token, s *ast.ValueSpec, doc *ast.CommentGroup, decl, end token.Pos, at scope) {
	c := source.Chunk{Kind: source.Variable, Parent: int32(at.parent)}
	if kind == token.CONST {
		c.Kind = source.Constant
	}
	var bound []*ast.FuncLit
	for i, name := range s.Names {
		c := c
		c.Name = name.Name
		var literal *ast.FuncLit
		if len(s.Names) == len(s.Values) {
			literal, _ = ast.Unparen(s.Values[i]).(*ast.FuncLit)
		}
		if literal != nil {
			c.Kind, c.Body = source.Lambda, f.at(literal.Body.Lbrace)
		}
		if name.Name == "_" || at.local && literal == nil {
			continue
		}
		if in := f.add(c, doc, decl, name, end); in >= 0 && literal != nil {
			bound = append(bound, literal)
			f.within(literal.Body, in)
		}
	}
	if s.Type != nil {
		f.within(s.Type, at.parent)
	}
	for _, value := range s.Values {
		if literal, ok := ast.Unparen(value).(*ast.FuncLit); !ok || !slices.Contains(bound, literal) {
			f.within(value, at.parent)
		}
	}
}
