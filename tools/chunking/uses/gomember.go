package uses

import (
	"go/ast"
	"go/token"
)

// goMember is the result of a lookup of a field or method.
type goMember struct {
	obj      *goObject // nil if nothing was found
	typ      goTyp
	external bool  // the name belongs to a type outside the project
	iface    goTyp // the interface of an interface method
}

// goReceiver is a type whose members are looked up.
type goReceiver struct {
	typ   goTyp
	iface goTyp // the outermost interface that embeds typ
}

// member finds a field or method of a type, also in embedded fields.
func (p *goSearch) member(t goTyp, name string) goMember {
	level := []goReceiver{{typ: t}}
	visited := map[*goObject]bool{}
	external := false
	for depth := 0; len(level) > 0 && depth < 12; depth++ {
		var next []goReceiver
		for i := 0; i < len(level) && i < 200; i++ {
			r := level[i]
			if !p.step() {
				return goMember{}
			}
			if pointer, ok := r.typ.(*goPointer); ok {
				r.typ = pointer.elem
			}
			switch n := r.typ.(type) {
			case *goExternal, *goExternalName, *goTuple:
				external = true
				continue
			case *goNamed:
				if visited[n.obj] {
					continue
				}
				visited[n.obj] = true
				if m := n.obj.env.file.pkg.methods[n.obj.name][name]; m != nil && n.obj.env.scope == nil {
					return goMember{obj: m, typ: p.functionType(m, append([]goTyp{}, n.args...))}
				}
			case *goParamType:
				if visited[n.obj] {
					continue
				}
				visited[n.obj] = true
			}
			switch u := p.underlying(r.typ).(type) {
			case *goStruct:
				if m := p.field(u, name, &next); m != nil {
					return *m
				}
			case *goInterface:
				if r.iface == nil {
					r.iface = r.typ
				}
				if m := p.interfaceMethod(u, name, r.iface, &level); m != nil {
					return *m
				}
			case *goExternal:
				external = external || !goBasic[u.name]
			case *goNamed, *goPointer: // a constraint with one type
				next = append(next, goReceiver{u, r.iface})
			}
		}
		level = next
	}
	return goMember{external: external}
}

// field finds a field of a struct, or adds the embedded types to next.
func (p *goSearch) field(s *goStruct, name string, next *[]goReceiver) *goMember {
	for _, f := range s.spec.Fields.List {
		for _, id := range f.Names {
			if id.Name == name {
				return &goMember{obj: &goObject{kind: goVar, name: name, pos: id.Pos(), env: s.env}, typ: p.typeExpr(f.Type, s.env)}
			}
		}
		if len(f.Names) == 0 {
			t := p.typeExpr(f.Type, s.env)
			if embedded, id := embeddedName(f.Type); embedded == name {
				return &goMember{obj: &goObject{kind: goVar, name: name, pos: id.Pos(), env: s.env}, typ: t}
			}
			*next = append(*next, goReceiver{typ: t})
		}
	}
	return nil
}

// embeddedName returns the name of an embedded field.
func embeddedName(x ast.Expr) (string, *ast.Ident) {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.SelectorExpr:
			return t.Sel.Name, t.Sel
		case *ast.Ident:
			return t.Name, t
		default:
			return "", nil
		}
	}
}

// interfaceMethod finds a method of an interface, or adds the embedded interfaces to
// level.
func (p *goSearch) interfaceMethod(i *goInterface, name string, iface goTyp, level *[]goReceiver) *goMember {
	for _, f := range i.spec.Methods.List {
		for _, id := range f.Names {
			if id.Name == name {
				return &goMember{obj: &goObject{kind: goInterfaceMethod, name: name, pos: id.Pos(), env: i.env}, typ: p.funcField(f, i.env), iface: iface}
			}
		}
		if len(f.Names) == 0 {
			if t := p.typeExpr(f.Type, i.env); t != nil {
				*level = append(*level, goReceiver{t, iface})
			}
		}
	}
	return nil
}

func (p *goSearch) funcField(f *ast.Field, env goEnv) goTyp {
	if spec, ok := f.Type.(*ast.FuncType); ok {
		return &goFuncType{spec: spec, env: env}
	}
	return nil
}

// selectorType evaluates x.Sel.
func (p *goSearch) selectorType(x *ast.SelectorExpr, env goEnv) goTyp {
	t, _ := p.selection(x, env)
	return t
}

