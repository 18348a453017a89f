package uses

import (
	"context"
	"slices"
	"strings"
)

// textSearch finds the uses of a declaration in texts.
type textSearch struct {
	search
	declaration Declaration
	target      *symbol
	unseen      bool // the reader did not find the declaration; target is a stand-in
	result      Result
	aliases
}

// find returns the uses of a declaration.
func (w *fileSet) find(ctx context.Context, d Declaration) (Result, error) {
	w.ctx, w.unread = ctx, nil
	s, err := w.findOne(ctx, d)
	if err == nil {
		err = w.addStored(ctx, s)
	}
	if err != nil {
		return Result{}, err
	}
	s.result.Unread = w.unread
	return s.result, nil
}

// findOne returns the search for a declaration, without the uses of the variables that
// hold it.
func (w *fileSet) findOne(ctx context.Context, d Declaration) (*textSearch, error) {
	s := &textSearch{search: search{fileSet: w}, declaration: d}
	own := w.load(d.Path)
	if own == nil {
		return s, nil
	}
	at := own.tokenAt(d.Offset)
	for _, sym := range own.byToken[at] {
		if sym.kind != symImport {
			s.target = sym
			if sym.owner != nil || sym.kind == symClass {
				break
			}
		}
	}
	if s.target == nil {
		s.target, s.unseen = &symbol{text: own, token: at, name: d.Name}, true
	}
	if err := w.readGlobals(s.target); err != nil {
		return nil, err
	}
	files, err := s.gather()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.searchText(f)
	}
	if s.limited {
		s.result.Unfollowed++
	}
	return s, nil
}

// searchText finds the uses in a file.
func (s *textSearch) searchText(f *text) {
	s.steps, s.nesting = 0, 0
	for i := range f.tokens {
		kind, name := f.tokens[i].kind, f.at(i)
		if kind == tokenString && s.isQuoted(f, i) {
			s.result.Quoted++
		}
		if kind != tokenName || !s.names[name] && !s.local[f][name] && (name != "default" || len(s.targetFiles) == 0 || f.at(i-1) != ".") {
			continue
		}
		declared := name == s.declaration.Name
		if f == s.target.text && i == s.target.token || s.declares(f, i) || f.isImport(i) {
			continue
		}
		c, other := s.classify(f, i)
		switch {
		case other:
			if declared {
				s.result.Others++
			}
			continue
		case c == Unresolved && !declared && !s.local[f][name]:
			continue // any member of the name
		}
		s.result.Uses = append(s.result.Uses, Use{
			Path: f.path, Offset: int(f.tokens[i].start), Line: f.tokens[i].line, Certainty: c, Value: c == Resolved && s.isValue(f, i),
		})
	}
}

// isQuoted reports whether a string in brackets is the declared name, as in object["name"]
// and getattr(object, "name").
func (s *textSearch) isQuoted(f *text, i int) bool {
	if !s.isCallable() || unquote(f.at(i)) != s.declaration.Name {
		return false
	}
	before, after := f.at(i-1), f.at(i+1)
	return (before == "[" || before == "(" || before == ",") && (after == "]" || after == ")" || after == ",")
}

// isValue reports whether a use of a function takes its value, without a call. Values of
// variables whose uses are found do not count.
func (s *textSearch) isValue(f *text, i int) bool {
	if !s.isCallable() || s.followed[f][i] {
		return false
	}
	switch f.at(i + 1) {
	case "(", "<", "?.", ".", "=", "`":
		return false
	}
	switch f.at(i - 1) {
	case "new", "@", "<", "/", "typeof", "extends":
		return false
	}
	return true
}

// isCallable reports whether the target is a function.
func (s *textSearch) isCallable() bool {
	if s.target.fn != nil {
		return !s.target.fn.property
	}
	return s.target.value.ok() && s.target.text.lambdas[s.target.value.from] != nil
}

// declares reports whether a token declares a name.
func (s *textSearch) declares(f *text, i int) bool {
	for _, sym := range f.byToken[i] {
		if sym.name != f.at(i) || sym.shorthand {
			continue
		}
		// An assignment to an attribute can use a property.
		return !s.dialect.python || sym.kind != symVariable || sym.owner == nil || sym.owner != s.target.owner || s.target.kind != symFunction
	}
	return false
}

// isImport reports whether a token belongs to an import statement.
func (f *text) isImport(i int) bool {
	n, _ := slices.BinarySearchFunc(f.imports, i+1, func(at span, i int) int { return at.from - i })
	return n > 0 && i < f.imports[n-1].to
}

