// Package queries has queries with manually judged answers in repositories of fixed versions, and a measure of the quality of a
// search.
//
// The answers were judged by reading the sources. A label names a file and, unless the complete file is the answer, a text at the
// beginning of a declaration, or a heading. Its grade is 3 for the wanted result, 2 for a good answer, and 1 for a useful addition.
package queries

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed *.json
var judged embed.FS

// Query is a query with its answers.
type Query struct {
	// ID is the name of the repository and a number.
	ID   string `json:"id"`
	Repo string `json:"-"`
	Text string `json:"query"`
	// Lang is the language of the words: "en" or "ja".
	Lang string `json:"lang"`
	// Shape is one of Shapes.
	Shape    string  `json:"shape"`
	Relevant []Label `json:"relevant"`
}

// Shapes are the kinds of queries.
var Shapes = []string{"symbol", "identifier-part", "question", "phrase", "path", "japanese"}

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

// Read returns the queries in the files *.json of a directory.
func Read(files fs.FS) ([]Query, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	var all []Query
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var of struct {
			Repo    string  `json:"repo"`
			Queries []Query `json:"queries"`
		}
		if err := json.Unmarshal(content, &of); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, q := range of.Queries {
			q.Repo = of.Repo
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
	case q.Lang != "en" && q.Lang != "ja":
		return fmt.Errorf("there is no language %q", q.Lang)
	case !slices.Contains(Shapes, q.Shape):
		return fmt.Errorf("there is no shape %q", q.Shape)
	}
	for _, l := range q.Relevant {
		if l.Path == "" || l.Grade < 1 || l.Grade > 3 || l.At != "" && l.Heading != "" {
			return fmt.Errorf("a label is not right: %+v", l)
		}
	}
	return nil
}

// Half returns "dev" for queries for development, and "test" for queries for the evaluation. Ranking is tuned with the former only.
func (q *Query) Half() string {
	// The number was chosen before any ranking, so that both halves have similar shapes and repositories.
	if sha256.Sum256([]byte("11 " + q.ID))[0]&1 != 0 {
		return "test"
	}
	return "dev"
}
