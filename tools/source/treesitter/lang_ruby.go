package treesitter

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func rubyGrammar() grammar {
	return grammar{language: source.Ruby, adjust: rubyChunk, imported: rubyImport}
}

// rubyChunk drops calls that declare nothing, because a query cannot compare the name of the called
// method.
func rubyChunk(src []byte, c *source.Chunk) bool {
	rubyBody(src, c)
	switch c.Kind {
	case source.Method, source.Function:
		return rubyMethod(src, c)
	case source.Property:
		return rubyAttribute(src, c)
	case source.Class:
		if src[c.Decl] == 'c' { // class X, where the others begin with their name
			return true
		}
		rubyValue(src, c)
	case source.Lambda:
		return rubyValue(src, c)
	}
	if c.Kind == source.Constant || c.Kind == source.Lambda {
		rubyHeredoc(src, c)
	}
	return true
}

// rubyBody has the body begin with a comment before its first statement, so that
// the comment is no part of the signature.
func rubyBody(src []byte, c *source.Chunk) {
	if c.Body == 0 || int(c.Body) >= len(src) || src[c.Body] == '=' {
		return
	}
	header := string(src[c.Ident:c.Body])
	for at := 1; at < len(header); at++ {
		switch header[at] {
		case '"', '\'':
			at += quoted(header[at:])
		case '#':
			if before := header[at-1]; before == ' ' || before == '\t' || before == '\n' {
				c.Body = c.Ident + int32(at)
				return
			}
		}
	}
}

// rubyMethod keeps methods, and calls with a literal as first argument that declare a method.
func rubyMethod(src []byte, c *source.Chunk) bool {
	switch first := c.Name[0]; {
	case first == '%' && len(c.Name) > 1, first == '"' && strings.Contains(c.Name, "#{"):
		return false
	case first != ':' && first != '"' && first != '\'':
		return true
	}
	called := src[c.Decl:c.Ident]
	if end := bytes.IndexAny(called, " \t("); end >= 0 {
		called = called[:end]
	}
	switch string(called) {
	case "define_method", "define_singleton_method", "alias_method", "alias":
		unquote(c)
		return c.Name != ""
	}
	return false
}

// unquote takes the colon or the quotes from a literal name.
func unquote(c *source.Chunk) {
	name := strings.TrimPrefix(c.Name, ":")
	c.Ident += int32(len(c.Name) - len(name))
	if len(name) > 1 && (name[0] == '"' || name[0] == '\'') {
		c.Ident++
		name = name[1 : len(name)-1]
	}
	c.Name = name
}

// rubyAttribute keeps a symbol if it is among the arguments of attr_accessor and
// the like, each with a range of its own.
func rubyAttribute(src []byte, c *source.Chunk) bool {
	if c.Name[0] != ':' || !rubyDeclaresAttribute(src[:c.Ident]) {
		return false
	}
	if end := c.Ident + int32(len(c.Name)); bytes.HasPrefix(bytes.TrimLeft(src[end:], " \t"), []byte(",")) {
		c.End = end
	}
	unquote(c)
	return true
}

// rubyDeclaresAttribute finds the name of the called method before the symbols that precede an
// argument.
func rubyDeclaresAttribute(before []byte) bool {
	const blanks = " \t\r\n"
	for range 100 {
		before = bytes.TrimRight(before, blanks)
		rest, found := bytes.CutSuffix(before, []byte(","))
		if !found {
			break
		}
		rest = bytes.TrimRight(rest, blanks)
		for len(rest) > 0 && (isWord(rest[len(rest)-1]) || rest[len(rest)-1] == '?') {
			rest = rest[:len(rest)-1]
		}
		if before, found = bytes.CutSuffix(rest, []byte(":")); !found {
			return false
		}
	}
	before = bytes.TrimRight(bytes.TrimSuffix(before, []byte("(")), blanks)
	start := len(before)
	for start > 0 && isWord(before[start-1]) {
		start--
	}
	switch word := string(before[start:]); word {
	case "attr", "attr_reader", "attr_writer", "attr_accessor", "class_attribute":
		return true
	default:
		return strings.HasPrefix(word, "cattr_") || strings.HasPrefix(word, "mattr_")
	}
}

// rubyValue sets the kind of an assigned name by the beginning of its value. Other values declare
// constants, or nothing.
func rubyValue(src []byte, c *source.Chunk) bool {
	value := bytes.TrimLeft(src[int(c.Ident)+len(c.Name):c.End], " \t\r\n|&=")
	switch {
	case begins(value, "->"), begins(value, "lambda"), begins(value, "proc"), begins(value, "Proc.new"):
		if c.Kind == source.Lambda || c.Body > 0 {
			c.Kind = source.Lambda
			return true
		}
	case begins(value, "Struct.new"), begins(value, "Class.new"), begins(value, "Data.define"):
		if c.Kind == source.Class {
			return true
		}
	case begins(value, "Module.new"):
		if c.Kind == source.Class {
			c.Kind = source.Module
			return true
		}
	}
	if first := c.Name[strings.LastIndexByte(c.Name, ':')+1:]; first == "" || first[0] < 'A' || first[0] > 'Z' {
		return false
	}
	c.Kind, c.Body = source.Constant, 0
	return true
}

// begins reports whether a text begins with a word.
func begins(text []byte, word string) bool {
	return bytes.HasPrefix(text, []byte(word)) && (len(text) == len(word) || !isWord(text[len(word)]) && text[len(word)] != '.' || word == "->")
}

var heredoc = regexp.MustCompile("<<([-~]?)(?:\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|([A-Za-z_]\\w*))")

// rubyHeredoc moves the end behind a heredoc that the last line opens: the grammar
// has its text after the declaration.
func rubyHeredoc(src []byte, c *source.Chunk) {
	line := max(int(c.Ident), bytes.LastIndexByte(src[:c.End], '\n')+1)
	next := bytes.IndexByte(src[c.End:], '\n')
	if next < 0 {
		return
	}
	at := int(c.End) + next + 1
	for _, m := range heredoc.FindAllSubmatch(src[line:c.End], 8) {
		word := bytes.Join(m[2:], nil)
		end := heredocEnd(src, at, word, len(m[1]) > 0)
		if end < 0 {
			return
		}
		c.End = int32(end)
		at = min(end+1, len(src))
	}
}

// heredocEnd is the end of the line that has only the word, -1 if there is none.
func heredocEnd(src []byte, at int, word []byte, indented bool) int {
	for at < len(src) {
		end := len(src)
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			end = at + n
		}
		text := bytes.TrimSuffix(src[at:end], []byte("\r"))
		stop := at + len(text)
		if indented {
			text = bytes.TrimLeft(text, " \t")
		}
		if bytes.Equal(text, word) {
			return stop
		}
		at = end + 1
	}
	return -1
}

// rubyImport returns the path that a call such as require "path" loads, or "" for other calls.
func rubyImport(call string) string {
	for _, word := range []string{"require", "require_relative", "load"} {
		rest, found := strings.CutPrefix(call, word)
		if rest = strings.TrimLeft(rest, " ("); found && len(rest) > 1 && (rest[0] == '"' || rest[0] == '\'') {
			if end := strings.IndexByte(rest[1:], rest[0]); end > 0 {
				return rest[1 : 1+end]
			}
		}
	}
	return ""
}
