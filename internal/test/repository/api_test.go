package repository_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unnameable lists the exported names whose types mention a type of an internal package all the same, with the reason. Names are
// written as PACKAGE.NAME or PACKAGE.TYPE.MEMBER.
var unnameable = map[string]string{}

// An exported name has no type of an internal package: an importer could not declare a variable, field or parameter of it. An alias
// in a public package gives the internal type a name.
func TestExportedAPI_TypesCanBeNamed(t *testing.T) {
	files, _ := sources(t)
	named := make(map[string]bool) // internal types with an alias in a public package
	var mentions []mention
	for _, s := range files {
		if dir := path.Dir(s.name); isPublic(dir, s.file) {
			f := apiFile{pkg: dir, internal: internalImports(s.file), named: named}
			f.read(s.file)
			mentions = append(mentions, f.found...)
		}
	}
	excused := make(map[string]bool)
	for _, m := range mentions {
		switch {
		case named[m.internal]:
		case unnameable[m.name] != "":
			excused[m.name] = true
		default:
			t.Errorf("%s mentions %s, which importers cannot name", m.name, m.internal)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unnameable)) {
		if !excused[name] {
			t.Errorf("%s is listed, and mentions no type of an internal package", name)
		}
	}
}

// mention is a type of an internal package in the type of an exported name.
type mention struct{ name, internal string }

// apiFile collects the mentions of a file.
type apiFile struct {
	pkg      string
	internal map[string]string // internal packages that the file imports, by their names in the file
	named    map[string]bool
	found    []mention
}

// isPublic reports whether programs outside of the repository can import the package of a file.
func isPublic(dir string, file *ast.File) bool {
	top, _, _ := strings.Cut(dir, "/")
	return file.Name.Name != "main" && !slices.Contains([]string{"release", "bench", "examples"}, top) &&
		!slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool { return part == "internal" || part == "testdata" })
}

// internalImports returns the internal packages of this repository that a file imports, by their names in the file.
func internalImports(file *ast.File) map[string]string {
	found := make(map[string]string)
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		ours, ok := strings.CutPrefix(imported, module)
		if !ok || !slices.Contains(strings.Split(ours, "/"), "internal") {
			continue
		}
		name := path.Base(ours)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		found[name] = ours
	}
	return found
}

// read adds the exported declarations of a file.
func (f *apiFile) read(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if name, ok := exportedFunc(d); ok {
				f.add(name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				f.readSpec(spec)
			}
		}
	}
}

// readSpec adds an exported type, or the exported variables and constants of a declaration.
func (f *apiFile) readSpec(spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		if s.Assign.IsValid() {
			if internal := f.internalType(s.Type); internal != "" {
				f.named[internal] = true
				return
			}
		}
		if s.TypeParams != nil {
			f.add(s.Name.Name, s.TypeParams)
		}
		f.addType(s.Name.Name, s.Type)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && s.Type != nil {
				f.add(name.Name, s.Type)
			}
		}
	}
}

// addType adds the definition of a type: of a struct its exported fields, of an interface its exported methods.
func (f *apiFile) addType(name string, expr ast.Expr) {
	var fields *ast.FieldList
	switch t := expr.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		f.add(name, expr)
		return
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			f.add(name, field.Type)
		}
		for _, member := range field.Names {
			if member.IsExported() {
				f.addType(name+"."+member.Name, field.Type)
			}
		}
	}
}

// add adds the mentions in a type.
func (f *apiFile) add(name string, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		if expr, ok := n.(ast.Expr); ok {
			if internal := f.internalType(expr); internal != "" {
				f.found = append(f.found, mention{fmt.Sprintf("%s.%s", f.pkg, name), internal})
			}
		}
		return true
	})
}

// internalType returns the package and the name of a type of an internal package, or "".
func (f *apiFile) internalType(expr ast.Expr) string {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if pkg, ok := selector.X.(*ast.Ident); ok && f.internal[pkg.Name] != "" {
		return f.internal[pkg.Name] + "." + selector.Sel.Name
	}
	return ""
}

// exportedFunc returns the name of an exported function, or of an exported method of an exported type.
func exportedFunc(d *ast.FuncDecl) (name string, ok bool) {
	if !d.Name.IsExported() || d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + d.Name.Name, t.IsExported()
		default:
			return "", false
		}
	}
}
