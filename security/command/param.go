package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// parameter is what $name, ${name…} and their like become: one text, or several fields.
func (r *reader) parameter(p *syntax.ParamExp) (list []string, single bool) {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 || p.Width {
		return []string{unknown}, true
	}
	name := p.Param.Value
	if p.Length || p.IsSet || p.Names != 0 {
		return []string{inner}, true
	}
	if list, ok := r.list(name, p); ok && !p.Excl {
		return r.sliced(list, p), false
	}
	value, isSet := r.named(name, p.Index)
	if p.Excl {
		if !certain(value) {
			return []string{value}, true
		}
		value, isSet = r.named(value, nil)
	}
	switch {
	case p.Exp != nil:
		value = r.operated(name, value, isSet, p.Exp)
	case p.Slice != nil:
		value = r.cut(value, p.Slice)
	case p.Repl != nil:
		value = r.replaced(value, p.Repl)
	}
	return []string{value}, true
}

// named is the value of a parameter that is one text.
func (r *reader) named(name string, index syntax.ArithmExpr) (value string, isSet bool) {
	switch name {
	case "#", "?", "$", "!", "-":
		return inner, true
	case "*", "@":
		return strings.Join(r.args, " "), true
	}
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case n <= 0 && r.self == "":
			return "sh", true
		case n <= 0:
			return r.self, true
		case n > len(r.args):
			return "", false
		}
		return r.args[n-1], true
	}
	key := ""
	if index != nil {
		key = r.key(index)
	}
	v, ok := r.lookup(name)
	if !ok || !v.array || index == nil {
		return r.value(name)
	}
	if i := slices.Index(v.keys, key); i >= 0 {
		return v.list[i], true
	}
	if certain(key) {
		return "", false
	}
	return r.choose(v.list), true
}

// key is the subscript of an array.
func (r *reader) key(index syntax.ArithmExpr) string {
	if word, ok := index.(*syntax.Word); ok {
		text := r.text(word)
		if _, isVariable := r.vars[text]; !isVariable {
			return text
		}
	}
	if n, ok := r.arithmetic(index); ok {
		return n
	}
	return unknown
}

// list is a parameter that becomes several fields: $@, $*, ${a[@]}.
func (r *reader) list(name string, p *syntax.ParamExp) ([]string, bool) {
	if name == "@" || name == "*" {
		return r.args, true
	}
	word, ok := p.Index.(*syntax.Word)
	if !ok || (word.Lit() != "@" && word.Lit() != "*") {
		return nil, false
	}
	v, ok := r.lookup(name)
	if !ok {
		return []string{unknown}, true
	}
	if !v.array {
		return []string{r.choose(v.values)}, true
	}
	return v.list, true
}

// sliced applies ${@:from:count} to a list, and leaves what else can be asked of one open.
func (r *reader) sliced(list []string, p *syntax.ParamExp) []string {
	if p.Exp != nil || p.Repl != nil {
		out := make([]string, len(list))
		for i, value := range list {
			if p.Repl != nil {
				out[i] = r.replaced(value, p.Repl)
			} else {
				out[i] = r.operated("@", value, true, p.Exp)
			}
		}
		return out
	}
	if p.Slice == nil {
		return list
	}
	from, ok := r.number(p.Slice.Offset)
	if name := p.Param.Value; name == "@" || name == "*" {
		from = max(from-1, 0) // $0 is not in the list
	}
	if !ok || from < 0 {
		return []string{unknown}
	}
	list = list[min(from, len(list)):]
	if p.Slice.Length != nil {
		count, ok := r.number(p.Slice.Length)
		if !ok || count < 0 {
			return []string{unknown}
		}
		list = list[:min(count, len(list))]
	}
	return list
}

// cut is ${name:from:count} of a text.
func (r *reader) cut(value string, s *syntax.Slice) string {
	if !known(value) {
		if i := strings.IndexAny(value, unknowns+globs); i > 0 && s.Length != nil {
			from, _ := r.number(s.Offset)
			count, ok := r.number(s.Length)
			if ok && from >= 0 && count >= 0 && from+count <= i {
				return value[from : from+count]
			}
		}
		return taint(value)
	}
	from, ok := r.number(s.Offset)
	if from < 0 {
		from += len(value)
	}
	if !ok || from < 0 {
		return unknown
	}
	value = value[min(from, len(value)):]
	if s.Length == nil {
		return value
	}
	count, ok := r.number(s.Length)
	if count < 0 {
		count += len(value)
	}
	if !ok || count < 0 {
		return unknown
	}
	return value[:min(count, len(value))]
}

