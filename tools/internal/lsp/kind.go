package lsp

import (
	"slices"
	"strings"
)

// sources are the kinds of actions on whole files that change nothing but text. Others of "source" open pages, start servers or
// switch settings.
var sources = []string{
	"source.organizeImports", "source.sortImports", "source.addMissingImports", "source.removeUnused", "source.removeUnusedImports",
	"source.fixAll", "source.generate", "source.addTest",
}

// Rewrites tells whether actions of a kind change code, and do nothing else.
func Rewrites(kind string) bool {
	return within(kind, "refactor") || slices.ContainsFunc(sources, func(s string) bool { return within(kind, s) })
}

// OfKind tells whether a kind is one of some, or below one; any is of none.
func OfKind(kind string, kinds []string) bool {
	return len(kinds) == 0 || slices.ContainsFunc(kinds, func(k string) bool { return within(kind, k) })
}

func within(kind, of string) bool { return kind == of || strings.HasPrefix(kind, of+".") }
