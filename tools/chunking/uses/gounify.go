package uses

import (
	"go/ast"
)

// infer returns the context of a generic function with the type arguments of a call.
func (p *goSearch) infer(f *goFuncType, x *ast.CallExpr, env goEnv) goEnv {
	names := fieldNames(f.params)
	found := make(map[string]goTyp)
	for _, name := range names {
		if t, ok := f.env.types[name]; ok && t != nil {
			found[name] = t
		}
	}
	u := unifier{p, names, found}
	at := 0
	if f.spec.Params != nil {
		for _, field := range f.spec.Params.List {
			for range max(len(field.Names), 1) {
				want := field.Type
				if rest, ok := want.(*ast.Ellipsis); ok && !x.Ellipsis.IsValid() {
					want = rest.Elt
				}
				if at < len(x.Args) {
					u.unify(want, p.typeOf(x.Args[at], env), 0)
				}
				at++
			}
		}
	}
	for _, field := range f.params {
		for _, name := range field.Names {
			if t := found[name.Name]; t != nil {
				u.unify(field.Type, p.underlying(t), 0)
			}
		}
	}
	args := make([]goTyp, len(names))
	for i, name := range names {
		args[i] = found[name]
	}
	return f.env.with(names, args)
}

// unifier finds type arguments.
type unifier struct {
	*goSearch
	names []string
	found map[string]goTyp
}

// unify compares the declared type of a parameter with the type of an argument.
func (u *unifier) unify(x ast.Expr, t goTyp, depth int) {
	if t == nil || depth > 12 || !u.step() {
		return
	}
	switch x := x.(type) {
	case *ast.Ident:
		for _, name := range u.names {
			if _, known := u.found[name]; name == x.Name && !known {
				u.found[name] = t
			}
		}
	case *ast.ParenExpr:
		u.unify(x.X, t, depth+1)
	case *ast.UnaryExpr:
		u.unify(x.X, t, depth+1)
	case *ast.StarExpr:
		if pointer, ok := t.(*goPointer); ok {
			u.unify(x.X, pointer.elem, depth+1)
		}
	case *ast.ArrayType:
		u.unifyContainer(nil, x.Elt, t, depth)
	case *ast.Ellipsis:
		u.unifyContainer(nil, x.Elt, t, depth)
	case *ast.MapType:
		u.unifyContainer(x.Key, x.Value, t, depth)
	case *ast.ChanType:
		u.unifyContainer(nil, x.Value, t, depth)
	case *ast.IndexExpr:
		u.unifyNamed([]ast.Expr{x.Index}, t, depth)
	case *ast.IndexListExpr:
		u.unifyNamed(x.Indices, t, depth)
	case *ast.FuncType:
		f, ok := u.underlying(t).(*goFuncType)
		if !ok {
			return
		}
		u.unifyFields(x.Params, f.spec.Params, f.env, depth)
		u.unifyFields(x.Results, f.spec.Results, f.env, depth)
	}
}

func (u *unifier) unifyContainer(key, elem ast.Expr, t goTyp, depth int) {
	if c, ok := u.underlying(t).(*goContainer); ok {
		if key != nil {
			u.unify(key, c.key, depth+1)
		}
		u.unify(elem, c.elem, depth+1)
	}
}

func (u *unifier) unifyNamed(args []ast.Expr, t goTyp, depth int) {
	switch n := t.(type) {
	case *goNamed:
		for i := range min(len(args), len(n.args)) {
			u.unify(args[i], n.args[i], depth+1)
		}
	case *goFuncType: // func(yield func(K, V) bool) for iter.Seq2[K, V]
		if yield, ok := u.parameter(n, 0).(*goFuncType); ok {
			for i := range args {
				u.unify(args[i], u.parameter(yield, i), depth+1)
			}
		}
	}
}

func (u *unifier) unifyFields(want, got *ast.FieldList, env goEnv, depth int) {
	if want == nil || got == nil {
		return
	}
	var types []ast.Expr
	for _, f := range got.List {
		for range max(len(f.Names), 1) {
			types = append(types, f.Type)
		}
	}
	i := 0
	for _, f := range want.List {
		for range max(len(f.Names), 1) {
			if i < len(types) {
				u.unify(f.Type, u.typeExpr(types[i], env), depth+1)
			}
			i++
		}
	}
}