// selection evaluates x.Sel, and returns the member.
func (p *goSearch) selection(x *ast.SelectorExpr, env goEnv) (goTyp, goMember) {
	switch t := p.typeOf(x.X, env).(type) {
	case nil:
		return nil, goMember{}
	case *goPackageName:
		if t.pkg != nil {
			if o := t.pkg.scope[x.Sel.Name]; o != nil {
				return p.objectType(o, env), goMember{obj: o}
			}
			if !t.pkg.standard {
				return nil, goMember{}
			}
		}
		return &goExternalName{x.Sel.Name}, goMember{external: true}
	case *goMeta: // method expression
		m := p.member(t.typ, x.Sel.Name)
		f, ok := m.typ.(*goFuncType)
		if !ok {
			return nil, m
		}
		spec := *f.spec
		spec.Params = &ast.FieldList{List: []*ast.Field{{Type: &ast.BadExpr{}}}}
		if f.spec.Params != nil {
			spec.Params.List = append(spec.Params.List, f.spec.Params.List...)
		}
		return &goFuncType{&spec, f.env, f.params}, m
	default:
		m := p.member(t, x.Sel.Name)
		if m.external {
			return &goExternal{"?"}, m
		}
		return m.typ, m
	}
}

// implements reports whether a type can implement an interface: it has all methods of the
// interface that are known, with the same number of parameters and results.
func (p *goSearch) implements(t, iface goTyp) bool {
	level := []goTyp{iface}
	seen := map[*goObject]bool{}
	for i := 0; i < len(level) && i < 100; i++ {
		if n, ok := level[i].(*goNamed); ok {
			if seen[n.obj] {
				continue
			}
			seen[n.obj] = true
		}
		u, ok := p.underlying(level[i]).(*goInterface)
		if !ok {
			continue
		}
		for _, f := range u.spec.Methods.List {
			for _, id := range f.Names {
				m := p.member(t, id.Name)
				if m.obj == nil {
					if m.external {
						continue
					}
					return false
				}
				want, ok1 := p.funcField(f, u.env).(*goFuncType)
				got, ok2 := m.typ.(*goFuncType)
				if !ok1 || !ok2 || !p.sameFields(want.spec.Params, want.env, got.spec.Params, got.env) || !p.sameFields(want.spec.Results, want.env, got.spec.Results, got.env) {
					return false
				}
			}
			if len(f.Names) == 0 {
				level = append(level, p.typeExpr(f.Type, u.env))
			}
		}
	}
	return true
}

// sameFields reports whether two lists of parameters or results can have the same types.
func (p *goSearch) sameFields(a *ast.FieldList, aEnv goEnv, b *ast.FieldList, bEnv goEnv) bool {
	if a.NumFields() != b.NumFields() {
		return false
	}
	if a == nil || b == nil {
		return true
	}
	types := func(l *ast.FieldList, env goEnv) []goTyp {
		var all []goTyp
		for _, f := range l.List {
			t := p.typeExpr(f.Type, env)
			for range max(len(f.Names), 1) {
				all = append(all, t)
			}
		}
		return all
	}
	as, bs := types(a, aEnv), types(b, bEnv)
	for i := range as {
		if !mayEqual(as[i], bs[i], 0) {
			return false
		}
	}
	return true
}

// mayEqual reports whether two types can be identical.
func mayEqual(a, b goTyp, depth int) bool {
	if a == nil || b == nil || depth > 6 {
		return true
	}
	switch a := a.(type) {
	case *goParamType:
		return true
	case *goNamed:
		switch b := b.(type) {
		case *goNamed:
			return a.obj == b.obj || a.obj.name == b.obj.name && a.obj.env.file.pkg == b.obj.env.file.pkg
		case *goParamType:
			return true
		}
		return false
	case *goExternal:
		switch b := b.(type) {
		case *goExternal:
			return a.name == b.name || canonicalBasic(a.name) == canonicalBasic(b.name) || !goBasic[a.name] && !goBasic[b.name]
		case *goParamType:
			return true
		}
		return false
	case *goPointer:
		switch b := b.(type) {
		case *goPointer:
			return mayEqual(a.elem, b.elem, depth+1)
		case *goParamType:
			return true
		}
		return false
	case *goContainer:
		switch b := b.(type) {
		case *goContainer:
			return mayEqual(a.key, b.key, depth+1) && mayEqual(a.elem, b.elem, depth+1)
		case *goParamType:
			return true
		}
		return false
	}
	switch b.(type) {
	case *goNamed, *goExternal, *goPointer, *goContainer:
		return false
	}
	return true
}

func canonicalBasic(name string) string {
	switch name {
	case "byte":
		return "uint8"
	case "rune":
		return "int32"
	}
	return name
}

// offset returns the offset of a position in a file.
func (f *goFile) offset(pos token.Pos) int { return int(pos) - f.base }
