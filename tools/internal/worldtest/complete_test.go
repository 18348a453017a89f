package worldtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// unoffered are the files whose tools need a program that this test lacks: an editor, Unity, or a graph. The names of their
// parameters are checked nevertheless.
var unoffered = []string{"tools/editor/define.go", "tools/editor/unity/tools.go", "tools/chunking/graph.go"}

// The server of this test has every tool of every set, and the test knows every parameter that takes an id.
func TestServer_HasAllTools(t *testing.T) {
	known := make(map[string]bool)
	for _, tool := range connect(t, newServer(t), "").tools(t) {
		known[tool.Name] = true
	}
	defined, parameters := 0, 0
	err := filepath.WalkDir(filepath.FromSlash("../../../tools"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "app" { // the tools of programs have their own tests
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if name := toolName(n); name != "" {
					defined++
					if !known[name] && !isUnoffered(path) {
						t.Errorf("%s defines %s, which this test does not try", path, name)
					}
				}
			case *ast.TypeSpec:
				fields, ok := n.Type.(*ast.StructType)
				if !ok || !strings.HasSuffix(n.Name.Name, "Args") {
					return true
				}
				for _, field := range fields.Fields.List {
					name := jsonName(field)
					if !identifier.MatchString(name) && !otherIdentifiers[name] {
						continue
					}
					if parameters++; shared[name] == "" && uses[name] == "" {
						t.Errorf("%s: the parameter %s takes an id: say in this test what it names, or why all principals share it", path, name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if defined < 80 || parameters < 25 {
		t.Errorf("%d tools and %d parameters were found", defined, parameters)
	}
}

func isUnoffered(path string) bool {
	for _, file := range unoffered {
		if strings.HasSuffix(filepath.ToSlash(path), file) {
			return true
		}
	}
	return false
}

// toolName returns the name in a literal of mcp.Tool, or "".
func toolName(n *ast.CompositeLit) string {
	typ, ok := n.Type.(*ast.SelectorExpr)
	if !ok || typ.Sel.Name != "Tool" {
		return ""
	}
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == "Name" {
			if literal, ok := pair.Value.(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(literal.Value)
				return name
			}
		}
	}
	return ""
}

// jsonName returns the JSON name of a field.
func jsonName(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	tag, _ := strconv.Unquote(field.Tag.Value)
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name
}
