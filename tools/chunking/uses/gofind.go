package uses

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"path"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// goSearch is one search for the uses of a declaration.
type goSearch struct {
	*goProject
	declaration Declaration
	target      token.Pos // of the declared name in its package
	local       token.Pos // of the declared name in the file that is searched, if it is the same file
	receiver    goTyp     // of a method
	callable    bool      // the target is a function or a method
	exported    bool
	imports     []string // paths of which a file outside the package imports one to use the target; nil if unknown
	foreign     bool     // no use in the searched file can mean the target
	result      *Result

	file    *goFile
	steps   int
	nesting int
	cut     int                 // evaluations that the limits ended
	called  map[*ast.Ident]bool // names that a call in the file calls
	stored  []Declaration       // variables of packages whose value is the target
	may     map[token.Pos]bool  // whether the receiver implements the interface, by the position of its method
}

// find returns the uses of a declaration of Go.
func (p *goProject) find(ctx context.Context, d Declaration) (Result, error) {
	p.ctx, p.unread = ctx, nil
	if p.dirs == nil {
		p.findModules(ctx)
	}
	s, err := p.findOne(ctx, d)
	if err == nil {
		err = p.addStored(ctx, s)
	}
	if err != nil {
		return Result{}, err
	}
	s.result.Unread = p.unread
	return *s.result, nil
}

// addStored adds the uses of the variables that hold a function, as Possible uses, because
// their values can change.
func (p *goProject) addStored(ctx context.Context, s *goSearch) error {
	queue, seen := s.stored, map[Declaration]bool{s.declaration: true}
	for n := 0; n < len(queue); n++ {
		if seen[queue[n]] {
			continue
		}
		if len(seen) > maxStored {
			s.result.Unfollowed++
			continue
		}
		seen[queue[n]] = true
		next, err := p.findOne(ctx, queue[n])
		if err != nil {
			return err
		}
		queue = append(queue, next.stored...)
		for _, u := range next.result.Uses {
			if u.Certainty == Unresolved {
				continue
			}
			u.Certainty = Possible
			s.result.Uses = append(s.result.Uses, u)
			if queue[n].Name == s.declaration.Name {
				s.result.Others = max(s.result.Others-1, 0)
			}
		}
	}
	return nil
}

// findOne returns the search for a declaration, without the uses of the variables that
// hold it.
func (p *goProject) findOne(ctx context.Context, d Declaration) (*goSearch, error) {
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
			return nil, context.Cause(ctx)
		}
		p.unread = append(p.unread, d.Path)
		return s, nil
	}
	for receiver, methods := range own.methods {
		for o := methods[d.Name]; o != nil; o = o.next {
			if o.pos == s.target && own.scope[receiver] != nil {
				s.receiver = &goNamed{obj: own.scope[receiver]}
			}
		}
	}
	s.callable = s.receiver != nil || own.isFunction(s.target, d.Name)
	s.imports = s.importsOf(dir)
	// A name in lower case has uses in its package only; so has a local name.
	s.exported = ast.IsExported(d.Name)
	for _, name := range p.candidates(dir, s.exported) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.searchFile(name)
	}
	return s, nil
}

// candidates returns the files that can name a declaration of a directory.
func (p *goProject) candidates(dir string, exported bool) []string {
	if !exported {
		return p.files[dir]
	}
	return p.project.Files("go")
}

// fileOf returns a file with its package, or nil for an unreadable file.
func (p *goProject) fileOf(name string) *goFile {
	for _, pkg := range p.load(path.Dir(name)) {
		for _, f := range pkg.files {
			if f.path == name {
				return f
			}
		}
	}
	return nil
}

// isFunction reports whether a name at a position is that of a function of the package.
func (p *goPackage) isFunction(at token.Pos, name string) bool {
	for o := p.scope[name]; o != nil; o = o.next {
		if o.pos == at {
			return o.kind == goFunc
		}
	}
	return false
}

// importsOf returns the import paths of the target's package. It returns nil for a
// member of a type, which needs no import, and for a directory whose import path is unknown.
func (p *goSearch) importsOf(dir string) []string {
	if !p.callable || p.receiver != nil || p.loose[dir] {
		return nil
	}
	var paths []string
	for name, at := range p.dirs {
		if at == dir {
			paths = append(paths, name)
		}
	}
	return paths
}

// isForeign reports whether a file is outside the target's package and does not import it.
func (p *goSearch) isForeign(name string, text []byte) bool {
	return len(p.imports) > 0 && path.Dir(name) != path.Dir(p.declaration.Path) &&
		!slices.ContainsFunc(p.imports, func(one string) bool {
			return bytes.Contains(text, []byte(`"`+one+`"`)) || bytes.Contains(text, []byte("`"+one+"`"))
		})
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
	p.foreign = p.isForeign(name, text)
	tree, err := p.parse(name, blankBodies(text, func(body []byte) bool { return contains(body, p.declaration.Name) }))
	if err != nil {
		p.unread = append(p.unread, name)
		return
	}
	defer p.fset.RemoveFile(p.fset.File(tree.FileStart))
	file := &goFile{pkg: &goPackage{}}
	if !p.foreign {
		if file = p.fileOf(name); file == nil {
			return
		}
	}
	// Positions in this second tree of the file differ from the package's.
	base := int(tree.FileStart)
	p.local = token.NoPos
	if name == p.declaration.Path {
		p.local = token.Pos(base + p.declaration.Offset)
	}
	p.called = map[*ast.Ident]bool{}
	p.steps, p.nesting, p.file = 0, 0, &goFile{path: name, pkg: file.pkg, base: base, imports: file.imports, dots: file.dots}
	w := goWalk{p}
	env := goEnv{file: p.file}
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			w.function(d, env)
		case *ast.GenDecl:
			w.node(d, env)
			w.store(d)
		}
	}
}

// store records the variables at the top level whose value is the target.
func (p *goSearch) store(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || d.Tok != token.VAR || len(v.Names) != len(v.Values) {
			continue
		}
		for i, value := range v.Values {
			id, ok := value.(*ast.Ident)
			if selector, isSelector := value.(*ast.SelectorExpr); isSelector {
				id, ok = selector.Sel, true
			}
			if !ok || id.Name != p.declaration.Name || v.Names[i].Name == "_" {
				continue
			}
			offset := p.file.offset(id.Pos())
			for n := len(p.result.Uses) - 1; n >= 0 && p.result.Uses[n].Path == p.file.path; n-- {
				if u := &p.result.Uses[n]; u.Offset == offset && u.Certainty == Resolved && p.callable {
					u.Value = false
					p.stored = append(p.stored, Declaration{Path: p.file.path, Name: v.Names[i].Name, Offset: p.file.offset(v.Names[i].Pos()), Language: source.Go})
				}
			}
		}
	}
}

// use records a use of the name: m is its target, with a nil object if it is unknown.
func (p *goSearch) use(id *ast.Ident, m goMember) {
	c := Unresolved
	switch {
	case p.foreign && (m.obj == nil || m.obj.pos != id.Pos()):
		p.result.Others++
		return
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
		Value: c == Resolved && p.callable && !p.called[id],
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
