package search

import (
	"context"
	"io"
	"sync"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
)

const (
	headSize    = 2 << 10 // bytes of a file that say whether a program wrote it
	maxJudgment = 20_000
)

// judgments are what is known of files: whether a program wrote them. The zero value knows nothing.
type judgments struct {
	mu    sync.Mutex
	known map[string]judgment // by path
}

type judgment struct {
	hash      [32]byte
	generated bool
}

// generated makes a function that tells whether a program wrote one of the files that were found. A file is looked into once, until
// it is indexed with another content; what cannot be read was written by somebody.
func (s *Search) generated(ctx context.Context, among []index.Candidate) func(path string) bool {
	hashes := make(map[string][32]byte)
	for _, c := range among {
		hashes[c.File.Path] = c.File.Hash
	}
	return func(path string) bool {
		j := &s.judged
		j.mu.Lock()
		known, ok := j.known[path]
		j.mu.Unlock()
		if ok && known.hash == hashes[path] {
			return known.generated
		}
		is := document.Generated(head(ctx, s.root, path))
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.known == nil || len(j.known) >= maxJudgment {
			j.known = make(map[string]judgment)
		}
		j.known[path] = judgment{hashes[path], is}
		return is
	}
}

// head is the beginning of a file, or nothing.
func head(ctx context.Context, root *security.Root, path string) []byte {
	f, err := root.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, headSize)
	n, _ := io.ReadFull(f, text) // a shorter file is one as well
	return text[:n]
}
