package repomap

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// typeIn is a type by the file that has its declaration.
type typeIn struct {
	file int32
	name string
}

// typeNear is a type by the directory in which it is declared: the methods of some
// languages may lie in other files of it.
type typeNear struct {
	dir, name string
}

// nest assigns declarations to their types, because methods of important types are
// important.
func (b *builder) nest() {
	inFile, inDir := make(map[typeIn]int32), make(map[typeNear]int32)
	at := int32(0)
	for i := range b.names {
		for _, p := range b.placesOf(i) {
			if f := b.files[p.file]; b.parsed[p.file].Chunks[p.chunk].Kind.IsType() {
				text := b.names[i].text
				b.types = append(b.types, typePlace{
					name: int32(i), place: at,
					inFile: slot(inFile, typeIn{p.file, text}, &b.slots), inDir: slot(inDir, typeNear{dir(f.Path), text}, &b.slots),
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
		if n, ok := inFile[typeIn{p.file, outer}]; ok {
			p.outer = n
		} else if n, ok := inDir[typeNear{dir(f.Path), outer}]; ok {
			p.outer = n
		} else if c.Parent >= 0 && b.parsed[p.file].Chunks[c.Parent].Kind != source.Module {
			p.outer = strangeOuter
		}
	}
}

// slot is the number of a key, which gets the next one if it has none.
func slot[K comparable](numbers map[K]int32, key K, next *int) int32 {
	n, ok := numbers[key]
	if !ok {
		n = int32(*next)
		numbers[key] = n
		*next++
	}
	return n
}

func last(container string) string { return container[strings.LastIndexByte(container, '.')+1:] }

func dir(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
