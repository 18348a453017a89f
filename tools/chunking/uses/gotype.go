package uses

import (
	"go/ast"
	"go/token"
	"maps"
)

// goTyp is a type of Go; nil is an unknown type.
type goTyp interface{}

type (
	// goNamed is a defined type of the project.
	goNamed struct {
		obj  *goObject
		args []goTyp
	}
	// goExternal is a type of a package outside the project, or a basic type.
	goExternal struct{ name string }
	goPointer  struct{ elem goTyp }
	// goContainer is a slice, an array, a map, a channel or a string.
	goContainer struct{ key, elem goTyp }
	goStruct    struct {
		spec *ast.StructType
		env  goEnv
	}
	goInterface struct {
		spec *ast.InterfaceType
		env  goEnv
	}
	// goFuncType is the type of a function. params are type parameters without arguments.
	goFuncType struct {
		spec   *ast.FuncType
		env    goEnv
		params []*ast.Field
	}
	goTuple struct{ types []goTyp }
	// goExternalName is the type of an expression that denotes a type or a value of a
	// package outside the project.
	goExternalName struct{ name string }
	goParamType    struct{ obj *goObject }
	// goMeta is the type of an expression that denotes a type.
	goMeta struct{ typ goTyp }
	// goPackageName is the type of an expression that denotes a package.
	goPackageName struct {
		pkg *goPackage // nil outside the project
	}
)

// goEnv is the context of an expression.
type goEnv struct {
	file  *goFile
	scope *goScope         // local names; nil at package level
	types map[string]goTyp // arguments of type parameters
}

// goScope is a block of a function.
type goScope struct {
	outer   *goScope
	objects map[string]*goObject
}

// with returns the context with further type arguments.
func (e goEnv) with(names []string, args []goTyp) goEnv {
	if len(names) == 0 {
		return e
	}
	types := make(map[string]goTyp, len(e.types)+len(names))
	maps.Copy(types, e.types)
	for i, name := range names {
		if i < len(args) {
			types[name] = args[i]
		} else {
			delete(types, name)
		}
	}
	e.types = types
	return e
}

var (
	goInt    = &goExternal{"int"}
	goString = &goExternal{"string"}
	goBool   = &goExternal{"bool"}
	goError  = &goExternal{"error"}
)

// maxSteps limits the work for one file, and maxNesting that of nested evaluations.
const (
	maxSteps   = 3_000_000
	maxNesting = 150
)

// step counts one evaluation, and reports whether another one is allowed.
func (p *goSearch) step() bool {
	p.steps++
	if p.steps&1023 == 0 && p.ctx.Err() != nil {
		p.steps = maxSteps
	}
	if p.steps >= maxSteps || p.nesting >= maxNesting {
		p.cut++
		return false
	}
	return true
}

// lookup returns the object of a name at a position, or nil.
func (p *goSearch) lookup(name string, at token.Pos, env goEnv) *goObject {
	for s := env.scope; s != nil; s = s.outer {
		if o := s.objects[name]; o != nil {
			for ; o != nil && o.visible > at && p.step(); o = o.next {
			}
			if o != nil && o.visible > at {
				return nil
			}
			if o != nil {
				return o
			}
		}
	}
	if o := env.file.pkg.scope[name]; o != nil {
		return o
	}
	for _, dot := range env.file.dots {
		if pkg := p.imported(dot); pkg != nil && ast.IsExported(name) && pkg.scope[name] != nil {
			return pkg.scope[name]
		}
	}
	return nil
}

// typeExpr evaluates an expression that denotes a type.
func (p *goSearch) typeExpr(x ast.Expr, env goEnv) goTyp {
	switch t := p.typeOf(x, env).(type) {
	case *goMeta:
		return t.typ
	case *goExternalName:
		return &goExternal{t.name}
	}
	return nil
}

