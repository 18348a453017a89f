// Package embed implements semantic search: it stores embedding vectors of the pieces of an index, and finds the pieces whose
// vectors are nearest to that of a query.
//
// An [Embedder] computes vectors with a model; [NewOpenAI] and [NewOllama] use an embedding server over HTTP. A [Store] keeps
// vectors in a file, keyed by the text, so that each text is embedded once. A [Corpus] fills a Store from an index in the
// background and searches it with [Corpus.Nearest]. CorpusOptions.PerMinute can limit the requests to the model. [Fuse] merges
// the results of several searches into one ranking.
//
// Search is exact over all vectors, which are quantized to 7 bits per dimension: scores differ by less than 0.005.
package embed

import (
	"context"
	"errors"
)

// Embedder computes embedding vectors of texts. Implementations are safe for concurrent use.
type Embedder interface {
	// Embed returns one vector per text, all with the same number of dimensions. Texts that are too long for the model are cut.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model returns the name of the model. Vectors of different models are not comparable.
	Model() string
	// Dimensions returns the number of dimensions of a vector; 0 if it is not known yet.
	Dimensions() int
}

// ErrAnswer is the error of an unusable response of an embedding server: a wrong number of vectors or dimensions, or invalid
// values.
var ErrAnswer = errors.New("unusable response of the embedding server")
