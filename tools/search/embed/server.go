package embed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// MaxDimensions is how many numbers a vector has at most.
const MaxDimensions = 8192

// Server is an Embedder that asks a server over HTTP.
type Server struct {
	caller
	ask        func(ctx context.Context, texts []string) ([][]float32, error)
	dimensions atomic.Int64
}

// NewOpenAI asks a server that speaks as OpenAI's does: POST /embeddings below the
// URL.
func NewOpenAI(o Options) (*Server, error) {
	s, err := newServer(o)
	if err == nil {
		s.ask = s.openAI
	}
	return s, err
}

// NewOllama asks a server that speaks as Ollama does: POST /api/embed below the URL.
func NewOllama(o Options) (*Server, error) {
	s, err := newServer(o)
	if err == nil {
		s.ask = s.ollama
	}
	return s, err
}

func newServer(o Options) (*Server, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	s := &Server{caller: c}
	s.dimensions.Store(int64(o.Dimensions))
	return s, nil
}

// Model names the model.
func (s *Server) Model() string { return s.o.Model }

// Dimensions is how many numbers a vector has; 0 before the first answer, unless
// Options ask for a number.
func (s *Server) Dimensions() int { return int(s.dimensions.Load()) }

// Embed answers with one vector for each text. The errors are those of ctx, *Error
// for what the server refuses, ErrAnswer, and those of the network.
func (s *Server) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += s.o.Batch {
		batch := make([]string, 0, s.o.Batch)
		for _, text := range texts[start:min(start+s.o.Batch, len(texts))] {
			batch = append(batch, s.cut(text))
		}
		vectors, err := s.ask(ctx, batch)
		if err != nil {
			return nil, err
		}
		if err := s.check(vectors, len(batch)); err != nil {
			return nil, fmt.Errorf("asking for embeddings: %w", err)
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// cut is a text that the server takes: not empty, valid and not too long.
func (s *Server) cut(text string) string {
	if len(text) > s.o.MaxText {
		end := s.o.MaxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return "-" // servers refuse what is empty
	}
	return text
}

// check says what is wrong with an answer.
func (s *Server) check(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return fmt.Errorf("%w: %d vectors for %d texts", ErrAnswer, len(vectors), want)
	}
	for _, v := range vectors {
		s.dimensions.CompareAndSwap(0, int64(min(len(v), MaxDimensions)))
		if len(v) == 0 || len(v) != s.Dimensions() {
			return fmt.Errorf("%w: a vector has %d dimensions, not %d", ErrAnswer, len(v), s.Dimensions())
		}
		for _, x := range v {
			if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
				return fmt.Errorf("%w: a vector has what is no number", ErrAnswer)
			}
		}
	}
	return nil
}

func (s *Server) openAI(ctx context.Context, texts []string) ([][]float32, error) {
	question := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.o.Model, texts, "float", s.o.Dimensions}
	var answer struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := s.call(ctx, "/embeddings", question, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(answer.Data))
	for i, one := range answer.Data {
		at := i
		if one.Index != nil {
			at = *one.Index
		}
		if at < 0 || at >= len(vectors) || vectors[at] != nil {
			return nil, fmt.Errorf("asking for embeddings: %w: its order is not clear", ErrAnswer)
		}
		vectors[at] = one.Embedding
	}
	return vectors, nil
}

func (s *Server) ollama(ctx context.Context, texts []string) ([][]float32, error) {
	question := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Truncate   bool     `json:"truncate"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.o.Model, texts, true, s.o.Dimensions}
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := s.call(ctx, "/api/embed", question, &answer)
	return answer.Embeddings, err
}
