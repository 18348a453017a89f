package uses

import (
	"go/ast"
	"go/token"
)

// goWalk visits a file.
type goWalk struct{ *goSearch }

// open returns the context of a new block.
func (w goWalk) open(env goEnv) goEnv {
	env.scope = &goScope{outer: env.scope, objects: map[string]*goObject{}}
	return env
}

// declare adds a local name.
func (w goWalk) declare(env goEnv, o *goObject) {
	if o.name == "_" || env.scope == nil {
		return
	}
	o.next = env.scope.objects[o.name]
	env.scope.objects[o.name] = o
}

// function visits a function or method.
func (w goWalk) function(d *ast.FuncDecl, env goEnv) {
	inner := w.open(env)
	if d.Recv != nil {
		for _, f := range d.Recv.List {
			name, params := receiverType(f.Type)
			if o := env.file.pkg.scope[name]; o != nil && o.spec != nil && o.spec.TypeParams != nil {
				i := 0
				for _, field := range o.spec.TypeParams.List {
					for range field.Names {
						if i < len(params) {
							w.declare(inner, &goObject{kind: goParam, name: params[i], pos: f.Pos(), visible: 0, expr: field.Type, env: o.env})
						}
						i++
					}
				}
			}
		}
		w.fields(d.Recv, inner)
	}
	w.signature(d.Type, inner)
	if d.Body != nil {
		w.block(d.Body.List, inner)
	}
}

// signature declares the parameters of a function.
func (w goWalk) signature(t *ast.FuncType, env goEnv) {
	if t.TypeParams != nil {
		for _, f := range t.TypeParams.List {
			for _, name := range f.Names {
				w.declare(env, &goObject{kind: goParam, name: name.Name, pos: name.Pos(), visible: 0, expr: f.Type, env: env})
			}
			w.node(f.Type, env)
		}
	}
	w.fields(t.Params, env)
	w.fields(t.Results, env)
}

// fields declares parameters or results.
func (w goWalk) fields(list *ast.FieldList, env goEnv) {
	if list == nil {
		return
	}
	outer := env
	for _, f := range list.List {
		w.node(f.Type, outer)
		for _, name := range f.Names {
			w.declare(env, &goObject{kind: goVar, name: name.Name, pos: name.Pos(), visible: list.End(), expr: f.Type, env: outer})
		}
	}
}

func (w goWalk) block(list []ast.Stmt, env goEnv) {
	for _, s := range list {
		w.node(s, env)
	}
}

// node visits a syntax node.
func (w goWalk) node(n ast.Node, env goEnv) {
	switch n := n.(type) {
	case nil:
		return
	case *ast.Ident:
		w.ident(n, env)
		return
	case *ast.SelectorExpr:
		w.node(n.X, env)
		if n.Sel.Name == w.declaration.Name {
			w.use(n.Sel, w.selected(n, env))
		}
		return
	case *ast.CallExpr:
		w.call(n.Fun)
		w.quoted(n.Args...)
	case *ast.IndexExpr:
		w.quoted(n.Index)
	case *ast.FuncLit:
		inner := w.open(env)
		w.signature(n.Type, inner)
		w.block(n.Body.List, inner)
		return
	case *ast.FuncType:
		w.signature(n, w.open(env))
		return
	case *ast.BlockStmt:
		w.block(n.List, w.open(env))
		return
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt:
		env = w.open(env)
	case *ast.CaseClause, *ast.CommClause:
		w.clause(n, env)
		return
	case *ast.TypeSwitchStmt:
		w.typeSwitch(n, w.open(env))
		return
	case *ast.RangeStmt:
		w.rangeStatement(n, w.open(env))
		return
	case *ast.AssignStmt:
		w.assign(n, env)
		return
	case *ast.GenDecl:
		w.general(n, env)
		return
	case *ast.LabeledStmt:
		w.node(n.Stmt, env)
		return
	case *ast.BranchStmt, *ast.ImportSpec:
		return
	case *ast.Field: // of a struct or an interface
		w.node(n.Type, env)
		return
	case *ast.CompositeLit:
		w.composite(n, env)
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		if m == n {
			return true
		}
		if m != nil {
			w.node(m, env)
		}
		return false
	})
}

// clause visits a clause of a switch or select statement.
func (w goWalk) clause(n ast.Node, env goEnv) {
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, x := range n.List {
			w.node(x, env)
		}
		w.block(n.Body, w.open(env))
	case *ast.CommClause:
		env = w.open(env)
		if n.Comm != nil {
			w.node(n.Comm, env)
		}
		w.block(n.Body, env)
	}
}

// call records the name that a call calls.
func (w goWalk) call(x ast.Expr) {
	for {
		switch f := x.(type) {
		case *ast.ParenExpr:
			x = f.X
		case *ast.IndexExpr:
			x = f.X
		case *ast.IndexListExpr:
			x = f.X
		case *ast.SelectorExpr:
			w.called[f.Sel] = true
			return
		case *ast.Ident:
			w.called[f] = true
			return
		default:
			return
		}
	}
}

