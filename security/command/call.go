package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// callExpr follows a simple command: assignments, then the program.
func (r *reader) callExpr(cmd *syntax.CallExpr, in string) (out string) {
	if len(cmd.Args) == 0 {
		for _, assign := range cmd.Assigns {
			r.assigned(assign)
		}
		return ""
	}
	var calls [][]string
	if plainWords(cmd.Args) {
		calls = [][]string{r.words(cmd.Args)}
	} else {
		calls = alternatives(r, func() []string { return r.words(cmd.Args) })
	}
	for i, argv := range calls {
		if i > 0 {
			saved := r.save()
			out += r.assignedCall(cmd.Assigns, argv, in)
			r.merge(saved)
			continue
		}
		out = r.assignedCall(cmd.Assigns, argv, in)
	}
	return out
}

// plainWords reports whether words make no choice.
func plainWords(words []*syntax.Word) bool {
	for _, word := range words {
		for _, part := range word.Parts {
			switch part := part.(type) {
			case *syntax.Lit, *syntax.SglQuoted:
			case *syntax.DblQuoted:
				if len(part.Parts) > 1 {
					return false
				}
				if len(part.Parts) == 1 {
					if _, ok := part.Parts[0].(*syntax.Lit); !ok {
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return true
}

// assignedCall runs a command with the variables that are set for it alone.
func (r *reader) assignedCall(assigns []*syntax.Assign, argv []string, in string) string {
	if len(argv) == 0 {
		for _, assign := range assigns {
			r.assigned(assign)
		}
		return ""
	}
	if len(assigns) == 0 {
		return r.call(argv, in)
	}
	saved := r.save()
	for _, assign := range assigns {
		r.assigned(assign)
	}
	out := r.call(argv, in)
	for _, assign := range assigns {
		if assign.Name == nil {
			continue
		}
		if old, ok := saved[assign.Name.Value]; ok {
			r.vars[assign.Name.Value] = old
		} else {
			delete(r.vars, assign.Name.Value)
		}
	}
	return out
}

// assigned follows name=value, name+=value and name=(…).
func (r *reader) assigned(a *syntax.Assign) {
	if a.Name == nil {
		r.text(a.Value)
		return
	}
	name := a.Name.Value
	if a.Array != nil {
		r.set(name, r.array(name, a))
		return
	}
	values := alternatives(r, func() string { return r.text(a.Value) })
	if a.Index != nil {
		v, _ := r.lookup(name)
		v.array = true
		v.keys = append(slices.Clone(v.keys), r.key(a.Index))
		v.list = append(slices.Clone(v.list), values[0])
		r.set(name, v)
		return
	}
	if a.Append {
		old, ok := r.lookup(name)
		if !ok {
			old = scalar(unknown)
		}
		var joined []string
		for _, before := range old.values {
			for _, value := range values {
				joined = append(joined, before+value)
			}
		}
		values = joined
	}
	for _, value := range values {
		r.environment(name, value)
	}
	if len(values) > maxAlternatives {
		values = []string{unknown}
	}
	r.set(name, variable{values: values})
}

// array is the value of name=(…).
func (r *reader) array(name string, a *syntax.Assign) variable {
	v := variable{array: true}
	if a.Append {
		if old, ok := r.lookup(name); ok && old.array {
			v = variable{array: true, keys: slices.Clone(old.keys), list: slices.Clone(old.list)}
		}
	}
	for _, element := range a.Array.Elems {
		if element.Index != nil {
			v.keys = append(v.keys, r.key(element.Index))
			v.list = append(v.list, r.text(element.Value))
			continue
		}
		for _, value := range r.words([]*syntax.Word{element.Value}) {
			v.keys = append(v.keys, decimal(len(v.list)))
			v.list = append(v.list, value)
		}
	}
	return v
}

// declaration follows export, declare, local, readonly and typeset.
func (r *reader) declaration(d *syntax.DeclClause) {
	naming := d.Variant.Value == "nameref"
	for _, arg := range d.Args {
		if arg.Name == nil { // options, or a computed assignment
			text := r.text(arg.Value)
			naming = naming || strings.HasPrefix(text, "-") && strings.Contains(text, "n")
			r.setText(text)
			continue
		}
		if arg.Naked {
			continue
		}
		if r.assigned(arg); naming {
			// A reference to another variable has, for what is asked here, its value.
			if target, ok := r.value(arg.Name.Value); ok && certain(target) {
				if v, ok := r.lookup(target); ok {
					r.set(arg.Name.Value, v)
				} else {
					r.set(arg.Name.Value, scalar(unknown))
				}
			}
		}
	}
}

// setText follows "name=value" as an argument, of export for one.
func (r *reader) setText(text string) {
	if name, value, ok := strings.Cut(text, "="); ok && isName(name) {
		r.environment(name, value)
		r.set(name, scalar(value))
	}
}

func isName(text string) bool {
	for i, c := range []byte(text) {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// declare remembers a function; a script can define one several times, and each can be the one that is called.
func (r *reader) declare(f *syntax.FuncDecl) {
	names := f.Names
	if f.Name != nil {
		names = []*syntax.Lit{f.Name}
	}
	if r.functions == nil {
		r.functions = make(map[string][]*syntax.Stmt, 2)
	}
	for _, name := range names {
		r.functions[name.Value] = append(r.functions[name.Value], f.Body)
		switch name.Value {
		case "command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd", "TRAPEXIT", "TRAPDEBUG":
			r.function(name.Value, nil, unknown)
		}
	}
}

// function follows a call of a function.
func (r *reader) function(name string, args []string, in string) (out string) {
	for _, f := range r.frames {
		if f.name != name {
			continue
		}
		if r.spawned > f.spawned {
			r.refuse(ruleBomb, []string{name}, "the function starts itself in processes of their own")
		}
		return unknown // what it does further down it did above
	}
	bodies := r.functions[name]
	r.frames = append(r.frames, frame{name, r.spawned})
	saved := r.args
	for _, body := range bodies {
		r.args = args
		out += r.statement(body, in)
	}
	r.args = saved
	r.frames = r.frames[:len(r.frames)-1]
	return out
}

// call runs what a name means: a function, an alias, a builtin of the shell, a program.
func (r *reader) call(argv []string, in string) (out string) {
	r.deeper(func() {
		if len(r.vars) > 0 || len(r.functions) > 0 {
			r.set("_", scalar(argv[len(argv)-1]))
		}
		name := argv[0]
		if _, ok := r.functions[name]; ok {
			out = r.function(name, argv[1:], in)
			return
		}
		if values, ok := r.aliases[name]; ok {
			for _, value := range values {
				text := value
				for _, arg := range argv[1:] {
					text += " " + literal(arg)
				}
				delete(r.aliases, name) // an alias is not expanded in itself
				out += r.script(text, in)
				r.aliases[name] = values
			}
			return
		}
		out = r.run(argv, in)
	})
	return out
}
