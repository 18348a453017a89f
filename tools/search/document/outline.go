package document

import (
	"bytes"
	"regexp"
	"strings"
)

// outline returns a function that finds declarations in languages without a parser: unindented lines that begin with one of
// words.
func outline(words map[string]string) headings {
	return func(text []byte) (title string, all []heading) { return "", declarations(text, words) }
}

// declarations returns the declarations of text as headings, with their leading comments.
func declarations(text []byte, words map[string]string) (all []heading) {
	lead := -1 // start of the comment above the line
	for at, line := range textLines(text) {
		if len(line) == 0 {
			lead = -1
			continue
		}
		if bytes.IndexByte([]byte("#/;-*'\"%"), line[0]) >= 0 {
			if lead < 0 {
				lead = at
			}
			continue
		}
		kind, name := parseDeclaration(line[:min(len(line), maxName)], words)
		if name != "" {
			if lead >= 0 {
				at = lead
			}
			all = append(all, heading{at: at, level: 1, title: name, kind: kind})
		}
		lead = -1
	}
	return all
}

var (
	declaration = regexp.MustCompile(`^(?:(?:export|public|private|protected|internal|local|pub|async|static|abstract|final|default|declare|extend|open|override|inline|const)\s+)*([a-zA-Z]+)\s+"?([\pL_][\pL\pN_.$:-]*)`)
	shellName   = regexp.MustCompile(`^([A-Za-z_][\w:.-]*)\s*\(\)\s*(?:\{|$)`)
	sqlCreate   = regexp.MustCompile(`(?i)^create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|unlogged|global)\s+)*(?:table|view|function|procedure|index|trigger|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?["\[` + "`" + `]?([\pL_][\pL\pN_.]*)`)
)

// shellWords are the declaration keywords of shell-like languages, with the kind of the declaration.
var shellWords = map[string]string{"function": "function", "filter": "function", "workflow": "function", "class": "class", "enum": "enum", "sub": "function", "package": "module"}

// declarationWords are the declaration keywords of most languages, with the kind of the declaration.
var declarationWords = map[string]string{
	"function": "function", "func": "function", "fun": "function", "fn": "function", "def": "function", "defp": "function", "defn": "function",
	"sub": "function", "proc": "function", "procedure": "function", "subroutine": "function", "task": "function",
	"macro": "macro", "defmacro": "macro", "class": "class", "interface": "interface", "protocol": "interface", "trait": "interface", "service": "interface",
	"struct": "struct", "message": "struct", "record": "struct", "union": "struct", "input": "struct", "type": "struct", "newtype": "struct", "contract": "struct",
	"enum": "enum", "module": "module", "defmodule": "module", "namespace": "module", "package": "module", "library": "module",
	"resource": "section", "variable": "section", "output": "section", "provider": "section", "scalar": "section", "directive": "section",
	"mutation": "section", "query": "section", "fragment": "section",
}

// parseDeclaration returns the kind and name that a line declares, or empty strings.
func parseDeclaration(line []byte, words map[string]string) (kind, name string) {
	if c := line[0] | 0x20; (c < 'a' || c > 'z') && line[0] != '_' {
		return "", ""
	}
	if m := shellName.FindSubmatch(line); m != nil {
		return "function", string(m[1])
	}
	if m := sqlCreate.FindSubmatch(line); m != nil {
		return "struct", string(m[1])
	}
	m := declaration.FindSubmatch(line)
	if m == nil {
		return "", ""
	}
	if kind = words[strings.ToLower(string(m[1]))]; kind == "" {
		return "", ""
	}
	return kind, strings.TrimRight(string(m[2]), ".:-")
}
