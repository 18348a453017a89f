package uses

import (
	"bytes"
	"context"
)

// maxGlobals limits the bytes of the scripts whose global names are read.
const maxGlobals = 8 << 20

// globals are the names that scripts without imports and exports share.
type globals struct {
	names map[string][]*symbol
	cut   bool // not all scripts were read
}

// isModule reports whether a text has its own names: a line begins with an import or an
// export, or a word of CommonJS is in it.
func isModule(src []byte) bool {
	for _, word := range []string{"import", "export"} {
		if beginsLine(src, word) {
			return true
		}
	}
	return contains(src, "require") || contains(src, "exports")
}

// beginsLine reports whether a line begins with a word that is no call, property or part of a
// name. The line may be indented if no brace is open: a namespace indents its own exports.
func beginsLine(src []byte, word string) bool {
	depth := 0
	for from := 0; ; {
		at := bytes.Index(src[from:], []byte(word))
		if at < 0 {
			return false
		}
		between := src[from : from+at]
		depth += bytes.Count(between, []byte("{")) - bytes.Count(between, []byte("}"))
		at += from
		from = at + len(word)
		line := at
		for line > 0 && (src[line-1] == ' ' || src[line-1] == '\t') {
			line--
		}
		if line > 0 && src[line-1] != '\n' || line < at && depth > 0 {
			continue
		}
		if from == len(src) || !isNameByte(src[from]) && bytes.IndexByte([]byte("$(:"), src[from]) < 0 {
			return true
		}
	}
}

// readGlobals reads the global names of all scripts, once, if the target is in a script.
func (w *fileSet) readGlobals(target *symbol) error {
	if !w.dialect.script || w.globals != nil || isModule([]byte(target.text.src)) {
		return nil
	}
	g := &globals{names: map[string][]*symbol{}}
	size := 0
	for _, name := range w.files {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		src, err := w.source(name)
		if err != nil {
			continue // reported when the file is searched
		}
		if isModule(src) {
			continue
		}
		if size += len(src); size > maxGlobals {
			g.cut = true
			break
		}
		f := w.texts[name]
		if f == nil {
			f = w.parse(name, src)
		}
		for name, o := range f.root.names {
			g.names[name] = append(g.names[name], o)
		}
	}
	w.globals = g
	return nil
}

// global returns the symbol that scripts share under a name, or nil without one or with
// several ones.
func (s *search) global(name string) *symbol {
	if s.globals == nil {
		return nil
	}
	all := s.globals.names[name]
	if len(all) == 0 {
		return nil
	}
	for _, o := range all[1:] {
		if o.kind != symNamespace || all[0].kind != symNamespace {
			return nil
		}
	}
	return all[0]
}

// namespacePart returns a name that another part of a namespace declares, or nil.
func (s *search) namespacePart(namespace, name string) *symbol {
	if s.globals == nil {
		return nil
	}
	for _, o := range s.globals.names[namespace] {
		if o.kind == symNamespace && o.names.names[name] != nil {
			return o.names.names[name]
		}
	}
	return nil
}

// isAmbiguous reports whether several scripts, or scripts that were not read, can declare
// a name that no block declares.
func (s *search) isAmbiguous(name string) bool {
	return s.globals != nil && (s.globals.cut || len(s.globals.names[name]) > 1)
}
