// Package embed finds text by its meaning: pieces of an index become vectors, which
// a model makes elsewhere, and the nearest vectors to that of a question are found
// here.
//
// An [Embedder] asks the model; [NewOpenAI] and [NewOllama] speak to servers. A
// [Store] keeps vectors on disk, so that nothing is asked twice. A [Corpus] fills it
// from an index in the background, as fast as the server takes it, and searches.
// [Fuse] makes one order of the results of several searches.
package embed

import (
	"context"
	"errors"
)

// Embedder makes vectors of texts. Its methods may be called at once.
type Embedder interface {
	// Embed answers with one vector for each text, all with the same number of
	// dimensions. What is too long for the model is cut.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model: vectors of two models cannot be compared.
	Model() string
	// Dimensions is how many numbers a vector has; 0 until that is known.
	Dimensions() int
}

// ErrAnswer is the error of an answer that is not what was asked for: another
// number of vectors, of dimensions, no numbers.
var ErrAnswer = errors.New("the embedding server's answer is not usable")
