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
	mu       sync.Mutex
	names    map[string]int32
	contents map[[32]byte]content
}

// content is what a map needs to know of a text.
type content struct {
	uses      []use
	generated bool // by a program, says its beginning
}

// use is a name in a file.
type use struct {
	name  int32
	count int32
}

// maxNames bounds the names that are remembered; then all is forgotten. A project
// of a hundred megabytes has some hundred thousand.
const maxNames = 4 << 20

// references are the names in each file, with the table in which they have their
// numbers. It reads what is not known yet.
func (m *Maps) references(ctx context.Context, files []*index.File, read Read) ([]content, map[string]int32, error) {
	contents := make([]content, len(files))
	var missing []int
	m.mu.Lock()
	if m.contents == nil || len(m.names) > maxNames {
		m.names, m.contents = make(map[string]int32), make(map[[32]byte]content)
	}
	names := m.names
	for i, f := range files {
		known, ok := m.contents[f.Hash]
		if !ok {
			missing = append(missing, i)
		}
		contents[i] = known
	}
	m.mu.Unlock()

	var g group.Group
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(missing)) {
		g.Go(func() {
			words := newCounter()
			for i := range next {
				src, err := read(ctx, files[i])
				if err != nil {
					continue
				}
				words.count(src, files[i].Language)
				contents[i] = m.remember(names, files[i].Hash, words)
			}
		})
	}
	func() {
		defer close(next)
		for _, i := range missing {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	g.Wait()
	return contents, names, ctx.Err()
}

// remember keeps what was counted in a content.
func (m *Maps) remember(names map[string]int32, hash [32]byte, words *counter) content {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := content{uses: make([]use, 0, len(words.counts)), generated: words.generated}
	for word, count := range words.counts {
		id, ok := names[word]
		if !ok {
			id = int32(len(names))
			names[word] = id
		}
		c.uses = append(c.uses, use{id, *count})
	}
	slices.SortFunc(c.uses, func(a, b use) int { return cmp.Compare(a.name, b.name) })
	m.contents[hash] = c
	return c
}
