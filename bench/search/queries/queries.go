// Package queries has queries with known answers in repositories of fixed versions, and a measure of the quality of a search.
//
// There are two collections. The files of this directory were judged by reading the sources, and a hash of the identifier decides
// the half of a query. The files of the directory kinds have queries of Kinds, and all queries of a repository belong to one half.
// Their answers come from evidence in the sources, which each query names: declarations, messages, documentation comments and
// headings. No answer comes from the ranking of a search. A label names a file and, unless the complete file is the answer, a text at the
// beginning of a declaration, or a heading. Its grade is 3 for the wanted result, 2 for a good answer, and 1 for a useful addition.
package queries

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

//go:embed *.json kinds/*.json
var judged embed.FS

// Query is a query with its answers.
type Query struct {
	// ID is the name of the repository and a number.
	ID   string `json:"id"`
	Repo string `json:"-"`
	Text string `json:"query"`
	// Lang is the language of the words: "en", "ja", or "de", "es", "fr", "ko" or "zh".
	Lang string `json:"lang"`
	// Shape is one of Shapes or Kinds.
	Shape string `json:"shape"`
	// Evidence is the origin of the labels; empty for judged queries.
	Evidence string  `json:"evidence,omitempty"`
	Relevant []Label `json:"relevant"`

	half string // "dev" or "test" for queries of Kinds; empty for judged queries
}

// Shapes are the kinds of judged queries.
var Shapes = []string{"symbol", "identifier-part", "question", "phrase", "path", "japanese"}

// Kinds are the kinds of queries with evidence: a complete name, two consecutive parts of a name, a question, the place of a
// behaviour, a pasted error message, a question without the words of the code, a question in another language than the code, and
// Japanese about Japanese texts.
var Kinds = []string{"symbol", "identifier-part", "question", "where", "error-message", "other-words", "other-language", "japanese"}

var languages = []string{"en", "ja", "de", "es", "fr", "ko", "zh"}

// Label is an answer of a query.
type Label struct {
	Path string `json:"path"`
	// At is a text in the file. If it occurs several times, each occurrence is an answer, but only one counts, for example for
	// overloads.
	At string `json:"at,omitempty"`
	// To is the end of the answer that begins with At: pieces between them are answers, too. Without it only a piece that contains
	// At is an answer.
	To string `json:"to,omitempty"`
	// Heading is a part of the heading of a section, instead of At.
	Heading string `json:"heading,omitempty"`
	Grade   int    `json:"grade"`
}

// Load returns the queries of all repositories, sorted.
func Load() ([]Query, error) { return Read(judged) }

// Read returns the queries in the files *.json of a directory and of its directory kinds.
func Read(files fs.FS) ([]Query, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	kinds, err := fs.Glob(files, "kinds/*.json")
	if err != nil {
		return nil, err
	}
	names = append(names, kinds...)
	var all []Query
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var of struct {
			Repo    string  `json:"repo"`
			Half    string  `json:"half"`
			Queries []Query `json:"queries"`
		}
		if err := json.Unmarshal(content, &of); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		if inKinds := path.Dir(name) == "kinds"; inKinds != (of.Half == "dev" || of.Half == "test") {
			return nil, fmt.Errorf("%s: unexpected half %q", name, of.Half)
		}
		for _, q := range of.Queries {
			q.Repo, q.half = of.Repo, of.Half
			if err := q.valid(); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", name, q.ID, err)
			}
			all = append(all, q)
		}
	}
	return all, nil
}

func (q *Query) valid() error {
	switch {
	case q.ID == "" || q.Text == "" || len(q.Relevant) == 0:
		return fmt.Errorf("the query has no id, no text or no labels")
	case !slices.Contains(languages, q.Lang):
		return fmt.Errorf("there is no language %q", q.Lang)
	case q.HasEvidence() != (q.Evidence != ""):
		return fmt.Errorf("the evidence is %q", q.Evidence)
	case !slices.Contains(q.shapes(), q.Shape):
		return fmt.Errorf("there is no shape %q", q.Shape)
	}
	for _, l := range q.Relevant {
		if l.Path == "" || l.Grade < 1 || l.Grade > 3 || l.At != "" && l.Heading != "" {
			return fmt.Errorf("a label is not right: %+v", l)
		}
	}
	return nil
}

// HasEvidence reports whether the query is one of Kinds; other queries were judged.
func (q *Query) HasEvidence() bool { return q.half != "" }

func (q *Query) shapes() []string {
	if q.HasEvidence() {
		return Kinds
	}
	return Shapes
}

// Half returns "dev" for queries for development, and "test" for queries for the evaluation. Ranking is tuned with the former only.
func (q *Query) Half() string {
	if q.half != "" {
		return q.half
	}
	// The number was chosen before any ranking, so that both halves have similar shapes and repositories.
	if sha256.Sum256([]byte("11 " + q.ID))[0]&1 != 0 {
		return "test"
	}
	return "dev"
}
