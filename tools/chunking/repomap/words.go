package repomap

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Read returns the content of a file as the index describes it. For a changed file it must
// return an error; the file then has no uses.
type Read func(ctx context.Context, f *index.File) ([]byte, error)

// vocabulary numbers the names of a project. It only grows, so numbers stay valid.
type vocabulary struct {
	names map[string]int32 // declared names
	texts []string         // names by number
	// qualifiers are names that stand before a dot and may tell the declaration after it:
	// types, directories and files, folded. Variables are often named after their types.
	qualifiers map[string]int32
}

// Numbers of qualifiers that are in no vocabulary.
const (
	noQualifier  = 0 // none, or of unknown meaning
	ownQualifier = 1 // the enclosing type: this, self or the receiver
	qualifiers   = 2 // the first number in a vocabulary
)

// content is the data of a text that a graph needs.
type content struct {
	uses      []use
	generated bool // a program wrote the text
}

// contentKey identifies a content. Equal texts in two languages have different declarations.
type contentKey struct {
	hash     [32]byte
	language source.Language
}

// keyOf returns the key of the content of a file.
func keyOf(f *index.File) contentKey { return contentKey{f.Hash, f.Language} }

// use is a name in a declaration, with the number of its uses there.
type use struct {
	name      int32 // in vocabulary.names
	qualifier int32 // noQualifier, ownQualifier, or a number in vocabulary.qualifiers
	owner     int32 // index of the chunk, or noChunk
	count     uint16
	how       usage
}

// noChunk is the owner of uses outside declarations.
const noChunk = -1

// usage is the form of a use, as flags.
type usage uint8

const (
	called usage = 1 << iota // a parenthesis follows
	member                   // it follows a dot
)

// maxNames limits the cached names; above it the cache is cleared. A project of a hundred
// megabytes has some hundred thousand names.
const maxNames = 4 << 20

// references returns the uses of declared names in each file. It reads only contents that
// are not cached; unread is the number of unreadable files. A cached content lacks the uses
// of names that were declared later, unless they are many. The caller must hold m.turn.
func (m *Maps) references(ctx context.Context, files []*index.File, read Read) (contents []content, unread int, err error) {
	contents = make([]content, len(files))
	if m.contents == nil || len(m.words.names) > maxNames {
		m.words, m.contents = vocabulary{names: make(map[string]int32), qualifiers: make(map[string]int32)}, make(map[contentKey]content)
	}
	before := len(m.words.names)
	m.words.add(files)
	const tolerated = 100 // names of a few edited files
	if added := len(m.words.names) - before; added > tolerated+before/10 {
		clear(m.contents)
	}
	m.prune(files)
	// Tests and third-party code are not read if the project has code of its own.
	own := slices.ContainsFunc(files, func(f *index.File) bool { return fileWeight(f.Path, false) == 1 })
	var missing []int
	for i, f := range files {
		if own && fileWeight(f.Path, false) < 1 {
			continue
		}
		known, ok := m.contents[keyOf(f)]
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
			words := newCounter(&m.words)
			for i := range next {
				src, err := read(ctx, files[i])
				if err != nil {
					failed.Add(1)
					continue
				}
				parsed, err := files[i].Parsed()
				if err != nil {
					parsed = new(source.File)
				}
				if d, ok := m.Parsers.Definition(files[i].Language); ok {
					words.countCode(src, parsed.Chunks, d.Syntax)
				} else {
					words.count(src, parsed.Chunks, files[i].Language)
				}
				contents[i] = m.remember(keyOf(files[i]), words)
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

// add adds the names of files.
func (v *vocabulary) add(files []*index.File) {
	for _, f := range files {
		for n := range f.Len() {
			c := f.Symbol(n)
			if _, ok := v.names[c.Name]; !ok && len(c.Name) >= minName && len(c.Name) <= maxName {
				v.names[c.Name] = int32(len(v.names))
				v.texts = append(v.texts, c.Name)
			}
			if c.Container != "" {
				v.qualifier(last(c.Container))
			}
		}
		v.qualifier(last(dirName(f.Path)))
		v.qualifier(baseName(f.Path))
	}
}

// qualifier returns the number of a qualifier, and adds it.
func (v *vocabulary) qualifier(text string) int32 {
	folded := string(appendFolded(nil, []byte(text)))
	n, ok := v.qualifiers[folded]
	if !ok && folded != "" {
		n = int32(qualifiers + len(v.qualifiers))
		v.qualifiers[folded] = n
	}
	return n
}

// appendFolded appends a name in lower case, without underscores and dashes.
func appendFolded(to, name []byte) []byte {
	for _, c := range name {
		switch {
		case c == '_' || c == '-':
		case 'A' <= c && c <= 'Z':
			to = append(to, c+'a'-'A')
		default:
			to = append(to, c)
		}
	}
	return to
}

// prune drops contents that no file has any more, if the cache has more than twice as many
// contents as files.
func (m *Maps) prune(files []*index.File) {
	if len(m.contents) <= 2*len(files) {
		return
	}
	current := make(map[contentKey]content, len(files))
	for _, f := range files {
		if c, ok := m.contents[keyOf(f)]; ok {
			current[keyOf(f)] = c
		}
	}
	m.contents = current
}

// remember adds the counts of a content to the cache.
func (m *Maps) remember(at contentKey, words *counter) content {
	c := content{uses: make([]use, 0, len(words.counts)), generated: words.generated}
	for key, count := range words.counts {
		c.uses = append(c.uses, use{name: key.name, qualifier: key.qualifier, owner: key.owner, how: key.how, count: uint16(min(count, 1<<16-1))})
	}
	slices.SortFunc(c.uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.name, b.name), cmp.Compare(a.qualifier, b.qualifier), cmp.Compare(a.how, b.how))
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.contents[at] = c
	return c
}
