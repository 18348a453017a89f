package index

import "time"

// Field is a part of a piece in which words are found.
type Field uint8

// The fields. Weights of a Query are by these.
const (
	Name      Field = iota // Piece.Name and Container, with words of one letter
	Signature              // Piece.Signature
	Doc                    // Piece.Doc
	Body                   // what else is Own
	Path                   // File.Path
	Fields                 // how many there are
)

// Filter leaves out files, and pieces, before anything is scored. The zero value
// leaves out none.
type Filter struct {
	// Paths are directories ("src/"), files or glob patterns ("**/*_test.go"), of
	// which a file must fit one.
	Paths []string
	// Extensions are without a dot and in lower case ("ts", "md"); Languages are
	// those of File.Language. Where both are given a file must fit one of either.
	Extensions, Languages []string
	// ModifiedAfter is the zero time for any.
	ModifiedAfter time.Time
	// Kinds are those of pieces; empty for all.
	Kinds []string
	// Exclude are paths as in Paths, of which a file must fit none.
	Exclude []string
}

// Term is something that is looked for: one or several words of package token
// that mean the same, of which the best fitting one counts.
type Term struct {
	// Words are whole words as package token makes them; one that ends with "*" is
	// the beginning of a word.
	Words []string
	// Weight multiplies what the term counts; 0 means 1.
	Weight float64
	// Required leaves out pieces without it.
	Required bool
}

// Query asks for pieces.
type Query struct {
	Terms  []Term
	Filter Filter
	// Weights are how much a word counts in each field, and B how much the length
	// of a field lowers that (BM25F). The zero values have the defaults of the Index.
	Weights, B [Fields]float64
	// K1 is how soon more of the same word counts no more. 0: 1.2.
	K1 float64
	// Limit is how many candidates are wanted, those with the highest scores. 0: 200.
	Limit int
}

// Candidate is a piece that was found.
type Candidate struct {
	File  Known
	Piece Piece // without Prints
	// Score is that of BM25F for a Query, the part of the prints that are the same
	// for a Likeness.
	Score float64
	// Matched has a bit for each of the first 64 terms: which ones the piece has.
	Matched uint64
}

// Found is the answer to a Query or Likeness.
type Found struct {
	Candidates []Candidate
	// Total is how many pieces fit, at least: an Index may stop counting.
	Total int
	// Frequencies are, for each Term, in how many pieces it is, with or without the
	// filter. Those of several words are added up, so that it is at most as many.
	Frequencies []int
}

// Likeness asks for pieces with many of the same fingerprints.
type Likeness struct {
	Prints []uint32
	Filter Filter
	// Least is the part of Prints that a candidate must have, from 0 to 1. What
	// holds the smaller part of either is compared: a piece that contains the code,
	// or that the code contains, counts as well.
	Least float64
	Limit int // 0: 50
}

// Literals is a condition on the bytes of a text: what must be in it, as known
// from a text or a regular expression that is looked for. All of All must hold,
// and, unless it is empty, one of Any. A literal is compared without regard to
// ASCII case if Fold is set. The zero value holds for every text.
type Literals struct {
	Literal string
	Fold    bool
	All     []Literals
	Any     []Literals
}

// Stats tell of an Index.
type Stats struct {
	Files, Pieces int
	// Source is the size of the files, Disk that of the index, in bytes.
	Source, Disk int64
	// Generation changes with every change of what can be found.
	Generation uint64
	// Changed is when that was.
	Changed time.Time
	// Languages are how many files there are of each.
	Languages map[string]int
}
