package uses

import (
	"path"
	"strings"
)

// importModules reads "import a.b as c".
func (r *pythonReader) importModules(i, end int, b *block, c *class) {
	for _, part := range r.split(i, end) {
		name, last := "", part.to
		for j := part.from; j < part.to; j++ {
			if r.at(j) == "as" {
				last = j
				break
			}
			name += r.at(j)
		}
		s := &symbol{kind: symImport, imported: "*", module: name, token: part.from}
		if last < part.to {
			s.name, s.token = r.at(last+1), last+1
		} else {
			s.name, _, _ = strings.Cut(name, ".")
			s.module = s.name
		}
		r.bind(b, c, s)
	}
}

// importNames reads "from a import b as c".
func (r *pythonReader) importNames(i, end int, b *block, c *class) {
	module := ""
	for ; i < end && r.at(i) != "import"; i++ {
		module += r.at(i)
	}
	i++
	if module == "" {
		return
	}
	if r.at(i) == "(" && r.opens(i) {
		i, end = i+1, r.pair(i)
	}
	for _, part := range r.split(i, end) {
		if r.at(part.from) == "*" {
			r.stars = append(r.stars, module)
			continue
		}
		s := &symbol{kind: symImport, name: r.at(part.from), imported: r.at(part.from), module: module, token: part.from}
		if r.at(part.from+1) == "as" {
			s.name, s.token = r.at(part.from+2), part.from+2
		}
		r.bind(b, c, s)
	}
}

// pythonModule returns the file of a module, or nil.
func (s *search) pythonModule(f *text, name string) *text {
	dir := path.Dir(f.path)
	key := dir + "\x00" + name
	found, ok := s.modules[key]
	if !ok {
		found = s.findPython(dir, name)
		s.modules[key] = found
	}
	if found == "" {
		return nil
	}
	return s.load(found)
}

func (s *search) findPython(dir, name string) string {
	dots := len(name) - len(strings.TrimLeft(name, "."))
	rest := strings.ReplaceAll(name[dots:], ".", "/")
	file := func(at string) string {
		at = path.Join(at, rest)
		return s.firstKnown(at+"/__init__.py", at+".py", at+".pyi", at+"/__init__.pyi")
	}
	if dots > 0 {
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return file(dir)
	}
	for at := dir; ; at = path.Dir(at) {
		if found := file(at); found != "" && !(at == dir && s.firstKnown(at+"/__init__.py") != "") {
			return found
		}
		if found := file(path.Join(at, "src")); found != "" {
			return found
		}
		if at == "." || at == "/" {
			return ""
		}
	}
}

// pythonMissing looks a name up in the modules that a file imports with a star.
func (s *search) pythonMissing(f *text, name string) typ {
	for _, star := range f.stars {
		m := s.pythonModule(f, star)
		if m == nil {
			continue
		}
		if found := s.exported(m, name, 0); found != nil {
			if t, module := s.resolveImport(found, 0); t != nil {
				return s.symbolReference(t)
			} else if module != nil {
				return &moduleRef{module}
			}
		}
	}
	return nil
}

// symbolReference returns a function or class as a value, or the type of a variable.
func (s *search) symbolReference(t *symbol) typ {
	if t.kind == symFunction || t.kind == symClass {
		return &reference{symbol: t}
	}
	return s.symbolType(t, nil)
}
