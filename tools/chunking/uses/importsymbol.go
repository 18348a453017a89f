package uses

import "strings"

// resolveImport follows imports to the symbol or the module that they mean.
func (s *search) resolveImport(sym *symbol, depth int) (*symbol, *text) {
	if sym.kind != symImport {
		return sym, nil
	}
	if depth > 20 || !s.step() {
		return nil, nil
	}
	if s.dialect.java {
		return s.javaImport(sym), nil
	}
	if sym.module == "" { // export { a as b }
		if inner := sym.text.root.names[sym.imported]; inner != nil && inner != sym {
			return s.resolveImport(inner, depth+1)
		}
		return nil, nil
	}
	f := s.dialect.module(s, sym.text, sym.module)
	switch {
	case f == nil && s.dialect.python && sym.imported != "*":
	case f == nil:
		return nil, nil
	case sym.imported == "*" || sym.imported == "=":
		return nil, f
	}
	if f != nil {
		if found := s.exported(f, sym.imported, depth+1); found != nil {
			return s.resolveImport(found, depth+1)
		}
		if sym.imported == "default" {
			if t, ok := s.commonModule(&moduleRef{f}).(*reference); ok {
				return t.symbol, nil
			}
			return nil, f
		}
		if f.module.ok() {
			if m, _ := s.find(s.commonModule(&moduleRef{f}), sym.imported); len(m) > 0 {
				return m[0].symbol, nil
			}
		}
	}
	if s.dialect.python { // a submodule
		name := sym.module + "." + sym.imported
		if sym.module[len(sym.module)-1] == '.' {
			name = sym.module + sym.imported
		}
		if sub := s.dialect.module(s, sym.text, name); sub != nil {
			return nil, sub
		}
	}
	return nil, nil
}

// javaImport returns the symbol that an import of Java means, or nil.
func (s *search) javaImport(sym *symbol) *symbol {
	if !sym.static {
		if c := s.qualified(sym.module); c != nil {
			return c.symbol
		}
		return nil
	}
	dot := strings.LastIndexByte(sym.module, '.')
	if c := s.qualified(sym.module[:max(dot, 0)]); c != nil {
		for _, key := range []string{methodKey(sym.name), sym.name} {
			if m, _ := s.find(&instance{class: c}, key); len(m) > 0 {
				return m[0].symbol
			}
		}
	}
	return nil
}

// exported returns the symbol that a module exports under a name.
func (s *search) exported(f *text, name string, depth int) *symbol {
	if depth > 20 || !s.step() {
		return nil
	}
	if found := f.exports[name]; found != nil {
		return found
	}
	if s.dialect.python || s.dialect.java {
		if found := f.root.names[name]; found != nil {
			return found
		}
	}
	for _, star := range f.stars {
		if other := s.dialect.module(s, f, star); other != nil && other != f {
			if found := s.exported(other, name, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// importType returns the type of an imported name.
func (s *search) importType(sym *symbol) typ {
	target, module := s.resolveImport(sym, 0)
	switch {
	case module != nil:
		if sym.imported == "=" || sym.imported == "default" {
			return s.commonModule(&moduleRef{module})
		}
		return &moduleRef{module}
	case target != nil && target != sym:
		return s.symbolType(target, nil)
	case len(sym.module) > 0 && sym.module[0] == '.':
		return nil
	}
	return outside
}

// moduleType returns a module as a value.
func (s *search) moduleType(f *text, name string) typ {
	if m := s.dialect.module(s, f, name); m != nil {
		return &moduleRef{m}
	}
	if name != "" && name[0] == '.' {
		return nil
	}
	return outside
}

// commonModule returns the value of module.exports, or the module.
func (s *search) commonModule(t typ) typ {
	if m, ok := t.(*moduleRef); ok && m.text.module.ok() && s.step() && s.nesting < maxNesting {
		s.nesting++
		defer func() { s.nesting-- }()
		if v := s.eval(m.text, m.text.module.from, m.text.module.to); v != nil && v != outside {
			return v
		}
	}
	return t
}
