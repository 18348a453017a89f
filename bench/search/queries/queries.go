// Package queries has queries for which people judged what answers them, in
// repositories of fixed versions, and the measure of how well a search does.
//
// Judged was by reading the sources. A label names a file and, unless all of it
// answers, a place in it: a text that stands where a declaration begins, or a
// heading. Its grade says how well that answers: 3 is what was looked for, 2 a good
// answer, 1 what one is glad to see beside the others.
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

// Query is a query with what answers it.
type Query struct {
	// ID is the name of the repository and a number.
	ID   string `json:"id"`
	Repo string `json:"-"`
	Text string `json:"query"`
	// Lang is that of the words: "en" or "ja".
	Lang string `json:"lang"`
	// Shape is one of Shapes.
	Shape    string  `json:"shape"`
	Relevant []Label `json:"relevant"`
}

// Shapes are the kinds of queries.
var Shapes = []string{"symbol", "identifier-part", "question", "phrase", "path", "japanese"}

// Label is something that answers a query.
type Label struct {
	Path string `json:"path"`
	// At is a text in the file. Where it stands more than once, each place answers,
	// but only one of them counts: overloads, and the same for several systems.
	At string `json:"at,omitempty"`
	// To is the end of what begins with At: a piece within it answers as well. Without
	// it only a piece that has At itself does.
	To string `json:"to,omitempty"`
	// Heading is part of the heading of a section, in place of At.
	Heading string `json:"heading,omitempty"`
	Grade   int    `json:"grade"`
}

// Load returns the queries of all repositories, sorted by them.
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

// Half says whether a query is for development, "dev", or for the verdict, "test".
// What ranks is tuned by looking at the former alone.
func (q *Query) Half() string {
	// The number was chosen so that the halves are alike in shapes and repositories,
	// before anything was ranked.
	if sha256.Sum256([]byte("11 " + q.ID))[0]&1 != 0 {
		return "test"
	}
	return "dev"
}
