package command

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// fields collects the arguments that words become.
type fields struct {
	r     *reader
	done  []string
	text  strings.Builder
	begun bool // the field that is collected exists, even if it is empty
	plain bool // patterns stay characters and nothing is split: an assignment, a here-document
	home  bool // a tilde can stand here
}

// words expands words to arguments.
func (r *reader) words(words []*syntax.Word) []string {
	f := fields{r: r, done: make([]string, 0, len(words))}
	for _, word := range words {
		if !r.step() {
			break
		}
		for _, parts := range r.braces(word) {
			f.word(parts)
			f.flush()
		}
	}
	return f.done
}

// text expands a word to one text, as in an assignment.
func (r *reader) text(word *syntax.Word) string {
	if word == nil || !r.step() {
		return ""
	}
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\~`) {
			return lit.Value
		}
	}
	f := fields{r: r, plain: true}
	f.word(word.Parts)
	return f.text.String()
}

func (f *fields) flush() {
	if f.begun || f.text.Len() > 0 {
		f.done = append(f.done, f.text.String())
	}
	f.text.Reset()
	f.begun = false
}

// put adds text that is neither split nor a pattern.
func (f *fields) put(text string) {
	if f.text.Len()+len(text) > maxScript {
		f.r.tooMuch("a word becomes too long")
		return
	}
	f.r.cost(text)
	f.text.WriteString(text)
}

func (f *fields) word(parts []syntax.WordPart) {
	f.home = true
	for _, part := range parts {
		f.part(part)
		f.home = false
	}
}

func (f *fields) part(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		f.lit(part.Value)
	case *syntax.SglQuoted:
		f.begun = true
		if part.Dollar {
			f.put(unescaped(part.Value))
		} else {
			f.put(part.Value)
		}
	case *syntax.DblQuoted:
		f.begun = true
		for _, p := range part.Parts {
			f.quoted(p)
		}
	case *syntax.ParamExp:
		list, single := f.r.parameter(part)
		if single {
			f.split(list[0])
			return
		}
		for i, value := range list {
			if i > 0 {
				f.flush()
			}
			f.split(value)
		}
	case *syntax.ExtGlob:
		f.put(star)
	default:
		f.split(f.r.computed(part))
	}
}

// quoted is a part within double quotes.
func (f *fields) quoted(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		f.put(unslashed(part.Value, "$`\"\\"))
	case *syntax.ParamExp:
		list, single := f.r.parameter(part)
		if single || f.plain || joins(part) {
			separator, _ := f.r.value("IFS")
			f.put(strings.Join(list, separator[:min(1, len(separator))]))
			return
		}
		for i, value := range list {
			if i > 0 {
				f.begun = true
				f.flush()
			}
			f.put(value)
		}
		f.begun = f.begun && len(list) > 0 || f.text.Len() > 0
	default:
		f.put(f.r.computed(part))
	}
}

// joins reports whether a list becomes one text within quotes: "$*", "${a[*]}".
func joins(p *syntax.ParamExp) bool {
	word, ok := p.Index.(*syntax.Word)
	return p.Param.Value == "*" || ok && word.Lit() == "*"
}

// computed is what substitutions become.
func (r *reader) computed(part syntax.WordPart) (text string) {
	switch part := part.(type) {
	case *syntax.CmdSubst:
		return r.substituted(part.Stmts)
	case *syntax.ArithmExp:
		if n, ok := r.arithmetic(part.X); ok {
			return n
		}
		return inner
	case *syntax.ProcSubst:
		return r.processFile(part)
	}
	return unknown
}

// substituted is the output of statements in $(…).
func (r *reader) substituted(stmts []*syntax.Stmt) (text string) {
	r.deeper(func() {
		saved, args := r.save(), r.args
		text = strings.TrimRight(r.statements(stmts, unknown), "\n")
		r.vars, r.args = saved, args
	})
	return text
}

// lit is unquoted text of the script.
func (f *fields) lit(text string) {
	if f.home && strings.HasPrefix(text, "~") {
		name, rest, slash := strings.Cut(text[1:], "/")
		f.put(f.r.tilde(name))
		if text = rest; slash {
			text = "/" + rest
		}
	}
	if !strings.ContainsAny(text, `\*?[~`) {
		f.put(text)
		return
	}
	for len(text) > 0 {
		i := strings.IndexAny(text, `\*?[`)
		if i < 0 {
			break
		}
		f.put(text[:i])
		text = text[i:]
		switch {
		case text[0] == '\\':
			if len(text) > 1 {
				f.put(text[1:2])
				f.begun = true
				text = text[2:]
				continue
			}
			f.put(`\`)
		case f.plain:
			f.put(text[:1])
		case text[0] == '[':
			if n := bracket(text); n > 0 {
				f.put(one)
				text = text[n:]
				continue
			}
			f.put("[")
		default:
			f.put(unquoted(text[:1]))
		}
		text = text[1:]
	}
	f.put(text)
}

// tilde is what ~name means.
func (r *reader) tilde(name string) string {
	switch name {
	case "":
		home, _ := r.value("HOME")
		return home
	case "+":
		dir, _ := r.value("PWD")
		return dir
	case "-":
		return unknown
	case "root":
		return "/root"
	}
	return "/home/" + strings.ReplaceAll(name, `\`, "")
}

// split adds a value that was expanded outside of quotes.
func (f *fields) split(value string) {
	if f.plain {
		f.put(value)
		return
	}
	separators, _ := f.r.value("IFS")
	if separators == "" || !strings.ContainsAny(value, separators) {
		f.put(unquoted(value))
		return
	}
	for value != "" {
		i := strings.IndexAny(value, separators)
		if i < 0 {
			f.put(unquoted(value))
			return
		}
		f.put(unquoted(value[:i]))
		f.flush()
		value = value[i+1:]
	}
}

// unescaped is text of $'…'.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	out, _, err := expand.Format(nil, text, nil)
	if err != nil {
		return unknown
	}
	return cleaned(out)
}

// unslashed takes the backslashes away before the characters given.
func unslashed(text, before string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(before, text[i+1]) >= 0 {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