// classify resolves the name at a token. other means that it has another target.
func (s *textSearch) classify(f *text, i int) (c Certainty, other bool) {
	if f.isKeyword(i) {
		return 0, true
	}
	if s.dialect.java {
		if c, other, ok := s.classifyNew(f, i); ok {
			return c, other
		}
	}
	before := f.at(i - 1)
	if before == "#" {
		before = f.at(i - 2)
	}
	if (before == "." || before == "?." || before == "::") && f.kind(i-1) == tokenSign {
		return s.classifyQualified(f, i)
	}
	if s.dialect.script && f.at(i+1) == ":" && s.isKey(f, i) {
		return 0, true
	}
	if s.dialect.script && f.at(i+1) != "(" && slices.Contains(scriptTypeWords, f.at(i)) {
		return 0, true
	}
	if s.dialect.python && f.at(i+1) == "=" && s.isArgument(f, i) {
		return 0, true // the name of a parameter
	}
	if s.dialect.java && f.at(i+1) == "(" {
		if c := s.classWith(f.blockAt(i), methodKey(f.at(i))); c != nil {
			return s.classifyMember(f, &instance{class: c}, i)
		}
	}
	sym := s.lookup(f, f.at(i), i)
	if sym == nil {
		t := s.dialect.missing(&s.search, f, f.at(i))
		r, ok := t.(*reference)
		if !ok {
			return Unresolved, len(f.wild) == 0 && !s.unseen && !s.isAmbiguous(f.at(i))
		}
		sym = r.symbol
	}
	if sym.owner != nil && s.dialect.java && s.classWith(f.blockAt(i), f.at(i)) != nil {
		return s.classifyMember(f, &instance{class: s.classWith(f.blockAt(i), f.at(i))}, i)
	}
	c, other = s.classifySymbol(sym, 0)
	return c, other && !s.unseen
}

// classifyQualified resolves the name of a member behind a dot or two colons.
func (s *textSearch) classifyQualified(f *text, i int) (Certainty, bool) {
	before := f.at(i - 1)
	if before == "#" {
		before = f.at(i - 2)
	}
	end := i - 1
	if f.at(end) == "#" {
		end--
	}
	start := f.chainStart(end)
	if start >= end {
		return Unresolved, false
	}
	t := s.eval(f, start, end)
	if before == "::" {
		if r, ok := t.(*reference); ok && r.symbol.kind == symClass {
			t = &instance{class: r.symbol.class}
		}
	}
	c, other := s.classifyMember(f, t, i)
	if c == Possible && f.at(start) == "super" {
		return 0, true
	}
	return c, other
}

// classifyNew resolves the name of a class in an instance creation of Java: for a
// constructor as target, to the constructor. ok is false at other names, and if the class is unknown.
func (s *textSearch) classifyNew(f *text, i int) (c Certainty, other, ok bool) {
	start := i
	for f.at(start-1) == "." && f.isName(start-2) {
		start -= 2
	}
	reference := f.at(i+1) == "::" && f.at(i+2) == "new"
	if !f.isName(start) || f.at(start-1) != "new" && !reference {
		return 0, false, false
	}
	t, isClass := s.typeAt(f, span{start, i + 1}, nil).(*instance)
	if !isClass {
		return 0, false, false
	}
	target := s.target
	if target.kind != symFunction || target.owner == nil || target.name != target.owner.name || target.fn.ret.ok() {
		c, other = s.classifySymbol(t.class.symbol, 0)
		return c, other && !s.unseen, true
	}
	constructor := t.class.members[methodKey(t.class.name)]
	switch {
	case constructor == nil || t.class != target.owner:
		return 0, true, true
	case reference:
		if constructor.next != nil {
			return Unresolved, false, true
		}
		return Resolved, false, true
	}
	open := i + 1
	if f.at(open) == "<" {
		if open = f.skipAngle(open); f.at(open) == "<" { // the diamond
			open += 2
		}
	}
	if f.at(open) != "(" || !f.opens(open) {
		return 0, true, true // an array
	}
	chosen := s.bestOverload(constructor, f, f.split(open+1, f.pair(open)))
	if chosen == nil {
		return Unresolved, false, true
	}
	return Resolved, !sameSymbol(chosen, target), true
}

// scriptTypeWords are predeclared types and operators of types in TypeScript.
var scriptTypeWords = []string{"number", "string", "boolean", "symbol", "object", "any", "unknown", "never", "void", "bigint", "undefined", "null", "keyof", "readonly", "unique", "infer"}

// classWith returns the innermost class around a block that has a member, or nil.
func (s *search) classWith(b *block, name string) *class {
	for ; b != nil; b = b.parent {
		if b.class != nil {
			if m, _ := s.find(&instance{class: b.class}, name); len(m) > 0 {
				return b.class
			}
		}
	}
	return nil
}

// classifySymbol compares a symbol, and the symbol that it imports, with the target.
func (s *textSearch) classifySymbol(sym *symbol, depth int) (Certainty, bool) {
	for o := sym; o != nil; o = o.next {
		if !s.step() {
			return Unresolved, false
		}
		if sameSymbol(o, s.target) {
			return Resolved, false
		}
		if o.kind == symImport && depth < 20 {
			next, module := s.resolveImport(o, 0)
			switch {
			case next != nil && next != o:
				if c, other := s.classifySymbol(next, depth+1); !other {
					return c, false
				}
			case module == nil && s.isOwnImport(o):
				return Unresolved, false
			case module != nil && (o.imported == "=" || o.imported == "default") && s.targetFiles[module.path]:
				return Resolved, false
			}
		}
		// const { name } = require("module"), exports.name = function, and a default export
		if o.kind == symVariable && o.value.ok() && depth < 20 && !s.dialect.java {
			t := s.symbolType(o, nil)
			if r, ok := t.(*reference); ok && r.symbol != o && (r.symbol.kind == symFunction || r.symbol.kind == symClass) && (o.origin == memberOf || r.symbol.token < 0 || isCommonExport(o)) && s.isTarget(t) {
				return Resolved, false
			}
		}
	}
	return 0, true
}

