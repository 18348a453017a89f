// Package grammars tests that the grammars of package treesitter are built from their sources with the same bytes.
package grammars
