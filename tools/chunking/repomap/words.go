package repomap

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Read is the content of a file, which must be that which the index describes: a
// file that has changed is left out of the references.
type Read func(ctx context.Context, f *index.File) ([]byte, error)

// Maps draws maps. It remembers which names each content uses, so that only what
// has changed is read again. The zero value is ready for use, by any number of
// goroutines.
type Maps struct {
	mu    sync.Mutex
	names map[string]int32
	uses  map[[32]byte][]use
}

// use is a name in a file.
type use struct {
	name  int32
	count int32
}

// maxNames bounds the names that are remembered; then all is forgotten. A project
// of a hundred megabytes has some hundred thousand.
const maxNames = 4 << 20

// references are the uses of each file. It reads what is not known yet.
func (m *Maps) references(ctx context.Context, files []*index.File, read Read) ([][]use, error) {
	uses := make([][]use, len(files))
	var missing []int
	m.mu.Lock()
	if m.uses == nil || len(m.names) > maxNames {
		m.names, m.uses = make(map[string]int32), make(map[[32]byte][]use)
	}
	for i, f := range files {
		known, ok := m.uses[f.Hash]
		if !ok {
			missing = append(missing, i)
		}
		uses[i] = known
	}
	m.mu.Unlock()

	var g group.Group
	var next, failed = make(chan int), make(chan error, 1)
	for range min(runtime.GOMAXPROCS(0), len(missing)) {
		g.Go(func() {
			words := newCounter()
			for i := range next {
				src, err := read(ctx, files[i])
				if err != nil {
					continue
				}
				words.count(src)
				uses[i] = m.remember(files[i].Hash, words)
			}
		})
	}
	for _, i := range missing {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
			failed <- ctx.Err()
		}
		break
	}
	close(next)
	g.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return uses, nil
	}
}

// remember keeps what was counted in a content.
func (m *Maps) remember(hash [32]byte, words *counter) []use {
	m.mu.Lock()
	defer m.mu.Unlock()
	uses := make([]use, 0, len(words.counts))
	for word, count := range words.counts {
		id, ok := m.names[word]
		if !ok {
			id = int32(len(m.names))
			m.names[word] = id
		}
		uses = append(uses, use{id, *count})
	}
	slices.SortFunc(uses, func(a, b use) int { return cmp.Compare(a.name, b.name) })
	m.uses[hash] = uses
	return uses
}

// counter counts the words of one text after the other.
type counter struct {
	counts map[string]*int32
}

func newCounter() *counter { return &counter{counts: make(map[string]*int32)} }

// Names shorter than this say nothing, and longer ones are no names.
const (
	minName = 2
	maxName = 100
)

// count counts the words of a text that can be names. Those in comments and
// strings count too: who writes about a function refers to it.
func (c *counter) count(src []byte) {
	clear(c.counts)
	for at := 0; at < len(src); {
		if !letter[src[at]] {
			at++
			continue
		}
		start := at
		for at < len(src) && (letter[src[at]] || '0' <= src[at] && src[at] <= '9') {
			at++
		}
		if start > 0 && '0' <= src[start-1] && src[start-1] <= '9' || at-start < minName || at-start > maxName {
			continue
		}
		if n, ok := c.counts[string(src[start:at])]; ok {
			*n++
		} else {
			c.counts[string(src[start:at])] = new(int32(1))
		}
	}
}

var letter = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
	}
	return is
}()