// replaced is ${name/pattern/with}.
func (r *reader) replaced(value string, p *syntax.Replace) string {
	orig, with := r.text(p.Orig), r.text(p.With)
	expr := compiled(orig, pattern.Mode(0))
	if !known(value) || !known(orig) || !known(with) || expr == nil || len(value)*(len(with)+1) > maxScript {
		return taint(value + with)
	}
	if p.All {
		return expr.ReplaceAllLiteralString(value, with)
	}
	at := expr.FindStringIndex(value)
	if at == nil {
		return value
	}
	return value[:at[0]] + with + value[at[1]:]
}

// operated is ${name:-word} and its relatives.
func (r *reader) operated(name, value string, isSet bool, e *syntax.Expansion) string {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		// What nobody sets in the script is taken to be unset: the environment is the user's, not the script's.
		if isSet && value != "" {
			return value
		}
		value = r.text(e.Word)
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			r.set(name, scalar(value))
		}
		return value
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if isSet && certain(value) && value == "" {
			return ""
		}
		if isSet && certain(value) {
			return r.text(e.Word)
		}
		return r.choose([]string{r.text(e.Word), ""})
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !isSet {
			return inner
		}
		return value
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return trimmed(value, r.text(e.Word), e.Op)
	case syntax.UpperAll, syntax.UpperFirst, syntax.LowerAll, syntax.LowerFirst:
		return cased(value, e.Op)
	case syntax.OtherParamOps:
		return transformed(value, r.text(e.Word))
	}
	return taint(value)
}

// cased is ${name^^} and its like; what is not known keeps its place.
func cased(value string, op syntax.ParExpOperator) string {
	if value == "" {
		return ""
	}
	switch op {
	case syntax.UpperAll:
		return strings.ToUpper(value)
	case syntax.LowerAll:
		return strings.ToLower(value)
	case syntax.UpperFirst:
		return strings.ToUpper(value[:1]) + value[1:]
	}
	return strings.ToLower(value[:1]) + value[1:]
}

// transformed is ${name@op}.
func transformed(value, op string) string {
	switch op {
	case "Q":
		return literal(value)
	case "U":
		return strings.ToUpper(value)
	case "L":
		return strings.ToLower(value)
	case "E":
		return unescaped(value)
	}
	return taint(value)
}

// trimmed is ${name#pattern} and its like.
func trimmed(value, glob string, op syntax.ParExpOperator) string {
	suffix := op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
	if !known(value) || !known(glob) || len(value)*len(value)*(len(glob)+1) > 1<<20 {
		return trimmedOpen(value, glob, suffix)
	}
	expr := compiled(glob, pattern.EntireString)
	if expr == nil {
		return unknown
	}
	large := op == syntax.RemLargeSuffix || op == syntax.RemLargePrefix
	for i := range len(value) + 1 {
		n := i // the length of what is taken off
		if large {
			n = len(value) - i
		}
		if suffix && expr.MatchString(value[len(value)-n:]) {
			return value[:len(value)-n]
		}
		if !suffix && expr.MatchString(value[:n]) {
			return value[n:]
		}
	}
	return value
}

// trimmedOpen is trimmed for a value that is not all known.
func trimmedOpen(value, glob string, suffix bool) string {
	short, cut := strings.CutSuffix(value, glob)
	if !suffix {
		short, cut = strings.CutPrefix(value, glob)
	}
	switch {
	case cut && !strings.ContainsAny(glob, `*?[\`):
		return short
	case glob == "*/" && !suffix:
		return value[strings.LastIndexByte(value, '/')+1:]
	case strings.ContainsAny(value, unknown+foreign):
		return taint(value)
	case suffix: // it begins as before
		return value
	}
	return inner
}

// compiled is a pattern of the shell as an expression; nil if it is none.
func compiled(glob string, mode pattern.Mode) *regexp.Regexp {
	if len(glob) > 256 {
		return nil
	}
	text, err := pattern.Regexp(glob, mode)
	if err != nil {
		return nil
	}
	expr, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return expr
}
