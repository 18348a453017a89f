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