// isOwnImport reports whether an import should name a file of the project: no package has
// a name with such a prefix.
func (s *textSearch) isOwnImport(o *symbol) bool {
	return strings.HasPrefix(o.module, ".") || s.dialect.script && (strings.HasPrefix(o.module, "@/") || strings.Trim(o.module[:min(1, len(o.module))], "~#/") == "" && o.module != "")
}

// classifyMember resolves a member of a type.
func (s *textSearch) classifyMember(f *text, t typ, i int) (Certainty, bool) {
	name := f.at(i)
	if s.dialect.java && (f.at(i+1) == "(" || f.at(i-1) == "::") {
		name = methodKey(name)
	}
	all, known := s.find(t, name)
	if len(all) == 0 {
		return Unresolved, known && t != nil && !s.unseen && !s.mayMixIn(t)
	}
	certainty, other := Unresolved, true
	for _, m := range all {
		if s.dialect.java && f.at(i+1) == "(" && m.symbol.owner != nil {
			m = s.overload(m, f, f.split(i+2, f.pair(i+1)))
			if sameSymbol(m.symbol, s.target) {
				return Resolved, false
			}
		} else if c, o := s.classifySymbol(m.symbol, 0); !o {
			if s.dialect.java && f.at(i-1) == "::" && c == Resolved {
				if chosen := s.referenced(m.symbol, f, i); chosen == nil {
					return Unresolved, false
				} else if !sameSymbol(chosen, s.target) {
					continue
				}
			}
			return c, false
		}
		// A call of a member of a base class, or of an interface, can mean the target.
		if s.target.owner != nil && m.symbol.owner != nil && m.symbol.owner != s.target.owner && !s.target.static && s.inherits(s.target.owner, m.symbol.owner) && s.mayHold(m.static) {
			if !s.dialect.java || m.symbol.fn == nil || s.target.fn == nil || len(m.symbol.fn.params) == len(s.target.fn.params) {
				certainty, other = Possible, false
			}
		}
		if other && s.conforms(m.symbol.owner) {
			other = false
		}
	}
	return certainty, other
}

// mayMixIn reports whether the target, a method of an object literal, can become a member
// of a type of the project, as with Object.assign.
func (s *textSearch) mayMixIn(t typ) bool {
	if s.target.owner == nil || !s.target.owner.literal || s.target.kind != symFunction {
		return false
	}
	switch t := t.(type) {
	case *instance:
		return !t.class.literal
	case *reference:
		return t.symbol.kind == symClass
	}
	return false
}

// conforms reports whether the class of the target has all members of an interface that it
// does not name: its values can be used as values of the interface.
func (s *textSearch) conforms(c *class) bool {
	own := s.target.owner
	if c == nil || own == nil || own == c || s.dialect.java || s.target.static || !s.isStructural(c) {
		return false
	}
	for name, m := range c.members {
		if m.text.at(m.token+1) == "?" { // optional
			continue
		}
		if all, _ := s.find(&instance{class: own}, name); len(all) == 0 {
			return false
		}
	}
	return true
}

// isStructural reports whether a class is an interface or a literal type of TypeScript, or
// a protocol of Python.
func (s *textSearch) isStructural(c *class) bool {
	if s.dialect.script {
		return c.iface || c.literal && c.symbol.token < 0 && s.isType(c)
	}
	return slices.ContainsFunc(c.bases, func(b span) bool {
		return c.text.at(b.from) == "Protocol" || c.text.at(b.from+2) == "Protocol"
	})
}

// isType reports whether a literal is a type, whose members have no values.
func (s *textSearch) isType(c *class) bool {
	for _, m := range c.members {
		if m.value.ok() || m.fn != nil && m.fn.block != nil && c.text.at(m.fn.block.end-1) == "}" {
			return false
		}
	}
	return true
}

// mayHold reports whether a value of a type can be an instance of the target's class.
func (s *textSearch) mayHold(t typ) bool {
	i, ok := t.(*instance)
	return !ok || s.inherits(s.target.owner, i.class)
}

// isKey reports whether a name with a colon behind it is a key of an object.
func (s *textSearch) isKey(f *text, i int) bool {
	before := f.at(i - 1)
	return before == "{" || before == ","
}

// isArgument reports whether a name is that of a keyword argument.
func (s *textSearch) isArgument(f *text, i int) bool {
	before := f.at(i - 1)
	return before == "(" || before == ","
}
