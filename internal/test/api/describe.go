package api

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// Describe returns the exported names of packages as text: a section for each package, and a line for each constant, variable, function,
// type, field and method. Names of parameters and tags of fields are not part of a line.
func Describe(packages []*types.Package) string {
	var b strings.Builder
	for i, pkg := range packages {
		if i > 0 {
			b.WriteByte('\n')
		}
		d := description{pkg: pkg, imports: make(map[string]string)}
		d.describe()
		fmt.Fprintf(&b, "package %s\n", pkg.Path())
		for _, imported := range slices.Sorted(maps.Keys(d.imports)) {
			if strings.Contains(imported, ".") {
				fmt.Fprintf(&b, "import %s %q\n", d.imports[imported], imported)
			}
		}
		for _, line := range d.lines {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// description collects the lines of a package.
type description struct {
	pkg     *types.Package
	imports map[string]string // names of other packages in the lines, by path
	lines   []string
}

func (d *description) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *description) describe() {
	scope := d.pkg.Scope()
	for _, name := range scope.Names() {
		if !ast.IsExported(name) {
			continue
		}
		switch object := scope.Lookup(name).(type) {
		case *types.Const:
			typ := " " + d.text(object.Type())
			if basic, ok := object.Type().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
				typ = ""
			}
			d.add("const %s%s = %s", name, typ, object.Val())
		case *types.Var:
			d.add("var %s %s", name, d.text(object.Type()))
		case *types.Func:
			d.add("func %s%s", name, d.signature(object.Signature()))
		case *types.TypeName:
			d.describeType(object)
		}
	}
}

// describeType adds the lines of a type. An alias of a type of an internal package has the members of that type.
func (d *description) describeType(object *types.TypeName) {
	name := object.Name()
	if alias, ok := object.Type().(*types.Alias); ok {
		d.add("type %s%s = %s", name, d.typeParams(alias.TypeParams()), d.text(alias.Rhs()))
		if named, ok := types.Unalias(alias).(*types.Named); ok && isHidden(named.Obj()) {
			d.members(name, named)
		}
		return
	}
	named, ok := object.Type().(*types.Named)
	if !ok {
		return
	}
	label := name + d.typeParams(named.TypeParams())
	switch t := named.Underlying().(type) {
	case *types.Struct:
		d.add("type %s struct", label)
	case *types.Interface:
		if !t.IsMethodSet() {
			d.add("type %s %s", label, d.text(t))
			return
		}
		d.add("type %s interface", label)
	default:
		d.add("type %s %s", label, d.text(t))
	}
	d.members(name, named)
}

// members adds the exported fields and methods of a type.
func (d *description) members(name string, named *types.Named) {
	switch t := named.Underlying().(type) {
	case *types.Struct:
		d.fields(name, t, make(map[*types.Struct]bool))
	case *types.Interface:
		sealed := false
		for method := range t.Methods() {
			sealed = sealed || !method.Exported()
			if method.Exported() {
				d.add("type %s interface, %s%s", name, method.Name(), d.signature(method.Signature()))
			}
		}
		if sealed {
			d.add("type %s interface, unexported methods", name)
		}
		return
	}
	values := types.NewMethodSet(named)
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		method := selection.Obj().(*types.Func)
		if !method.Exported() || !ownMember(named, selection.Index()) {
			continue
		}
		receiver := name
		if values.Lookup(method.Pkg(), method.Name()) == nil {
			receiver = "*" + name
		}
		d.add("method (%s) %s%s", receiver, method.Name(), d.signature(method.Signature()))
	}
}

// fields adds the exported fields of a struct, and the fields that embedded types promote if their names are hidden.
func (d *description) fields(name string, t *types.Struct, seen map[*types.Struct]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	for field := range t.Fields() {
		switch {
		case field.Embedded() && isHidden(typeName(field.Type())):
			if inner, ok := dereferenced(field.Type()).Underlying().(*types.Struct); ok {
				d.fields(name, inner, seen)
			}
		case field.Embedded() && field.Exported():
			d.add("type %s struct, embedded %s", name, d.text(field.Type()))
		case field.Exported():
			d.add("type %s struct, %s %s", name, field.Name(), d.text(field.Type()))
		}
	}
}

// ownMember reports whether a method is one of the type itself, or is promoted by an embedded type whose name is hidden.
func ownMember(named *types.Named, index []int) bool {
	var at types.Type = named
	for _, i := range index[:len(index)-1] {
		t, ok := dereferenced(at).Underlying().(*types.Struct)
		if !ok {
			return true
		}
		at = t.Field(i).Type()
		if isHidden(typeName(at)) {
			return true
		}
	}
	return len(index) == 1
}

// isHidden reports whether importers cannot name a type of this repository.
func isHidden(object *types.TypeName) bool {
	if object == nil || object.Pkg() == nil {
		return false
	}
	return !object.Exported() || strings.HasPrefix(object.Pkg().Path(), Prefix+"/") && slices.Contains(strings.Split(object.Pkg().Path(), "/"), "internal")
}

// typeName returns the name of a type or of the type that it points to, or nil.
func typeName(t types.Type) *types.TypeName {
	if named, ok := types.Unalias(dereferenced(t)).(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// dereferenced returns the type that a pointer points to, or the type.
func dereferenced(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// signature returns type parameters, parameters and results, without the names of parameters.
func (d *description) signature(s *types.Signature) string {
	plain := types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
	return d.typeParams(s.TypeParams()) + strings.TrimPrefix(d.text(plain), "func")
}

// unnamed returns parameters without names. The compiler gives results names that do not parse, for example "#rv1".
func unnamed(list *types.Tuple) *types.Tuple {
	var plain []*types.Var
	for v := range list.Variables() {
		plain = append(plain, types.NewParam(token.NoPos, nil, "", v.Type()))
	}
	return types.NewTuple(plain...)
}

// typeParams returns the type parameters in brackets, or "".
func (d *description) typeParams(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for p := range list.TypeParams() {
		all = append(all, p.Obj().Name()+" "+d.text(p.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// text returns a type in one line, without the names of parameters.
func (d *description) text(t types.Type) string {
	s := types.TypeString(t, d.qualify)
	if !strings.Contains(s, "(") {
		return s
	}
	expr, err := parser.ParseExpr(s)
	if err != nil {
		return s
	}
	ast.Inspect(expr, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			dropNames(f.Params)
			dropNames(f.Results)
		}
		return true
	})
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), expr); err != nil {
		return s
	}
	return b.String()
}

// dropNames removes the names of parameters.
func dropNames(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		field.Names = nil
	}
}

// qualify returns the name of a package in the lines: that of the package, or with its parent directory if two packages have one name.
func (d *description) qualify(pkg *types.Package) string {
	if pkg == d.pkg {
		return ""
	}
	if known := d.imports[pkg.Path()]; known != "" {
		return known
	}
	name := pkg.Name()
	for other, used := range d.imports {
		if used == name && other != pkg.Path() {
			name = path.Base(path.Dir(pkg.Path())) + "_" + name
			break
		}
	}
	d.imports[pkg.Path()] = name
	return name
}
