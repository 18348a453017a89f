package repomap

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Read is the content of a file, which must be that which the index describes: a
// file that has changed is left out of the references.
type Read func(ctx context.Context, f *index.File) ([]byte, error)

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

// references are the names in each file, by their numbers in m.names. It reads what
// is not known yet; unread is how many files it could not read. Only who has the
// turn may call it.
func (m *Maps) references(ctx context.Context, files []*index.File, read Read) (contents []content, unread int, err error) {
	contents = make([]content, len(files))
	if m.contents == nil || len(m.names) > maxNames {
		m.names, m.contents = make(map[string]int32), make(map[[32]byte]content)
	}
	m.prune(files)
	var missing []int
	for i, f := range files {
		known, ok := m.contents[f.Hash]
		if !ok {
			missing = append(missing, i)
		}
		contents[i] = known
	}
	var failed atomic.Int64
	var g group.Group
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(missing)) {
		g.Go(func() {
			words := newCounter()
			for i := range next {
				src, err := read(ctx, files[i])
				if err != nil {
					failed.Add(1)
					continue
				}
				words.count(src, files[i].Language)
				contents[i] = m.remember(files[i].Hash, words)
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
	return contents, int(failed.Load()), ctx.Err()
}

// prune forgets contents that no file has any more, when they are as many as
// others.
func (m *Maps) prune(files []*index.File) {
	if len(m.contents) <= 2*len(files) {
		return
	}
	current := make(map[[32]byte]content, len(files))
	for _, f := range files {
		if c, ok := m.contents[f.Hash]; ok {
			current[f.Hash] = c
		}
	}
	m.contents = current
}

// remember keeps what was counted in a content.
func (m *Maps) remember(hash [32]byte, words *counter) content {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := content{uses: make([]use, 0, len(words.counts)), generated: words.generated}
	for word, count := range words.counts {
		id, ok := m.names[word]
		if !ok {
			id = int32(len(m.names))
			m.names[word] = id
		}
		c.uses = append(c.uses, use{id, *count})
	}
	slices.SortFunc(c.uses, func(a, b use) int { return cmp.Compare(a.name, b.name) })
	m.contents[hash] = c
	return c
}
