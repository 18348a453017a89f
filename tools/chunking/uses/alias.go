package uses

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// Limits of the other names of a declaration.
const (
	maxAliases     = 100 // names under which files export a declaration
	maxAliasRounds = 8   // passes over the files; each pass follows one more re-export
	maxStored      = 20  // variables and properties whose uses are found
)

// aliases are the other names of the target of a search.
type aliases struct {
	names       map[string]bool           // names that files can import, with the declared one
	targetFiles map[string]bool           // paths of files whose default export or value is the target
	local       map[*text]map[string]bool // names in one file
	stored      []*symbol                 // variables and properties whose value is the target
	followed    map[*text]map[int]bool    // tokens that name the target as the value of stored
	limited     bool                      // a limit was reached
}

// gather reads the files that can name the target, and finds its other names in them. It
// returns the files.
func (s *textSearch) gather() ([]*text, error) {
	s.aliases = aliases{
		names: map[string]bool{s.declaration.Name: true}, targetFiles: map[string]bool{},
		local: map[*text]map[string]bool{}, followed: map[*text]map[int]bool{},
	}
	candidates := map[string]bool{s.declaration.Path: true}
	for round := 0; ; round++ {
		names, modules := len(s.names), len(s.targetFiles)
		for _, name := range s.files {
			if s.ctx.Err() != nil {
				return nil, context.Cause(s.ctx)
			}
			if candidates[name] || s.mayName(name) {
				candidates[name] = true
				s.gatherText(s.load(name))
			}
		}
		if s.dialect.java || len(s.names) == names && len(s.targetFiles) == modules {
			break
		}
		if round == maxAliasRounds {
			s.limited = true
			break
		}
	}
	var all []*text
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		if f := s.load(name); f != nil {
			all = append(all, f)
		}
	}
	return all, nil
}

// mayName reports whether a file contains an exported name of the target, or imports a
// module that is the target.
func (s *textSearch) mayName(name string) bool {
	src, err := s.source(name)
	if err != nil {
		if _, known := s.texts[name]; !known {
			s.unread = append(s.unread, name)
			s.texts[name] = nil
		}
		return false
	}
	for one := range s.names {
		if contains(src, one) {
			return true
		}
	}
	return len(s.targetFiles) > 0 && s.dialect.script && s.importsTarget(name, src)
}

// importsTarget reports whether a file of JavaScript imports a module that is the target.
func (s *textSearch) importsTarget(name string, src []byte) bool {
	for _, word := range []string{"from", "require", "import"} {
		for rest := src; ; {
			at := bytes.Index(rest, []byte(word))
			if at < 0 {
				break
			}
			rest = bytes.TrimLeft(rest[at+len(word):], " \t\r\n(")
			if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
				continue
			}
			module, _, ok := bytes.Cut(rest[1:], rest[:1])
			if !ok || len(module) > 500 {
				continue
			}
			if s.targetFiles[s.scriptPath(name, string(module))] {
				return true
			}
		}
	}
	return false
}

// gatherText finds the other names of the target in a file.
func (s *textSearch) gatherText(f *text) {
	if f == nil || s.dialect.java {
		return
	}
	s.steps, s.nesting = 0, 0
	for _, sym := range f.symbols {
		switch {
		case sym.name == "" || sameSymbol(sym, s.target):
		case sym.kind == symImport:
			s.gatherImport(f, sym)
		case sym.kind == symVariable:
			s.gatherValue(f, sym)
		}
	}
	for name, sym := range f.exports {
		if s.names[name] || s.targetFiles[f.path] && name == "default" || !s.canMean(f, sym) {
			continue
		}
		switch c, other := s.classifySymbol(sym, 0); {
		case other || c != Resolved:
		case name == "default":
			s.targetFiles[f.path] = true
		default:
			s.export(name)
		}
	}
	if f.module.ok() && !s.targetFiles[f.path] && s.isChain(f, f.module) && s.isTarget(s.eval(f, f.module.from, f.module.to)) {
		s.targetFiles[f.path] = true
	}
}

// canMean reports whether an export can be the target, by its names.
func (s *textSearch) canMean(f *text, sym *symbol) bool {
	switch {
	case sameSymbol(sym, s.target):
		return true
	case sym.kind == symImport:
		return s.names[sym.imported] || s.local[f][sym.imported] || sym.imported == "default"
	case sym.kind == symVariable && sym.value.ok():
		last := f.at(sym.value.to - 1)
		return s.names[last] || s.local[f][last] || s.isChain(f, sym.value)
	}
	return false
}

// gatherImport adds the local name of an import of the target.
func (s *textSearch) gatherImport(f *text, sym *symbol) {
	if sym.name == s.declaration.Name || !s.names[sym.imported] && sym.imported != "default" && sym.imported != "=" {
		return
	}
	if sym.imported == "=" {
		if !s.targetFiles[s.scriptPath(f.path, sym.module)] {
			return
		}
	} else if c, other := s.classifySymbol(sym, 0); other || c != Resolved && !s.names[sym.imported] {
		return
	}
	s.name(f, sym)
}

