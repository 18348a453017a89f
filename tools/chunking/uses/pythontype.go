package uses

// pythonType evaluates an annotation of Python.
func (s *search) pythonType(f *text, from, to int, env typeEnv) typ {
	if from >= to || !s.step() {
		return nil
	}
	var all []typ
	start := from
	for i := from; i <= to; i++ {
		if i < to && f.opens(i) {
			i = f.pair(i)
			continue
		}
		if i == to || f.at(i) == "|" {
			if start < i {
				all = append(all, s.pythonTypePart(f, start, i, env))
			}
			start = i + 1
		}
	}
	return union(all)
}

// pythonTypePart evaluates one part of a union.
func (s *search) pythonTypePart(f *text, from, to int, env typeEnv) typ {
	s.nesting++
	defer func() { s.nesting-- }()
	if f.kind(from) == tokenString && to == from+1 {
		return s.quotedType(f, from)
	}
	if !f.isName(from) {
		return outside
	}
	end := from + 1
	for f.at(end) == "." && f.isName(end+1) && end < to {
		end += 2
	}
	last := f.at(end - 1)
	var args []typ
	if f.at(end) == "[" && end < to {
		parts := f.split(end+1, f.pair(end))
		if last == "Literal" || last == "Callable" {
			parts = nil
		}
		for _, part := range parts {
			args = append(args, s.pythonType(f, part.from, part.to, env))
		}
	}
	if t, ok := env[last]; ok && end == from+1 {
		return t
	}
	switch v := s.eval(f, from, end).(type) {
	case *reference:
		if v.symbol.kind == symClass {
			return &instance{class: v.symbol.class, args: args}
		}
		return nil
	case *instance: // a TypeVar or an alias
		return nil
	case *generic, *unionOf:
		return v
	case nil:
		return nil
	}
	switch last {
	case "Any", "object", "T", "TypeVar":
		return nil
	case "Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired":
		if len(args) > 0 {
			return args[0]
		}
		return nil
	case "Union":
		return union(args)
	case "Type", "type":
		if len(args) > 0 {
			if i, ok := args[0].(*instance); ok {
				return &reference{symbol: i.class.symbol}
			}
		}
		return nil
	case "Dict", "dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict":
		return &generic{"Map", args}
	case "Tuple", "tuple":
		if len(args) > 1 && f.at(f.pair(end)-1) != "..." {
			return &generic{"Tuple", args}
		}
		return &generic{"Array", args[:min(len(args), 1)]}
	case "Awaitable", "Coroutine":
		return &generic{"Promise", args}
	case "AsyncIterator", "Iterator", "Iterable", "Generator", "AsyncGenerator", "AsyncIterable", "ContextManager", "AbstractContextManager":
		return &generic{"Array", args[:min(len(args), 1)]}
	}
	if len(args) > 0 {
		return &generic{last, args}
	}
	return outside
}

// quotedType evaluates a type in a string.
func (s *search) quotedType(f *text, at int) typ {
	if len(f.at(at)) > 1_000 {
		return nil
	}
	inner := newText(f.path, unquote(f.at(at)), f.language)
	// The names in the string mean the names at its place.
	inner.root.parent = f.blockAt(at)
	inner.sortBlocks()
	if len(inner.tokens) == 0 || len(inner.tokens) > 100 {
		return nil
	}
	return s.pythonType(inner, 0, len(inner.tokens), nil)
}