// typeOf evaluates an expression. The result is nil if its type is unknown, a goMeta if
// it denotes a type, and a goTuple for several results.
func (p *goSearch) typeOf(x ast.Expr, env goEnv) goTyp {
	if x == nil || !p.step() {
		return nil
	}
	p.nesting++
	defer func() { p.nesting-- }()
	switch x := x.(type) {
	case *ast.Ident:
		return p.identType(x, env)
	case *ast.BasicLit:
		switch x.Kind {
		case token.STRING:
			return goString
		case token.CHAR:
			return &goExternal{"rune"}
		}
		return goInt
	case *ast.ParenExpr:
		return p.typeOf(x.X, env)
	case *ast.CompositeLit:
		return p.typeExpr(x.Type, env)
	case *ast.FuncLit:
		return &goFuncType{spec: x.Type, env: env}
	case *ast.StarExpr:
		return p.pointedType(x, env)
	case *ast.UnaryExpr:
		return p.unaryType(x, env)
	case *ast.BinaryExpr:
		return p.binaryType(x, env)
	case *ast.SelectorExpr:
		return p.selectorType(x, env)
	case *ast.IndexExpr:
		return p.indexType(x.X, []ast.Expr{x.Index}, env)
	case *ast.IndexListExpr:
		return p.indexType(x.X, x.Indices, env)
	case *ast.SliceExpr:
		t := p.typeOf(x.X, env)
		if pointer, ok := t.(*goPointer); ok {
			return pointer.elem
		}
		return t
	case *ast.TypeAssertExpr:
		if x.Type == nil {
			return p.typeOf(x.X, env)
		}
		return p.typeExpr(x.Type, env)
	case *ast.CallExpr:
		return p.callType(x, env)
	}
	return p.literalType(x, env)
}

// literalType evaluates a type literal, as in []int and struct{}.
func (p *goSearch) literalType(x ast.Expr, env goEnv) goTyp {
	switch x := x.(type) {
	case *ast.ArrayType:
		return &goMeta{&goContainer{goInt, p.typeExpr(x.Elt, env)}}
	case *ast.Ellipsis:
		return &goMeta{&goContainer{goInt, p.typeExpr(x.Elt, env)}}
	case *ast.MapType:
		return &goMeta{&goContainer{p.typeExpr(x.Key, env), p.typeExpr(x.Value, env)}}
	case *ast.ChanType:
		t := p.typeExpr(x.Value, env)
		return &goMeta{&goContainer{t, t}}
	case *ast.StructType:
		return &goMeta{&goStruct{x, env}}
	case *ast.InterfaceType:
		return &goMeta{&goInterface{x, env}}
	case *ast.FuncType:
		return &goMeta{&goFuncType{spec: x, env: env}}
	}
	return nil
}

// pointedType evaluates a dereference, or the type of a pointer.
func (p *goSearch) pointedType(x *ast.StarExpr, env goEnv) goTyp {
	switch t := p.typeOf(x.X, env).(type) {
	case *goMeta:
		return &goMeta{&goPointer{t.typ}}
	case *goExternalName:
		return &goMeta{&goPointer{&goExternal{t.name}}}
	case *goExternal:
		return t
	case *goPointer:
		return t.elem
	case *goNamed:
		if pointer, ok := p.underlying(t).(*goPointer); ok {
			return pointer.elem
		}
	}
	return nil
}

// unaryType evaluates a unary operator.
func (p *goSearch) unaryType(x *ast.UnaryExpr, env goEnv) goTyp {
	t := p.typeOf(x.X, env)
	switch x.Op {
	case token.AND:
		return &goPointer{t}
	case token.ARROW:
		if c, ok := p.underlying(t).(*goContainer); ok {
			return c.elem
		}
		return nil
	case token.NOT:
		return goBool
	case token.TILDE:
		return t
	}
	return t
}

// binaryType evaluates a binary operator.
func (p *goSearch) binaryType(x *ast.BinaryExpr, env goEnv) goTyp {
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return goBool
	case token.SHL, token.SHR:
		return p.typeOf(x.X, env)
	}
	if t := p.typeOf(x.X, env); t != goInt && t != goString {
		return t
	}
	return p.typeOf(x.Y, env)
}

// goBasic are the predeclared types.
var goBasic = map[string]bool{
	"bool": true, "string": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "uintptr": true, "byte": true, "rune": true, "float32": true, "float64": true, "complex64": true, "complex128": true,
	"error": true, "any": true, "comparable": true,
}

// identType evaluates an identifier.
func (p *goSearch) identType(x *ast.Ident, env goEnv) goTyp {
	if t, ok := env.types[x.Name]; ok {
		return &goMeta{t}
	}
	if o := p.lookup(x.Name, x.Pos(), env); o != nil {
		return p.objectType(o, env)
	}
	if name, ok := p.importNamed(env.file, x.Name); ok {
		return &goPackageName{p.imported(name)}
	}
	switch {
	case x.Name == "error":
		return &goMeta{goError}
	case goBasic[x.Name]:
		return &goMeta{&goExternal{x.Name}}
	case x.Name == "true" || x.Name == "false":
		return goBool
	case x.Name == "iota":
		return goInt
	}
	return nil
}