// gatherValue adds a variable or a property whose value is the target.
func (s *textSearch) gatherValue(f *text, sym *symbol) {
	switch {
	case sym.origin == memberOf && s.names[sym.key]:
		if sym.name != s.declaration.Name && s.isTarget(s.symbolType(sym, nil)) {
			s.name(f, sym)
		}
		return
	case !sym.value.ok() || sym.origin != wholeValue:
		return
	}
	if f.at(sym.value.from) == "require" {
		if sym.name != s.declaration.Name && s.isTarget(s.symbolType(sym, nil)) {
			s.name(f, sym)
		}
		return
	}
	for _, value := range append([]span{sym.value}, sym.values...) {
		last := f.at(value.to - 1)
		if !s.isChain(f, value) || !s.names[last] && !s.local[f][last] || sym.token == value.to-1 && !sym.shorthand {
			continue
		}
		if c, other := s.classify(f, value.to-1); other || c != Resolved {
			continue
		}
		if s.followed[f] == nil {
			s.followed[f] = map[int]bool{}
		}
		s.followed[f][value.to-1] = true
		switch {
		case isExportsMember(sym):
			s.export(sym.name)
		case slices.ContainsFunc(s.stored, func(o *symbol) bool { return sameSymbol(o, sym) }):
		case len(s.stored) == maxStored:
			s.limited = true
		default:
			s.stored = append(s.stored, sym)
		}
		return
	}
}

// name adds a name of the target in a file. Other files can import it if it is at the top
// level in Python.
func (s *textSearch) name(f *text, sym *symbol) {
	if s.local[f] == nil {
		s.local[f] = map[string]bool{}
	}
	s.local[f][sym.name] = true
	if s.dialect.python && sym.block == f.root {
		s.export(sym.name)
	}
}

// export adds a name under which files can import the target.
func (s *textSearch) export(name string) {
	switch {
	case s.names[name]:
	case len(s.names) == maxAliases:
		s.limited = true
	default:
		s.names[name] = true
	}
}

// isChain reports whether tokens are names with dots between them.
func (s *textSearch) isChain(f *text, at span) bool {
	for i := at.from; i < at.to; i++ {
		if (i-at.from)%2 == 0 != f.isName(i) || (i-at.from)%2 == 1 && f.at(i) != "." || f.isKeyword(i) {
			return false
		}
	}
	return (at.to-at.from)%2 == 1
}

// isTarget reports whether a type is the target as a value.
func (s *textSearch) isTarget(t typ) bool {
	r, ok := t.(*reference)
	if !ok {
		return false
	}
	if sameSymbol(r.symbol, s.target) {
		return true
	}
	if s.target.kind != symVariable || !s.target.value.ok() {
		return false
	}
	own, ok := s.symbolType(s.target, nil).(*reference)
	return ok && own.symbol == r.symbol
}

// isExportsMember reports whether a symbol is a property of the object that is the value
// of module.exports.
func isExportsMember(o *symbol) bool {
	return o.owner != nil && o.owner.literal && o.text.module.ok() && o.text.objects[o.text.module.from] == o.owner
}

// isCommonExport reports whether a variable stands for a part of a module of CommonJS, or
// for a default export.
func isCommonExport(o *symbol) bool {
	return o.name == "" || o.token < 0 || isExportsMember(o) || o.text.at(o.value.from) == "require"
}

// addStored adds the uses of the variables and properties whose value is the target, as
// Possible uses, because their values can change.
func (w *fileSet) addStored(ctx context.Context, s *textSearch) error {
	type key struct {
		path   string
		offset int
	}
	known := map[key]bool{}
	for _, u := range s.result.Uses {
		known[key{u.Path, u.Offset}] = u.Certainty != Unresolved
	}
	queue, first := s.stored, s
	seen := []*symbol{s.target}
	for n := 0; n < len(queue); n++ {
		o := queue[n]
		if slices.ContainsFunc(seen, func(one *symbol) bool { return sameSymbol(one, o) }) {
			continue
		}
		if len(seen) > maxStored {
			first.result.Unfollowed++
			continue
		}
		seen = append(seen, o)
		language := o.text.language
		d := Declaration{Path: o.text.path, Name: o.name, Offset: int(o.text.tokens[o.token].start), Language: language}
		next, err := w.findOne(ctx, d)
		if err != nil {
			return err
		}
		queue = append(queue, next.stored...)
		for _, u := range next.result.Uses {
			if u.Certainty == Unresolved || known[key{u.Path, u.Offset}] {
				continue
			}
			u.Certainty = Possible
			if i := slices.IndexFunc(first.result.Uses, func(have Use) bool { return have.Path == u.Path && have.Offset == u.Offset }); i >= 0 {
				first.result.Uses[i].Certainty = Possible
			} else {
				first.result.Uses = append(first.result.Uses, u)
				if d.Name == first.declaration.Name {
					first.result.Others = max(first.result.Others-1, 0)
				}
			}
			known[key{u.Path, u.Offset}] = true
		}
	}
	return nil
}
