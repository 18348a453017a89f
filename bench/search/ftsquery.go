package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// ftsSearcher searches a tree.
type ftsSearcher struct {
	*ftsIndex
	tree *tree
}

func (s *ftsSearcher) search(ctx context.Context, query string) ([]result, error) {
	found, err := s.ranked(ctx, query, wanted, func(path string) bool {
		text := s.tree.files[path].Text
		return document.Generated(text[:min(len(text), 16<<10)])
	})
	if err != nil {
		return nil, err
	}
	results := make([]result, len(found))
	for i := range found {
		results[i] = result{found[i].File.Path, &found[i].Piece}
	}
	return results, nil
}

// ranked returns the best pieces for a query: by bm25 of FTS5 alone, or with the words of package token, as package rank orders the
// best 200 candidates.
func (ix *ftsIndex) ranked(ctx context.Context, query string, limit int, generated func(path string) bool) ([]rank.Result, error) {
	if ix.layout != ftsTokens {
		found, err := ix.match(ctx, query, limit)
		results := make([]rank.Result, len(found))
		for i := range found {
			results[i].Candidate = found[i]
		}
		return results, err
	}
	q := rank.Parse(query)
	found, err := ix.candidates(ctx, q.Index(index.Filter{}, 0))
	if err != nil {
		return nil, err
	}
	return rank.Order(q, found, rank.Options{Limit: limit, Generated: generated}), nil
}

// columnsOf are the columns of a candidate in the tables p and f.
const columnsOf = `f.path, f.size, f.modified, f.language, f.version, p.kind, p.name, p.container, p.signature, p.first, p.last, p.spans`

// match returns pieces with any of the words of a query.
func (ix *ftsIndex) match(ctx context.Context, query string, limit int) ([]index.Candidate, error) {
	var words []string
	if ix.layout == ftsTrigrams {
		words = trigramWords(query)
	} else {
		words = strings.FieldsFunc(query, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		})
	}
	if len(words) == 0 {
		return nil, nil
	}
	found, err := ix.rows(ctx, `SELECT `+columnsOf+`, -c.rank, 0 FROM (SELECT rowid AS id, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?) c
		JOIN pieces p ON p.id = c.id JOIN files f ON f.id = p.file ORDER BY c.rank, p.id`, anyOf(words), limit)
	return found, err
}

// trigramWords returns the parts of a query that trigrams can find: words of at least three characters, and each three adjacent
// characters of Japanese or Chinese text. Shorter words are omitted.
func trigramWords(query string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(query, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		characters := []rune(strings.Trim(word, "."))
		switch {
		case len(characters) < 3:
		case slices.ContainsFunc(characters, isCJK):
			for i := range len(characters) - 2 {
				words = append(words, string(characters[i:i+3]))
			}
		default:
			words = append(words, string(characters))
		}
	}
	return words
}

func isCJK(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// anyOf returns an FTS5 expression for texts with at least one of the words. A word that ends with "*" is a prefix.
func anyOf(words []string) string {
	terms := make([]string, len(words))
	for i, word := range words {
		start, isStart := strings.CutSuffix(word, "*")
		terms[i] = quoted(start)
		if isStart {
			terms[i] += " *"
		}
	}
	return strings.Join(terms, " OR ")
}

func quoted(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// candidates returns the same as Search of an index.Index: each term with its weight, and its occurrence in each piece.
func (ix *ftsIndex) candidates(ctx context.Context, q index.Query) (index.Found, error) {
	var found index.Found
	if len(q.Terms) == 0 {
		return found, nil
	}
	var terms []string
	var args []any
	required := int64(0)
	bm25 := fmt.Sprintf("bm25(%g, %g, %g, %g, %g)", q.Weights[index.Name], q.Weights[index.Signature], q.Weights[index.Doc], q.Weights[index.Body], q.Weights[index.Path])
	for i, t := range q.Terms {
		weight := t.Weight
		if weight == 0 {
			weight = 1
		}
		if t.Required {
			required |= 1 << i
		}
		terms = append(terms, `SELECT rowid AS id, -? * rank AS score, ? AS bit FROM texts WHERE texts MATCH ? AND rank MATCH ?`)
		args = append(args, weight, int64(1)<<i, anyOf(t.Words), bm25)
		n, err := ix.frequency(ctx, t.Words)
		if err != nil {
			return found, err
		}
		found.Frequencies = append(found.Frequencies, n)
	}
	limit := q.Limit
	if limit == 0 {
		limit = 200
	}
	args = append(args, required, required, limit)
	var err error
	found.Candidates, err = ix.rows(ctx, `SELECT `+columnsOf+`, c.score, c.bits FROM (
			SELECT id, sum(score) AS score, sum(bit) AS bits FROM (`+strings.Join(terms, ` UNION ALL `)+`) GROUP BY id HAVING sum(bit) & ? = ? ORDER BY 2 DESC LIMIT ?) c
		JOIN pieces p ON p.id = c.id JOIN files f ON f.id = p.file ORDER BY c.score DESC, p.id`, args...)
	found.Total = len(found.Candidates)
	return found, err
}

// frequency returns the number of pieces that contain the words. A piece with several of them counts several times.
func (ix *ftsIndex) frequency(ctx context.Context, words []string) (n int, err error) {
	for _, word := range words {
		var one int
		if start, isStart := strings.CutSuffix(word, "*"); isStart {
			err = ix.db.QueryRowContext(ctx, `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term >= ? AND term < ?`, start, start+"\U0010FFFF").Scan(&one)
		} else {
			err = ix.db.QueryRowContext(ctx, `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term = ?`, word).Scan(&one)
		}
		if err != nil {
			return 0, err
		}
		n += one
	}
	return n, nil
}

// rows reads candidates.
func (ix *ftsIndex) rows(ctx context.Context, query string, args ...any) (all []index.Candidate, err error) {
	rows, err := ix.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c index.Candidate
		var modified, matched int64
		var spans sql.RawBytes
		if err := rows.Scan(&c.File.Path, &c.File.Size, &modified, &c.File.Language, &c.File.Version,
			&c.Piece.Kind, &c.Piece.Name, &c.Piece.Container, &c.Piece.Signature, &c.Piece.StartLine, &c.Piece.EndLine, &spans, &c.Score, &matched); err != nil {
			return nil, err
		}
		c.File.ModTime, c.Matched = modTime(modified), uint64(matched)
		readSpans(&c.Piece, spans)
		all = append(all, c)
	}
	return all, rows.Err()
}

// containing returns the paths of files that may contain a text. It returns none for fewer than three characters, which trigrams
// cannot find.
func (ix *ftsIndex) containing(ctx context.Context, text string) (paths []string, err error) {
	characters := []rune(text)
	if len(characters) < 3 {
		return nil, nil
	}
	query, match := `SELECT path FROM files WHERE id IN (SELECT rowid FROM trigrams WHERE trigrams MATCH ?) ORDER BY path`, ""
	if ix.layout == ftsTrigrams {
		query, match = `SELECT path FROM files WHERE id IN (SELECT file FROM pieces WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH ?)) ORDER BY path`, quoted(text)
	} else {
		var all []string
		for i := range len(characters) - 2 {
			all = append(all, quoted(string(characters[i:i+3])))
		}
		match = strings.Join(all, " AND ")
	}
	rows, err := ix.db.QueryContext(ctx, query, match)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, rows.Err()
}
