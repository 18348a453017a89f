package searchservice

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/embed"
)

// Default URLs of the embedding services.
const (
	openAIURL = "https://api.openai.com/v1"
	ollamaURL = "http://localhost:11434"
)

// embedding returns the options for semantic search, or nil if embeddings are off. Vectors are
// stored beside the index, or in a temporary directory if the index is in memory.
func (s *Service) embedding() (*search.Embedding, error) {
	c := s.loaded.Config.Embeddings
	if c.Provider == embedOff {
		return nil, nil
	}
	dir := s.kept
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "cqm-"); err != nil {
			return nil, fmt.Errorf("making a directory for vectors: %w", err)
		}
		s.temporary = dir
	}
	open, at := embed.NewOpenAI, openAIURL
	if c.Provider == embedOllama {
		open, at = embed.NewOllama, ollamaURL
	}
	embedder, err := open(embed.Options{URL: cmp.Or(c.URL, at), Key: c.Key, Model: c.Model})
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	return &search.Embedding{Embedder: embedder, Dir: filepath.Join(dir, "vectors")}, nil
}

// checkKey returns an error if the key would be sent without encryption to another machine.
func checkKey(key, address string) error {
	if key == "" || address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("embeddings.url is not a valid URL")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("embeddings.key would be sent to %s without encryption; use https", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
}
