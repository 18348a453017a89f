package uses

import "slices"

// scriptType evaluates a type of TypeScript.
func (s *search) scriptType(f *text, from, to int, env typeEnv) typ {
	var all []typ
	for i := from; i < to; {
		if !s.step() {
			return nil
		}
		if f.at(i) == "|" || f.at(i) == "&" {
			i++
			continue
		}
		t, next := s.scriptTypeAt(f, i, to, env)
		if next <= i {
			break
		}
		for f.at(next) == "[" && next < to && f.opens(next) {
			if f.pair(next) == next+1 {
				t = &generic{"Array", []typ{t}}
			} else if f.kind(next+1) == tokenString {
				t = s.memberType(t, unquote(f.at(next+1)))
			} else {
				t = nil
			}
			next = f.after(next)
		}
		all = append(all, t)
		if i = next; f.at(i) != "|" && f.at(i) != "&" {
			break
		}
	}
	if len(all) == 0 {
		return nil
	}
	return union(all)
}

// scriptTypeAt evaluates one part of a union, and returns the index after it.
func (s *search) scriptTypeAt(f *text, i, to int, env typeEnv) (typ, int) {
	s.nesting++
	defer func() { s.nesting-- }()
	word := f.at(i)
	switch {
	case word == "(" && f.opens(i):
		end := f.after(i)
		if f.at(end) == "=>" {
			ret := span{end + 1, (&scriptReader{text: f}).skipType(end + 1)}
			return &signature{text: f, open: i, ret: ret, at: i, env: env}, max(ret.to, end+1)
		}
		return s.scriptType(f, i+1, end-1, env), end
	case word == "<":
		end := f.skipAngle(i)
		if end == i {
			return nil, to
		}
		return s.scriptTypeAt(f, end, to, env)
	case word == "{" && f.opens(i):
		c := f.objects[i]
		if c == nil {
			c = &class{text: f, members: map[string]*symbol{}, block: f.blockAt(i), literal: true}
			c.symbol = &symbol{kind: symClass, token: -1, text: f, class: c, block: c.block}
			f.objects[i] = c
			blocks := f.blocks
			(&scriptReader{text: f}).members(i+1, f.pair(i), c, &block{start: i, end: f.pair(i), parent: c.block, names: map[string]*symbol{}})
			f.blocks = blocks
		}
		return &instance{class: c}, f.after(i)
	case word == "[" && f.opens(i):
		g := &generic{name: "Tuple"}
		for _, part := range f.split(i+1, f.pair(i)) {
			g.args = append(g.args, s.scriptType(f, part.from, part.to, env))
		}
		return g, f.after(i)
	case word == "readonly" || word == "asserts":
		return s.scriptTypeAt(f, i+1, to, env)
	case word == "typeof":
		end := i + 2
		for f.at(end) == "." {
			end += 2
		}
		return s.eval(f, i+1, end), end
	case word == "keyof" || word == "unique" || word == "infer" || word == "new" || word == "abstract":
		return outside, to
	case word == "this":
		if c := enclosingClass(f.blockAt(i)); c != nil {
			return &instance{class: c}, i + 1
		}
		return nil, i + 1
	case f.kind(i) == tokenName:
		return s.scriptTypeName(f, i, to, env)
	case f.kind(i) == tokenString:
		for i++; f.at(i) == "${"; {
			i = f.after(i)
		}
		return outside, i
	}
	return outside, (&scriptReader{text: f}).skipType(i)
}

// scriptTypeName evaluates the name of a type with its arguments.
func (s *search) scriptTypeName(f *text, i, to int, env typeEnv) (typ, int) {
	word, at := f.at(i), i
	sym := s.lookup(f, word, i)
	i++
	if sym != nil && sym.kind == symVariable && sym.next == nil {
		sym = nil
	}
	var module *text
	if sym != nil {
		sym, module = s.resolveImport(sym, 0)
	}
	for f.at(i) == "." && f.isName(i+1) {
		switch {
		case module != nil:
			sym, module = s.exported(module, f.at(i+1), 0), nil
		case sym != nil && sym.kind == symNamespace:
			sym = sym.names.names[f.at(i+1)]
		default:
			sym = nil
		}
		if sym != nil {
			sym, module = s.resolveImport(sym, 0)
		}
		word = ""
		i += 2
	}
	var args []typ
	if f.at(i) == "<" {
		end := f.skipAngle(i)
		if end == i {
			return nil, to
		}
		for j := i + 1; j < end-1; {
			next := (&scriptReader{text: f}).skipType(j)
			args = append(args, s.scriptType(f, j, next, env))
			if j = next; f.at(j) != "," {
				break
			}
			j++
		}
		i = end
	}
	if f.at(i) == "is" && !f.newLine(i) {
		return outside, to
	}
	if t, ok := env[word]; ok && at+1 == i {
		return t, i
	}
	if t, ok := s.declaredType(sym, args); ok {
		return t, i
	}
	return s.predeclaredType(word, args), i
}

// declaredType evaluates a class, an alias or a type parameter with arguments. ok is false
// for other symbols.
func (s *search) declaredType(sym *symbol, args []typ) (t typ, ok bool) {
	for o := sym; o != nil; o = o.next {
		switch o.kind {
		case symClass:
			return &instance{class: o.class, args: args}, true
		case symAlias:
			if o.resolving || s.nesting > maxNesting {
				return nil, true
			}
			o.resolving = true
			inner := typeEnv{}
			if o.fn != nil {
				for n, name := range o.fn.typeParams {
					inner[name] = nil
					if n < len(args) {
						inner[name] = args[n]
					}
				}
			}
			t := s.scriptType(o.text, o.typ.from, o.typ.to, inner)
			o.resolving = false
			return t, true
		case symTypeParam:
			return nil, true
		}
	}
	return nil, false
}

// predeclaredType evaluates a type that the project does not declare.
func (s *search) predeclaredType(word string, args []typ) typ {
	switch word {
	case "any", "unknown", "object", "T":
		return nil
	case "Partial", "Required", "Readonly", "NonNullable", "Awaited", "Pick", "Omit", "DeepPartial", "NoInfer":
		if len(args) > 0 {
			return s.awaited(args[0])
		}
	case "InstanceType":
		if len(args) > 0 {
			if r, ok := args[0].(*reference); ok && r.symbol.kind == symClass {
				return &instance{class: r.symbol.class}
			}
		}
		return nil
	case "ReturnType":
		if len(args) > 0 {
			if r, ok := args[0].(*reference); ok && r.symbol.kind == symFunction {
				return s.result(r.symbol, r.receiver, nil)
			}
		}
		return nil
	case "Record":
		return &generic{"Map", args}
	}
	if len(args) > 0 {
		if slices.Contains([]string{"ReadonlyMap", "WeakMap"}, word) {
			word = "Map"
		}
		return &generic{word, args}
	}
	return outside
}
