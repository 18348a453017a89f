package uses

import (
	"go/ast"
)

// parameter returns the type of a parameter of a function.
func (p *goSearch) parameter(f *goFuncType, index int) goTyp {
	if f.spec.Params == nil {
		return nil
	}
	for _, field := range f.spec.Params.List {
		if index < max(len(field.Names), 1) {
			return p.typeExpr(field.Type, f.env)
		}
		index -= max(len(field.Names), 1)
	}
	return nil
}

// results returns the results of a call of a function: a type, a goTuple, or nil.
func (p *goSearch) results(f *goFuncType, env goEnv) goTyp {
	if f.spec.Results == nil {
		return nil
	}
	var types []goTyp
	for _, field := range f.spec.Results.List {
		t := p.typeExpr(field.Type, env)
		for range max(len(field.Names), 1) {
			types = append(types, t)
		}
	}
	if len(types) == 1 {
		return types[0]
	}
	return &goTuple{types}
}

// indexType evaluates an index expression or an instantiation.
func (p *goSearch) indexType(x ast.Expr, indices []ast.Expr, env goEnv) goTyp {
	switch t := p.typeOf(x, env).(type) {
	case *goMeta:
		n, ok := t.typ.(*goNamed)
		if !ok {
			return t
		}
		args := make([]goTyp, len(indices))
		for i := range indices {
			args[i] = p.typeExpr(indices[i], env)
		}
		n = &goNamed{n.obj, args}
		if n.obj.spec.Assign.IsValid() {
			return &goMeta{p.typeExpr(n.obj.spec.Type, n.env())}
		}
		return &goMeta{n}
	case *goFuncType:
		args := make([]goTyp, len(indices))
		for i := range indices {
			args[i] = p.typeExpr(indices[i], env)
		}
		names := fieldNames(t.params)
		names = names[:min(len(names), len(args))]
		rest := t.params
		if len(names) == len(fieldNames(t.params)) {
			rest = nil
		}
		return &goFuncType{t.spec, t.env.with(names, args), rest}
	case *goExternalName: // its type arguments decide the types of its members
		for _, index := range indices {
			if p.ofProject(p.typeOf(index, env), 0) {
				return nil
			}
		}
		return &goExternalName{t.name}
	case *goExternal:
		if goBasic[t.name] {
			return &goExternal{"byte"}
		}
		return t
	case *goPointer:
		if c, ok := p.underlying(t.elem).(*goContainer); ok {
			return c.elem
		}
		return nil
	case nil:
		return nil
	default:
		if c, ok := p.underlying(t).(*goContainer); ok {
			return c.elem
		}
		return &goExternal{"byte"}
	}
}

// callType evaluates a call or a conversion.
func (p *goSearch) callType(x *ast.CallExpr, env goEnv) goTyp {
	if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
		if t, ok := p.builtinType(id, x, env); ok {
			return t
		}
	}
	switch t := p.typeOf(x.Fun, env).(type) {
	case *goMeta:
		return t.typ
	case *goFuncType:
		inner := t.env
		if len(t.params) > 0 {
			inner = p.infer(t, x, env)
		}
		return p.results(t, inner)
	case *goNamed:
		if f, ok := p.underlying(t).(*goFuncType); ok {
			return p.results(f, f.env)
		}
	case *goExternal, *goExternalName:
		// A generic function can return a type of its arguments.
		for _, arg := range x.Args {
			if p.ofProject(p.typeOf(arg, env), 0) {
				return nil
			}
		}
		return &goExternal{"?"}
	}
	return nil
}

// ofProject reports whether a type contains a type of the project, or is unknown.
func (p *goSearch) ofProject(t goTyp, depth int) bool {
	if depth > 4 || !p.step() {
		return true
	}
	switch t := t.(type) {
	case nil, *goNamed, *goParamType:
		return true
	case *goMeta:
		return p.ofProject(t.typ, depth+1)
	case *goPointer:
		return p.ofProject(t.elem, depth+1)
	case *goContainer:
		return p.ofProject(t.key, depth+1) || p.ofProject(t.elem, depth+1)
	case *goFuncType:
		r := p.results(t, t.env)
		return t.spec.Results != nil && p.ofProject(r, depth+1)
	case *goTuple:
		for _, one := range t.types {
			if p.ofProject(one, depth+1) {
				return true
			}
		}
	}
	return false
}

// builtinType evaluates a call of a predeclared function.
func (p *goSearch) builtinType(id *ast.Ident, x *ast.CallExpr, env goEnv) (goTyp, bool) {
	switch id.Name {
	case "new", "make", "append", "min", "max", "len", "cap", "copy":
	default:
		return nil, false
	}
	if p.lookup(id.Name, id.Pos(), env) != nil || len(x.Args) == 0 {
		return nil, false
	}
	switch id.Name {
	case "new":
		switch t := p.typeOf(x.Args[0], env).(type) {
		case *goMeta:
			return &goPointer{t.typ}, true
		default:
			return &goPointer{t}, true
		}
	case "make":
		return p.typeExpr(x.Args[0], env), true
	case "append", "min", "max":
		return p.typeOf(x.Args[0], env), true
	}
	return goInt, true
}
