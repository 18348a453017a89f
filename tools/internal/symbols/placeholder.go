package symbols

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// placeholder returns the code that stays in the place of a deleted declaration, and the reason for it; "" if nothing stays.
func (f *File) placeholder(i int) (code, note string) {
	switch f.Language {
	case source.Python:
		if f.isOnlyStatement(i) {
			return "pass", "pass stands in its place: the block would be empty"
		}
	case source.Go:
		if c := f.Symbol(i); f.movesConstants(i) {
			rest := strings.TrimRight(f.Text[int(c.Ident)+len(c.Name):c.End], " \t\r\n")
			return "_" + rest, "_ stands in its place: the values of later constants depend on their positions"
		}
	}
	return "", ""
}

// isOnlyStatement reports whether a declaration of Python is the only statement of its block: the code line before it opens the
// block, and the code line after it is not in the block. Comments are no statements.
func (f *File) isOnlyStatement(i int) bool {
	start := textfile.LineStart(f.Text, f.start(i))
	margin := len(indent.Leading(f.Text[start:]))
	if margin == 0 {
		return false
	}
	head := ""
	for at := start; at > 0 && head == ""; {
		at = textfile.LineStart(f.Text, at-1)
		if line := f.lineAt(at); !indent.IsBlank(line) && !isHashComment(line) {
			head = line
		}
	}
	code, _, _ := strings.Cut(head, " #")
	if !strings.HasSuffix(strings.TrimRight(code, " \t\r"), ":") {
		return false
	}
	for at := f.nextLine(int(f.Symbol(i).End)); at < len(f.Text); at = f.nextLine(at) {
		if line := f.lineAt(at); !indent.IsBlank(line) && !isHashComment(line) {
			return len(indent.Leading(line)) < margin
		}
	}
	return true
}

func isHashComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }

// movesConstants reports whether the deletion of a constant of Go changes a later constant of its group: that one counts with iota,
// or repeats the expression of the deleted one.
func (f *File) movesConstants(i int) bool {
	c := f.Symbol(i)
	if c.Kind != source.Constant {
		return false
	}
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", f.Text, parser.SkipObjectResolution)
	if tree == nil {
		return false
	}
	moves := false
	ast.Inspect(tree, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST || !d.Lparen.IsValid() {
			return !moves
		}
		deleted := false
		var values []ast.Expr // of the last constant with an expression
		own := false          // values belong to the deleted constant
		for _, spec := range d.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			is := len(v.Names) > 0 && fset.Position(v.Names[0].Pos()).Offset == int(c.Ident)
			if len(v.Values) > 0 {
				values, own = v.Values, is
			}
			if deleted && (own || usesIota(values)) {
				moves = true
			}
			deleted = deleted || is
		}
		return !moves
	})
	return moves
}

// usesIota reports whether expressions contain iota.
func usesIota(values []ast.Expr) bool {
	found := false
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && name.Name == "iota" {
				found = true
			}
			return !found
		})
	}
	return found
}

// shiftedValues returns a note if the deletion of a case of an enumeration changes the values of later cases; "" if it does not.
func (f *File) shiftedValues(i int) string {
	c := f.Symbol(i)
	if c.Kind != source.EnumCase {
		return ""
	}
	for n := i + 1; n < f.Len(); n++ {
		later := f.Symbol(n)
		if later.Parent != c.Parent || later.Kind != source.EnumCase {
			continue
		}
		switch f.Language {
		case source.Java, source.Kotlin:
			return "the ordinals of the later constants shift by one"
		case source.C, source.CPP, source.CSharp, source.TypeScript, source.TSX:
			if !strings.Contains(f.Text[later.Ident:later.End], "=") {
				return "later cases without a value of their own get other values"
			}
		}
		return ""
	}
	return ""
}
