package index

import "time"

// Field is a part of a piece in which words are found. Weights of a Query are indexed by it.
type Field uint8

// Fields of a piece.
const (
	Name      Field = iota // Piece.Name and Container, including words of one letter
	Signature              // Piece.Signature
	Doc                    // Piece.Doc
	Body                   // the rest of Piece.Own
	Path                   // File.Path
	Fields                 // number of fields
)

// Filter excludes files and pieces before scoring. The zero value excludes none. All conditions must hold.
type Filter struct {
	// Paths are directories ("src/"), files or glob patterns ("**/*_test.go"). A file must match one of them; empty means any.
	Paths []string
	// Extensions are file extensions in lower case without a dot ("ts", "md"); Languages are values of File.Language. A file
	// must match one extension or one language.
	Extensions, Languages []string
	// ModifiedAfter excludes files that were not modified later. Zero means any.
	ModifiedAfter time.Time
	// Kinds are the accepted values of Piece.Kind; empty means all.
	Kinds []string
	// Exclude are paths as in Paths. A file that matches one is excluded.
	Exclude []string
}

// Term is one or several alternative words with the same meaning. The best matching one counts.
type Term struct {
	// Words are words as produced by package token. A word that ends with "*" is a prefix.
	Words []string
	// Weight multiplies the score of the term. 0 means 1.
	Weight float64
	// Required excludes pieces without the term.
	Required bool
}

// Query is a search by words.
type Query struct {
	Terms []Term
	// Filter excludes files and pieces.
	Filter Filter
	// Weights are the weights of a word in each field, and B the length normalization of each field (BM25F). Zero values mean
	// the defaults of the Index.
	Weights, B [Fields]float64
	// K1 is the saturation of term frequency (BM25F). 0 means 1.2.
	K1 float64
	// Limit is the maximum number of candidates, those with the highest scores. 0 means 200.
	Limit int
}

// Candidate is a found piece.
type Candidate struct {
	File  Known
	Piece Piece // without Prints
	// Score is the BM25F score for a Query, or the share of common fingerprints for a Likeness.
	Score float64
	// Matched has a bit for each of the first 64 terms that the piece contains.
	Matched uint64
}

// Found is the result of Search or Similar.
type Found struct {
	Candidates []Candidate
	// Total is the number of matching pieces, as a lower bound: an Index may stop counting.
	Total int
	// Frequencies are the document frequencies of the terms, with or without the filter. Those of alternative words are added,
	// so they are upper bounds.
	Frequencies []int
}

// Likeness is a search by fingerprints.
type Likeness struct {
	// Prints are the fingerprints to search for, ascending.
	Prints []uint32
	Filter Filter
	// Least is the minimum share of common fingerprints, from 0 to 1. The share refers to the smaller set, so that pieces that
	// contain the code, or are contained in it, match as well.
	Least float64
	Limit int // maximum number of candidates; 0 means 50
}

// Literals is a condition on the bytes of a text, derived from a literal or a regular expression. Literal must occur in the
// text, each condition in All must hold, and, unless Any is empty, one in Any. Fold compares Literal without ASCII case. The
// zero value holds for every text.
type Literals struct {
	Literal string
	Fold    bool
	All     []Literals
	Any     []Literals
}

// Stats are the size and state of an Index.
type Stats struct {
	Files, Pieces int
	// Source is the total size of the files, Disk that of the index, in bytes.
	Source, Disk int64
	// Generation changes with every change of the stored files.
	Generation uint64
	// Changed is the time of the last change.
	Changed time.Time
	// Languages are the numbers of files by language.
	Languages map[string]int
}
