package index

import "github.com/dougu-go/dougu/tools/source"

// names are what searches look at of the chunks of a file. Most chunks are turned
// down by their keys and heads. The names themselves are those of the source.File,
// or lie in text, in the form of appendNames.
type names struct {
	keys   []uint64
	heads  []beginning
	places []namePosition // nil if there is no text
	text   []byte
}

// namePosition says where in the text of names the name of a chunk lies, which its
// labels follow, and where its container, if that is not 0. A length stands before
// each: of a container one more than it has.
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

// Len is the number of chunks.
func (f *File) Len() int { return len(f.names.keys) }

// Symbol is what is known at once of a chunk: its kind, name, labels and container.
// The rest of it is in File.Parsed.
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
