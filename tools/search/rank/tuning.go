package rank

import "github.com/dougu-go/dougu/tools/search/index"

// Tuning is the set of weights of a ranking. The zero value is not useful; start with
// DefaultTuning, which suits projects of code and documents.
type Tuning struct {
	// Weights are the weights of the fields; B and K1 are the other constants of BM25F.
	Weights, B [index.Fields]float64
	K1         float64

	// Stop is the weight of a stop word ("how", "the"), Whole of a complete name, Part of
	// each of its parts, and Joined of two words written as one. Form is the factor for
	// other forms of a word.
	Stop, Whole, Part, Joined, Form float64
	// Crossing is the weight of a pair of characters that contains a connecting word ("を").
	Crossing float64
	// Synonym is the weight of synonyms, and the part of a word that a piece with a synonym
	// matches.
	Synonym float64
	// Translation is the same for English translations of Japanese words.
	Translation float64
	// Rarity is the exponent of the rarity of a word, for the matched part of a query.
	Rarity float64

	// Coverage is the exponent of the matched part of the query.
	Coverage float64
	// Definition is added for the definition of a named symbol, Name for a matching
	// name or heading, File and Dir for matching names of file and directories.
	Definition, Name, File, Dir float64
	// Fit is the exponent of the part of a name or heading that the query matches.
	Fit float64
	// Gathered is added for the part of the query that all pieces of a file contain
	// together.
	Gathered float64
	// Coherence is added for other results in the same file, in proportion to their
	// quality.
	Coherence float64

	// Declared is the factor for definitions, Section for sections of documents, Rest
	// for other pieces; one value per Shape.
	Declared, Section, Rest [shapes]float64
	// Value is the factor for constants, variables and properties, Nameless for functions
	// without a name of their own.
	Value, Nameless float64
	// Test, Vendored, Generated, Example, Legacy, Types and Changes are the factors for
	// files of these kinds.
	Test, Vendored, Generated, Example, Legacy, Types, Changes float64
	// Again is the factor for each further piece of the same file, Overload for further
	// pieces with the same name.
	Again, Overload float64
	// Constructor is the factor for the constructor of a type when the query has the
	// type's name.
	Constructor float64
	// Apart is the exponent of the part of the query that is the name of a definition.
	Apart float64
}

// DefaultTuning returns the weights of the function Parse.
func DefaultTuning() Tuning {
	return Tuning{
		Weights: [index.Fields]float64{index.Name: 8, index.Signature: 2, index.Doc: 0.8, index.Body: 1, index.Path: 3},
		B:       [index.Fields]float64{index.Name: 0.5, index.Signature: 0.5, index.Doc: 0.6, index.Body: 0.6, index.Path: 1},
		K1:      1.6,

		Stop: 0.1, Whole: 3, Part: 0.5, Joined: 0.2, Form: 0.5, Crossing: 0.15, Synonym: 0.25, Translation: 0.3, Rarity: 1.5,
		Coverage: 0.6, Definition: 0.6, Name: 0.6, File: 0.25, Dir: 0.1, Fit: 0.35, Gathered: 0.1, Coherence: 0.28,

		Declared: [shapes]float64{Keywords: 1, Symbol: 1, Path: 0.9, Question: 0.82, Where: 1},
		Section:  [shapes]float64{Keywords: 1, Symbol: 0.8, Path: 0.9, Question: 0.91, Where: 0.5},
		Rest:     [shapes]float64{Keywords: 0.95, Symbol: 0.6, Path: 1, Question: 1, Where: 0.9},

		Value: 0.75, Nameless: 0.8,
		Test: 0.5, Vendored: 0.4, Generated: 0.6, Example: 0.7, Legacy: 0.7, Types: 0.8, Changes: 0.6,
		Again: 0.95, Overload: 0.9, Constructor: 0.75, Apart: 3,
	}
}
