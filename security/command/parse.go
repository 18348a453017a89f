package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a script. What sh reads is a part of what bash reads.
func parse(text, shell string) (*syntax.File, error) {
	if openers(text) > maxOpeners {
		return nil, errTooDeep
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err == nil || shell != "zsh" && shell != "mksh" && shell != "ksh" {
		return file, err
	}
	variant := syntax.LangZsh
	if shell != "zsh" {
		variant = syntax.LangMirBSDKorn
	}
	return syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
}

type parseError string

func (e parseError) Error() string { return string(e) }

const errTooDeep parseError = "it has too many brackets"

// openers counts what a parser may have to keep in mind.
func openers(text string) int {
	n := 0
	for _, c := range []byte(text) {
		switch c {
		case '(', '{', '`', '[', '!', '~', '-':
			n++
		}
	}
	for _, word := range []string{"if", "while", "until", "case", "for", "time", "function", "coproc", "<<"} {
		n += strings.Count(text, word)
	}
	return n
}

// allText is a word in all the ways that it can come out.
func (r *reader) allText(word *syntax.Word) string {
	texts := alternatives(r, func() string { return r.text(word) })
	return strings.Join(slices.Compact(texts), "\n")
}

// unparsed looks at a script that is none, as far as this package can tell: the shell may see it otherwise.
func (r *reader) unparsed(text string, err error) {
	if err == errTooDeep {
		r.tooMuch(err.Error())
		return
	}
	r.doubt([]string{firstLine(text)}, "the script cannot be parsed: %s", clip(err.Error()))
	if len(r.policy.Allowed) > 0 {
		r.refuse(ruleAllowed, []string{firstLine(text)}, "the script cannot be parsed: %s", clip(err.Error()))
	}
	for _, danger := range dangers() {
		if expr, err := regexp.Compile(danger); err == nil && expr.MatchString(text) {
			r.refuse(ruleDelete, []string{firstLine(text)}, "it looks like one of the dangerous commands, and the script cannot be parsed")
			return
		}
	}
}

// dangers are what is looked for in a text that cannot be parsed.
func dangers() []string {
	return []string{`\brm\s+(-\w+\s+)*-\w*[rR]\w*\s+(-\w+\s+)*["']?[/~]`, `(?i)\bformat\s+[a-z]:`, `(?i)\bdel\s+/[fs]\s+/[qs]`, `\bmkfs`, `\bdd\s+if=`,
		`:\(\)\s*\{\s*:\s*\|\s*:`, `\bsudo\s+rm\b`, `>\s*/dev/sd[a-z]`}
}
