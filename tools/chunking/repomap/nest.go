package repomap

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// fileType is the key of a type by its file.
type fileType struct {
	file int32
	name string
}

// dirType is the key of a type by the directory of its file. Some languages allow methods
// in other files of the directory.
type dirType struct {
	dir, name string
}

// nest assigns declarations to their enclosing types, because members of important types
// are important.
func (b *builder) nest() {
	inFile, inDir := make(map[fileType]int32), make(map[dirType]int32)
	at := int32(0)
	for i := range b.names {
		for _, p := range b.placesOf(i) {
			if f := b.files[p.file]; b.parsed[p.file].Chunks[p.chunk].Kind.IsType() {
				text := b.names[i].text
				b.types = append(b.types, typePlace{
					name: int32(i), place: at,
					inFile: slot(inFile, fileType{p.file, text}, &b.slots), inDir: slot(inDir, dirType{dir(f.Path), text}, &b.slots),
				})
			}
			at++
		}
	}
	for i := range b.places {
		p := &b.places[i]
		f := b.files[p.file]
		c := &b.parsed[p.file].Chunks[p.chunk]
		if c.Container == "" {
			continue
		}
		outer := last(c.Container)
		if n, ok := inFile[fileType{p.file, outer}]; ok {
			p.outer = n
		} else if n, ok := inDir[dirType{dir(f.Path), outer}]; ok {
			p.outer = n
		} else if c.Parent >= 0 && b.parsed[p.file].Chunks[c.Parent].Kind != source.Module {
			p.outer = strangeOuter
		}
	}
}

// slot returns the number of a key, and assigns the next number to a new key.
func slot[K comparable](numbers map[K]int32, key K, next *int) int32 {
	n, ok := numbers[key]
	if !ok {
		n = int32(*next)
		numbers[key] = n
		*next++
	}
	return n
}

// last returns the part of a qualified name after the last dot.
func last(container string) string { return container[strings.LastIndexByte(container, '.')+1:] }

// dir returns the directory of a path, with its slash; "" for the root.
func dir(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
