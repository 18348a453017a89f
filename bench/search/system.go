package main

import (
	"context"

	"github.com/dougu-go/dougu/tools/search/index"
)

// wanted is the number of requested results: more than are counted, because several may be in one file.
const wanted = 50

// result is a piece, or a file if Piece is nil.
type result struct {
	path  string
	piece *index.Piece
}

// searcher is a system with an indexed tree.
type searcher interface {
	// search returns results, best first.
	search(ctx context.Context, query string) ([]result, error)
	close() error
}

// system is a search to compare.
type system struct {
	name, what string
	// files is true if it finds files instead of pieces.
	files bool
	open  func(ctx context.Context, b *bench, t *tree) (searcher, error)
}

func systems() []system {
	return []system{
		{"ours", "packages document, segment and rank, without a model", false, openDougu},
		{"tool", "searchDocuments, as a client calls it: the same with package filesystem, and what the tool does besides", false, openTool},
		{"bm25", "plain BM25 over the same pieces: words of letters, digits and _, one field with the path and the text, k1 1.2, b 0.75", false, openBM25(plainWords)},
		{baseline, "the same with identifiers and their parts, stems of Porter, and pairs of Japanese characters", false, openBM25(codeWords)},
		{"bleve", "bleve over the same pieces: standard analyser, one field with the path and the text, a match query", false, openBleve},
		{"fts5", "SQLite FTS5 over the same pieces: trigrams, one field with the path and the text, any of the words, its bm25", false, openFTSTree(ftsTrigrams)},
		{"fts5-words", "the same with its tokenizer for words, unicode61", false, openFTSTree(ftsUnicode)},
		{"fts5-ranked", "FTS5 in place of package segment: the words of package token in a column for each field, candidates by bm25, the order of package rank", false, openFTSTree(ftsTokens)},
		{"ripgrep", "rg -i -F -c for the words of the query: files with the most lines first", true, openRipgrep(byLines)},
		{"ripgrep-words", "the same, files with the most of the different words first", true, openRipgrep(byWords)},
		{"ripgrep-path", "the same, files in the order of their paths", true, openRipgrep(byPath)},
	}
}
