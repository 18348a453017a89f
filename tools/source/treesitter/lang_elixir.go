package treesitter

import (
	"bytes"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

func elixirGrammar() grammar {
	return grammar{
		language: "elixir", adjust: elixirChunk, isAttribute: elixirAttribute, joined: true,
		requires: []string{"use", "import", "alias", "require"},
		isCall: func(name string) bool {
			return elixirDefinition(name) == source.Invalid && !slices.Contains([]string{"use", "import", "alias", "require", "moduledoc", "doc", "spec", "type", "impl", "defstruct"}, name)
		},
		added: &source.Definition{
			Aliases: []string{"ex"}, Extensions: []string{".ex", ".exs"}, Interpreters: []string{"elixir"},
			Signs: []string{"def ", "do\n", "end\n", "|> ", "defmodule ", "%{", "fn ", "@doc", "@spec", "defp "},
			Syntax: source.Syntax{
				LineComments: []string{"#"},
				Strings:      []source.Delimiters{{Open: `"""`, Close: `"""`, Raw: true}, {Open: `"`, Close: `"`}, {Open: "'", Close: "'"}},
				Keywords: []string{
					"after", "alias", "and", "case", "catch", "cond", "def", "defmacro", "defmodule", "defp", "defstruct", "do", "else", "end",
					"false", "fn", "for", "if", "import", "in", "nil", "not", "or", "quote", "raise", "receive", "require", "rescue", "true",
					"try", "unless", "use", "when", "with",
				},
			},
		},
	}
}

// elixirDefinition returns the kind of declaration that a macro makes, or source.Invalid.
func elixirDefinition(word string) source.Kind {
	switch word {
	case "defmodule":
		return source.Module
	case "defprotocol":
		return source.Interface
	case "defimpl":
		return source.Extension
	case "def", "defp", "defdelegate", "test":
		return source.Function
	case "defmacro", "defmacrop", "defguard", "defguardp":
		return source.Macro
	}
	return source.Invalid
}

// elixirChunk keeps the calls and attributes that declare something: a query cannot compare the name of a call.
func elixirChunk(src []byte, c *source.Chunk) bool {
	if src[c.Sig] == '@' {
		switch name := elixirWord(src[c.Sig+1:]); c.Kind {
		case source.TypeAlias:
			return slices.Contains([]string{"type", "typep", "opaque"}, name)
		case source.Constant:
			return !elixirAttribute(src[c.Sig:]) && !slices.Contains([]string{"moduledoc", "typedoc", "type", "typep", "opaque", "callback"}, name)
		}
		return false
	}
	kind := elixirDefinition(elixirWord(src[c.Sig:]))
	isModule := kind == source.Module || kind == source.Interface || kind == source.Extension
	if kind == source.Invalid || c.Name == "when" || isModule != (c.Kind == source.Module) {
		return false
	}
	c.Kind = kind
	return true
}

// elixirAttribute reports whether an attribute describes the function that follows it.
func elixirAttribute(text []byte) bool {
	switch elixirWord(bytes.TrimPrefix(text, []byte("@"))) {
	case "doc", "spec", "impl", "deprecated", "since", "dialyzer", "tag":
		return true
	}
	return false
}

// elixirWord returns the name that a text begins with.
func elixirWord(text []byte) string {
	end := 0
	for end < len(text) && isIdentifier(text[end]) {
		end++
	}
	return string(text[:end])
}
