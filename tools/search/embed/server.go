package embed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// MaxDimensions is the maximum number of dimensions of a vector.
const MaxDimensions = 8192

// Server is an Embedder that uses an HTTP server.
type Server struct {
	httpClient
	ask        func(ctx context.Context, texts []string) ([][]float32, error) // sends one batch, in the protocol of the server
	dimensions atomic.Int64                                                   // 0 until known
}

// NewOpenAI returns a Server that uses the OpenAI API: POST /embeddings below the URL. The error is that of invalid options.
func NewOpenAI(o Options) (*Server, error) {
	s, err := newServer(o)
	if err == nil {
		s.ask = s.embedOpenAI
	}
	return s, err
}

// NewOllama returns a Server that uses the Ollama API: POST /api/embed below the URL. The error is that of invalid options.
func NewOllama(o Options) (*Server, error) {
	s, err := newServer(o)
	if err == nil {
		s.ask = s.embedOllama
	}
	return s, err
}

func newServer(o Options) (*Server, error) {
	c, err := newHTTPClient(o)
	if err != nil {
		return nil, err
	}
	s := &Server{httpClient: c}
	s.dimensions.Store(int64(o.Dimensions))
	return s, nil
}

// Model returns Options.Model.
func (s *Server) Model() string { return s.options.Model }

// Dimensions returns the number of dimensions; 0 before the first response, unless Options.Dimensions is set.
func (s *Server) Dimensions() int { return int(s.dimensions.Load()) }

// Embed returns one vector per text. Errors are that of ctx, *Error for an error response, ErrAnswer, and network errors.
func (s *Server) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += s.options.Batch {
		batch := make([]string, 0, s.options.Batch)
		for _, text := range texts[start:min(start+s.options.Batch, len(texts))] {
			batch = append(batch, s.prepareText(text))
		}
		vectors, err := s.ask(ctx, batch)
		if err != nil {
			return nil, err
		}
		if err := s.checkVectors(vectors, len(batch)); err != nil {
			return nil, fmt.Errorf("requesting embeddings: %w", err)
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// prepareText cuts text to MaxText, and makes it valid UTF-8 and not empty.
func (s *Server) prepareText(text string) string {
	if len(text) > s.options.MaxText {
		end := s.options.MaxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return "-" // servers reject empty texts
	}
	return text
}

// checkVectors checks the number, dimensions and values of a response.
func (s *Server) checkVectors(vectors [][]float32, want int) error {
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
				return fmt.Errorf("%w: a vector contains NaN or infinity", ErrAnswer)
			}
		}
	}
	return nil
}

// embedOpenAI sends one batch to an OpenAI server.
func (s *Server) embedOpenAI(ctx context.Context, texts []string) ([][]float32, error) {
	question := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.options.Model, texts, "float", s.options.Dimensions}
	var answer struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := s.post(ctx, "/embeddings", question, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(answer.Data))
	for i, one := range answer.Data {
		at := i
		if one.Index != nil {
			at = *one.Index
		}
		if at < 0 || at >= len(vectors) || vectors[at] != nil {
			return nil, fmt.Errorf("requesting embeddings: %w: invalid order", ErrAnswer)
		}
		vectors[at] = one.Embedding
	}
	return vectors, nil
}

// embedOllama sends one batch to an Ollama server.
func (s *Server) embedOllama(ctx context.Context, texts []string) ([][]float32, error) {
	question := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Truncate   bool     `json:"truncate"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.options.Model, texts, true, s.options.Dimensions}
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := s.post(ctx, "/api/embed", question, &answer)
	return answer.Embeddings, err
}
