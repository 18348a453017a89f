package uses

import (
	"strings"
)

// javaType evaluates a type of Java, and returns the index after it.
func (s *search) javaType(f *text, i, to int, env typeEnv) (typ, int) {
	if !s.step() || i >= to {
		return nil, to
	}
	s.nesting++
	defer func() { s.nesting-- }()
	for f.at(i) == "@" || f.at(i) == "final" || f.at(i) == "?" || f.at(i) == "extends" || f.at(i) == "super" {
		if f.at(i) == "@" {
			i++
		}
		i++
	}
	if !f.isName(i) {
		return nil, to
	}
	names := []string{f.at(i)}
	at := i
	var args []typ
	for i++; i < to; {
		switch {
		case f.at(i) == "<":
			end := f.skipAngle(i)
			if end == i {
				return nil, to
			}
			args = nil
			for j := i + 1; j < end-1; {
				var t typ
				t, j = s.javaType(f, j, end-1, env)
				args = append(args, t)
				for j < end-1 && f.at(j) != "," {
					j++
				}
				j++
			}
			i = end
			continue
		case f.at(i) == "." && f.isName(i+1):
			names = append(names, f.at(i+1))
			i += 2
			continue
		}
		break
	}
	var t typ
	if e, ok := env[names[0]]; ok && len(names) == 1 {
		t = e
	} else if c, typeParam := s.javaClass(f, names, at); c != nil {
		t = &instance{class: c, args: args}
	} else if typeParam {
		t = nil
	} else if len(args) > 0 {
		name := names[len(names)-1]
		if strings.HasSuffix(name, "Map") {
			name = "Map"
		}
		t = &generic{name, args}
	} else if names[len(names)-1] != "Object" && names[len(names)-1] != "var" {
		t = outside
	}
	for f.at(i) == "[" && i < to || f.at(i) == "..." && i < to {
		t = &generic{"Array", []typ{t}}
		i = f.after(i)
	}
	return t, i
}

// javaClass finds the class that a qualified name means at a token.
func (s *search) javaClass(f *text, names []string, at int) (found *class, typeParam bool) {
	for b := f.blockAt(at); b != nil && found == nil; b = b.parent {
		for o := b.names[names[0]]; o != nil; o = o.next {
			switch o.kind {
			case symClass:
				found = o.class
			case symTypeParam:
				return nil, true
			}
		}
		if b.class != nil && found == nil {
			if b.class.name == names[0] {
				found = b.class
			} else {
				found = s.memberClass(b.class, names[0], 0)
			}
		}
	}
	rest := names[1:]
	if found == nil {
		if found = s.javaImported(f, names[0]); found == nil {
			for n := 1; n < len(names) && found == nil; n++ { // a qualified name
				found, rest = s.classNamed(strings.Join(names[:n], "."), names[n]), names[n+1:]
			}
		}
	}
	for _, name := range rest {
		if found == nil {
			return nil, false
		}
		found = s.memberClass(found, name, 0)
	}
	return found, false
}

// memberClass finds a class in a class or in its bases.
func (s *search) memberClass(c *class, name string, depth int) *class {
	if depth > 8 || !s.step() {
		return nil
	}
	for o := c.members[name]; o != nil; o = o.next {
		if o.kind == symClass {
			return o.class
		}
	}
	s.nesting++
	defer func() { s.nesting-- }()
	for _, base := range c.bases {
		if c.block == nil || s.nesting > 20 {
			return nil
		}
		t, _ := s.javaType(c.text, base.from, base.to, nil)
		if i, ok := t.(*instance); ok && i.class != c {
			if found := s.memberClass(i.class, name, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// javaImported finds a class by the imports and the package of a file.
func (s *search) javaImported(f *text, name string) *class {
	for o := f.root.names[name]; o != nil; o = o.next {
		if o.kind == symImport && !o.static {
			return s.qualified(o.module)
		}
	}
	if c := s.classNamed(f.pkg, name); c != nil {
		return c
	}
	for _, pkg := range f.wild {
		if c := s.classNamed(pkg, name); c != nil {
			return c
		}
		if outer := s.qualified(pkg); outer != nil {
			if c := s.memberClass(outer, name, 0); c != nil {
				return c
			}
		}
	}
	return nil
}

// qualified finds a class by its qualified name.
func (s *search) qualified(name string) *class {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return s.classNamed("", name)
	}
	if c := s.classNamed(name[:dot], name[dot+1:]); c != nil {
		return c
	}
	if dot == len(name)-1 || name[dot+1] >= 'a' && name[dot+1] <= 'z' {
		return nil
	}
	if outer := s.qualified(name[:dot]); outer != nil {
		return s.memberClass(outer, name[dot+1:], 0)
	}
	return nil
}

// classNamed finds a class at the top level of a package.
func (s *search) classNamed(pkg, name string) *class {
	if s.classes == nil {
		s.classes = map[string][]string{}
		for _, file := range s.files {
			base := file[strings.LastIndexByte(file, '/')+1:]
			base = strings.TrimSuffix(base, ".java")
			s.classes[base] = append(s.classes[base], file)
		}
	}
	suffix := strings.ReplaceAll(pkg, ".", "/")
	for _, file := range s.classes[name] {
		dir := strings.TrimSuffix(strings.TrimSuffix(file, name+".java"), "/")
		if pkg != "" && dir != suffix && !strings.HasSuffix(dir, "/"+suffix) {
			// The directory can differ from the package.
			if f := s.load(file); f == nil || f.pkg != pkg {
				continue
			}
		}
		if f := s.load(file); f != nil && f.pkg == pkg {
			if o := f.root.names[name]; o != nil && o.kind == symClass {
				return o.class
			}
		}
	}
	return s.topLevel[pkg+"."+name] // in a file of another name
}

// javaMissing evaluates a name that no block declares: a class, or a static import.
func (s *search) javaMissing(f *text, name string) typ {
	if c := s.javaImported(f, name); c != nil {
		return &reference{symbol: c.symbol}
	}
	for _, star := range f.stars {
		if c := s.qualified(star); c != nil {
			for _, key := range []string{methodKey(name), name} {
				if m, _ := s.find(&instance{class: c}, key); len(m) > 0 {
					return s.symbolReference(m[0].symbol)
				}
			}
		}
	}
	return nil
}