// objectType returns the type of a declared name.
func (p *goSearch) objectType(o *goObject, env goEnv) goTyp {
	switch o.kind {
	case goType:
		if o.spec.Assign.IsValid() && o.spec.TypeParams == nil {
			if o.resolving {
				return nil
			}
			o.resolving = true
			t := p.typeExpr(o.spec.Type, o.env)
			o.resolving = false
			return &goMeta{t}
		}
		return &goMeta{&goNamed{obj: o}}
	case goParam:
		return &goMeta{&goParamType{o}}
	case goFunc:
		return p.functionType(o, nil)
	}
	return p.varType(o)
}

// functionType returns the type of a function or method. args are the type arguments of
// the receiver.
func (p *goSearch) functionType(o *goObject, args []goTyp) goTyp {
	env := o.env
	if o.fn == nil {
		return nil
	}
	if o.fn.Recv != nil && len(o.fn.Recv.List) > 0 && args != nil {
		_, params := receiverType(o.fn.Recv.List[0].Type)
		env = env.with(params, args)
	}
	t := &goFuncType{spec: o.fn.Type, env: env}
	if o.fn.Type.TypeParams != nil {
		t.params = o.fn.Type.TypeParams.List
	}
	return t
}

// varType returns the type of a variable, constant, parameter or field.
func (p *goSearch) varType(o *goObject) goTyp {
	if o.typed {
		return o.typ
	}
	if o.resolving {
		return nil
	}
	o.resolving = true
	cut := p.cut
	t := p.newVarType(o)
	o.resolving = false
	if p.cut == cut {
		o.typ, o.typed = t, true
	}
	return t
}

func (p *goSearch) newVarType(o *goObject) goTyp {
	if o.expr != nil {
		return p.typeExpr(o.expr, o.env)
	}
	t := p.typeOf(o.value, o.env)
	if o.origin == fromRange {
		return p.rangeType(t, o.index)
	}
	if tuple, ok := t.(*goTuple); ok {
		if o.index < len(tuple.types) {
			return tuple.types[o.index]
		}
		return nil
	}
	switch u := t.(type) {
	case *goExternalName:
		return &goExternal{u.name}
	case *goMeta:
		return nil
	case *goExternal:
		return u
	}
	if o.index == 1 {
		return goBool // v, ok := m[k]
	}
	return t
}

// rangeType returns the type of a variable of a range clause.
func (p *goSearch) rangeType(t goTyp, index int) goTyp {
	if pointer, ok := t.(*goPointer); ok {
		t = pointer.elem
	}
	switch u := p.underlying(t).(type) {
	case *goContainer:
		if index == 0 {
			return u.key
		}
		return u.elem
	case *goExternal:
		switch {
		case !goBasic[u.name]:
			return u
		case index == 1:
			return &goExternal{"rune"}
		}
		return goInt
	case *goExternalName:
		return &goExternal{u.name}
	case *goFuncType: // func(yield func(K, V) bool)
		if yield, ok := p.parameter(u, 0).(*goFuncType); ok {
			return p.parameter(yield, index)
		}
	}
	return nil
}

// underlying returns the underlying type of a defined type, and other types unchanged.
func (p *goSearch) underlying(t goTyp) goTyp {
	for range 20 {
		switch n := t.(type) {
		case *goNamed:
			if !p.step() {
				return nil
			}
			t = p.typeExpr(n.obj.spec.Type, n.env())
		case *goParamType:
			t = p.core(n.obj)
		default:
			return t
		}
	}
	return nil
}

// core returns the type that all types of a constraint have, if it is written as a single
// type, and otherwise the constraint.
func (p *goSearch) core(o *goObject) goTyp {
	if o.expr == nil || !p.step() || p.nesting > maxNesting {
		return nil
	}
	return p.typeExpr(o.expr, o.env)
}

// env returns the context of the declaration of a type, with its type arguments.
func (n *goNamed) env() goEnv {
	if n.obj.spec.TypeParams == nil {
		return n.obj.env
	}
	return n.obj.env.with(fieldNames(n.obj.spec.TypeParams.List), n.args)
}

// fieldNames returns the names of a list of fields.
func fieldNames(fields []*ast.Field) []string {
	var names []string
	for _, f := range fields {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
