package index

import "github.com/dougu-go/dougu/tools/source"

// names is the search data of the chunks of a file. Keys and heads exclude most chunks;
// the names are in the source.File or, in the format of appendNames, in text.
type names struct {
	keys   []uint64
	heads  []beginning
	places []namePosition // nil without text
	text   []byte
}

// namePosition holds the offsets of a chunk's name and container in the text of names.
// Labels follow the name. Container 0 means none; its stored length is one too large.
type namePosition struct{ name, container uint32 }

func namesOf(chunks []source.Chunk) names {
	n := names{keys: make([]uint64, len(chunks)), heads: make([]beginning, len(chunks))}
	for i := range chunks {
		n.set(i, chunks[i].Kind, chunks[i].Name)
	}
	return n
}

func (n names) set(i int, kind source.Kind, name string) {
	n.keys[i], n.heads[i] = keyOfChunk(kind, name), headOf(name)
}

// Len returns the number of chunks.
func (f *File) Len() int { return len(f.names.keys) }

// Symbol returns kind, name, labels and container of a chunk, which are in memory.
// Other fields are empty; File.Parsed has them.
func (f *File) Symbol(chunk int) source.Chunk {
	return source.Chunk{
		Kind: source.Kind(f.names.keys[chunk] >> kindShift), Name: f.name(chunk), Labels: f.labels(chunk), Container: f.container(chunk), Parent: -1,
	}
}

func (f *File) name(i int) string {
	if f.parsed != nil {
		return f.parsed.Chunks[i].Name
	}
	name, _ := textAt(f.names.text, int(f.names.places[i].name))
	return name
}

func (f *File) labels(i int) string {
	if f.parsed != nil {
		return f.parsed.Chunks[i].Labels
	}
	_, at := textAt(f.names.text, int(f.names.places[i].name))
	labels, _ := textAt(f.names.text, at)
	return labels
}

// sameContainer reports, without a look at the texts, that two chunks have the same container.
func (f *File) sameContainer(i, j int) bool {
	if f.parsed != nil {
		return i == j
	}
	return f.names.places[i].container == f.names.places[j].container
}

func (f *File) container(i int) string {
	if f.parsed != nil {
		return f.parsed.Chunks[i].Container
	}
	at := int(f.names.places[i].container)
	if at == 0 {
		return ""
	}
	n, at := numberAt(f.names.text, at)
	container, _ := textOf(f.names.text, at, int(n)-1)
	return container
}
