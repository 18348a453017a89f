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

// Read returns the content of a file as the index describes it. For a changed file it must
// return an error; the file then has no uses.
type Read func(ctx context.Context, f *index.File) ([]byte, error)

// content is the data of a text that a graph needs.
type content struct {
	uses      []use
	generated bool // a program wrote the text
}

// use is a name in a file, as a number of Maps.names, with the number of its uses.
type use struct {
	name  int32
	count int32
}

// maxNames limits the cached names; above it the cache is cleared. A project of a hundred
// megabytes has some hundred thousand names.
const maxNames = 4 << 20

// references returns the names used in each file, as numbers of m.names. It reads only
// contents that are not cached; unread is the number of unreadable files. The caller must
// hold m.turn.
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
				if d, ok := m.Parsers.Definition(files[i].Language); ok {
					words.countCode(src, d.Syntax)
				} else {
					words.count(src, files[i].Language)
				}
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

// prune drops contents that no file has any more, if the cache has more than twice as many
// contents as files.
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

// remember adds the counts of a content to the cache.
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
