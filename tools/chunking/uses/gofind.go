package uses

import (
	"context"
	"go/ast"
	"go/token"
	"path"
)

// goSearch is one search for the uses of a declaration.
type goSearch struct {
	*goProject
	declaration Declaration
	target      token.Pos // of the declared name in its package
	local       token.Pos // of the declared name in the file that is searched, if it is the same file
	receiver    goTyp     // of a method
	exported    bool
	result      *Result

	file    *goFile
	steps   int
	nesting int
	cut     int                // evaluations that the limits ended
	may     map[token.Pos]bool // whether the receiver implements the interface, by the position of its method
}

// find returns the uses of a declaration of Go.
func (p *goProject) find(ctx context.Context, d Declaration) (Result, error) {
	p.ctx, p.unread = ctx, nil
	if p.dirs == nil {
		p.findModules(ctx)
	}
	s := &goSearch{goProject: p, declaration: d, result: &Result{}, may: map[token.Pos]bool{}}
	dir := path.Dir(d.Path)
	var own *goPackage
	for _, pkg := range p.load(dir) {
		for _, f := range pkg.files {
			if f.path == d.Path {
				own, s.target = pkg, token.Pos(f.base+d.Offset)
			}
		}
	}
	if own == nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{Unread: []string{d.Path}}, nil
	}
	for receiver, methods := range own.methods {
		for o := methods[d.Name]; o != nil; o = o.next {
			if o.pos == s.target && own.scope[receiver] != nil {
				s.receiver = &goNamed{obj: own.scope[receiver]}
			}
		}
	}
	// A name in lower case has uses in its package only; so has a local name.
	s.exported = ast.IsExported(d.Name)
	for _, name := range p.candidates(dir, s.exported) {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		s.searchFile(name)
	}
	s.result.Unread = p.unread
	return *s.result, nil
}

// candidates returns the files that can name a declaration of a directory.
func (p *goProject) candidates(dir string, exported bool) []string {
	if !exported {
		return p.files[dir]
	}
	return p.project.Files("go")
}

// searchFile finds the uses in a file.
func (p *goSearch) searchFile(name string) {
	text, err := p.project.ReadFile(p.ctx, name)
	if err != nil {
		p.unread = append(p.unread, name)
		return
	}
	if !contains(text, p.declaration.Name) {
		return
	}
	tree, err := p.parse(name, text)
	if err != nil {
		p.unread = append(p.unread, name)
		return
	}
	defer p.fset.RemoveFile(p.fset.File(tree.FileStart))
	var file *goFile
	for _, pkg := range p.load(path.Dir(name)) {
		for _, f := range pkg.files {
			if f.path == name {
				file = f
			}
		}
	}
	if file == nil {
		return
	}
	// Positions in this second tree of the file differ from the package's.
	base := int(tree.FileStart)
	p.local = token.NoPos
	if name == p.declaration.Path {
		p.local = token.Pos(base + p.declaration.Offset)
	}
	p.steps, p.nesting, p.file = 0, 0, &goFile{path: name, pkg: file.pkg, base: base, imports: file.imports, dots: file.dots}
	w := goWalk{p}
	env := goEnv{file: p.file}
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			w.function(d, env)
		case *ast.GenDecl:
			w.node(d, env)
		}
	}
}

// use records a use of the name: m is its target, with a nil object if it is unknown.
func (p *goSearch) use(id *ast.Ident, m goMember) {
	c := Unresolved
	switch {
	case p.steps >= maxSteps:
	case m.obj == nil && m.external:
		p.result.Others++
		return
	case m.obj == nil:
	case p.means(m.obj):
		if m.obj.pos == id.Pos() {
			return
		}
		c = Resolved
	case m.obj.kind == goInterfaceMethod && p.receiver != nil && m.iface != nil && p.mayMean(m):
		c = Possible
	default:
		p.result.Others++
		return
	}
	p.result.Uses = append(p.result.Uses, Use{
		Path: p.file.path, Offset: p.file.offset(id.Pos()), Line: int32(p.fset.PositionFor(id.Pos(), false).Line), Certainty: c,
	})
}

// means reports whether an object, or its declaration for another platform, is the target.
func (p *goSearch) means(o *goObject) bool {
	for ; o != nil && p.step(); o = o.next {
		if o.pos == p.target || p.local.IsValid() && o.pos == p.local {
			return true
		}
		if o.env.scope != nil {
			return false
		}
	}
	return false
}

// mayMean reports whether the receiver of the target implements the interface of a method.
func (p *goSearch) mayMean(m goMember) bool {
	key := m.obj.pos
	switch n := m.iface.(type) {
	case *goNamed:
		key = n.obj.pos
	case *goParamType:
		key = n.obj.pos
	}
	may, known := p.may[key]
	if !known {
		may = p.implements(p.receiver, m.iface)
		p.may[key] = may
	}
	return may
}

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
			_, m := w.selection(n, env)
			w.use(n.Sel, m)
		}
		return
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
	case *ast.IfStmt:
		env = w.open(env)
	case *ast.ForStmt:
		env = w.open(env)
	case *ast.SwitchStmt:
		env = w.open(env)
	case *ast.CaseClause:
		for _, x := range n.List {
			w.node(x, env)
		}
		w.block(n.Body, w.open(env))
		return
	case *ast.CommClause:
		env = w.open(env)
		if n.Comm != nil {
			w.node(n.Comm, env)
		}
		w.block(n.Body, env)
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