// quoted counts the strings in brackets that are the name of the target, as in
// MethodByName("Name").
func (w goWalk) quoted(list ...ast.Expr) {
	for _, x := range list {
		if s, ok := x.(*ast.BasicLit); ok && w.callable && unquote(s.Value) == w.declaration.Name {
			w.result.Quoted++
		}
	}
}

// selected returns the target of a selector.
func (w goWalk) selected(n *ast.SelectorExpr, env goEnv) goMember {
	if w.foreign {
		return goMember{}
	}
	_, m := w.selection(n, env)
	return m
}

// ident records the use of a plain name.
func (w goWalk) ident(id *ast.Ident, env goEnv) {
	if id.Name != w.declaration.Name {
		return
	}
	if o := w.lookup(id.Name, id.Pos(), env); o != nil {
		w.use(id, goMember{obj: o})
		return
	}
	// Imports and predeclared names are other declarations.
	_, imported := w.importNamed(env.file, id.Name)
	w.use(id, goMember{external: imported || len(env.file.dots) == 0})
}

// composite visits a composite literal, whose keys can be fields.
func (w goWalk) composite(n *ast.CompositeLit, env goEnv) {
	if n.Type != nil {
		w.node(n.Type, env)
	}
	for _, x := range n.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			w.node(x, env)
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); !ok {
			w.node(kv.Key, env)
		} else if key.Name == w.declaration.Name && w.foreign {
			w.use(key, goMember{})
		} else if key.Name == w.declaration.Name {
			t := w.typeExpr(n.Type, env)
			switch w.underlying(t).(type) {
			case *goStruct:
				w.use(key, w.member(t, key.Name))
			case *goContainer:
				w.ident(key, env)
			case nil: // the type of an inner literal is left out
				if o := w.lookup(key.Name, key.Pos(), env); o != nil && w.means(o) {
					w.use(key, goMember{})
				}
			}
		}
		w.node(kv.Value, env)
	}
}

// typeSwitch visits a type switch.
func (w goWalk) typeSwitch(n *ast.TypeSwitchStmt, env goEnv) {
	if n.Init != nil {
		w.node(n.Init, env)
	}
	var name *ast.Ident
	var value ast.Expr
	switch s := n.Assign.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			name, _ = s.Lhs[0].(*ast.Ident)
			value = s.Rhs[0]
		}
	case *ast.ExprStmt:
		value = s.X
	}
	if value != nil {
		w.node(value, env)
	}
	for _, clause := range n.Body.List {
		c, ok := clause.(*ast.CaseClause)
		if !ok {
			continue
		}
		inner := w.open(env)
		for _, x := range c.List {
			w.node(x, env)
		}
		if name != nil {
			o := &goObject{kind: goVar, name: name.Name, pos: name.Pos(), visible: c.Colon, env: env, value: value}
			if len(c.List) == 1 && nameOf(c.List[0]) != "nil" {
				o.expr = c.List[0]
			}
			w.declare(inner, o)
		}
		w.block(c.Body, inner)
	}
}

// rangeStatement visits a for statement with a range clause.
func (w goWalk) rangeStatement(n *ast.RangeStmt, env goEnv) {
	w.node(n.X, env)
	for i, x := range []ast.Expr{n.Key, n.Value} {
		id, ok := x.(*ast.Ident)
		switch {
		case x == nil:
		case n.Tok == token.DEFINE && ok:
			w.declare(env, &goObject{kind: goVar, name: id.Name, pos: id.Pos(), visible: n.Body.Pos(), value: n.X, index: i, origin: fromRange, env: env})
		default:
			w.node(x, env)
		}
	}
	w.block(n.Body.List, w.open(env))
}

// assign visits an assignment or a short variable declaration.
func (w goWalk) assign(n *ast.AssignStmt, env goEnv) {
	for _, x := range n.Rhs {
		w.node(x, env)
	}
	for i, x := range n.Lhs {
		id, ok := x.(*ast.Ident)
		if n.Tok != token.DEFINE || !ok || env.scope == nil {
			w.node(x, env)
			continue
		}
		if known := env.scope.objects[id.Name]; known != nil {
			if id.Name == w.declaration.Name {
				w.ident(id, env)
			}
			continue
		}
		o := &goObject{kind: goVar, name: id.Name, pos: id.Pos(), visible: n.End(), env: env}
		if len(n.Rhs) == len(n.Lhs) {
			o.value = n.Rhs[i]
		} else if len(n.Rhs) == 1 {
			o.value, o.index = n.Rhs[0], i
		}
		w.declare(env, o)
	}
}

// general visits a declaration of types, variables or constants.
func (w goWalk) general(d *ast.GenDecl, env goEnv) {
	if env.scope != nil {
		for _, o := range objectsOf(d, env) {
			w.declare(env, o)
		}
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			inner := w.open(env)
			if s.TypeParams != nil {
				for _, f := range s.TypeParams.List {
					for _, name := range f.Names {
						w.declare(inner, &goObject{kind: goParam, name: name.Name, pos: name.Pos(), expr: f.Type, env: inner})
					}
					w.node(f.Type, inner)
				}
			}
			w.node(s.Type, inner)
		case *ast.ValueSpec:
			if s.Type != nil {
				w.node(s.Type, env)
			}
			for _, x := range s.Values {
				w.node(x, env)
			}
		}
	}
}
