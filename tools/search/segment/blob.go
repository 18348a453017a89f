package segment

import (
	"hash/crc32"
	"io"
	"sync"
)

// blob is the readable content of a segment: all of it in memory, or a file with a
// cache of pages. The checksum of a page is verified before its data is used.
type blob struct {
	name    string // file name, for errors
	trailer trailer
	all     []byte // nil if the content is read from file

	file  io.ReaderAt
	mu    sync.Mutex      // guards the following fields
	pages map[int64]*page // cached pages, by number
	clock int64           // number of reads so far, for page.used
}

// page is a cached page. The page with the lowest used is replaced first.
type page struct {
	data []byte
	used int64 // blob.clock at the last read
}

// cachedPages is the maximum number of cached pages of a file.
const cachedPages = 256

// newBlob opens a segment of size bytes. If whole is true, the segment is read and verified
// now.
func newBlob(name string, r io.ReaderAt, size int64, sum uint32, whole bool) (*blob, error) {
	t, what, err := readTrailer(r, size, sum)
	if err != nil {
		return nil, err
	}
	b := &blob{name: name, trailer: t, file: r}
	if what != "" {
		return nil, b.damage(what)
	}
	if !whole {
		b.pages = make(map[int64]*page)
		return b, nil
	}
	all := make([]byte, t.end)
	if _, err := r.ReadAt(all, 0); err != nil {
		return nil, err
	}
	for i := range t.sums {
		from := int64(i) * pageSize
		if crc32.Checksum(all[from:min(from+pageSize, t.end)], castagnoli) != t.sums[i] {
			return nil, b.damage("the checksum of a page is wrong")
		}
	}
	b.all = all
	return b, nil
}

func (b *blob) damage(what string) error { return &Damage{Name: b.name, Description: what} }

// view returns a part of a section. The caller must not change it.
func (b *blob) view(s section, offset, length int64) ([]byte, error) {
	p := b.trailer.places[s]
	if offset < 0 || length < 0 || offset > p.length || length > p.length-offset {
		return nil, b.damage("it refers to data outside a section")
	}
	from := p.offset + offset
	if b.all != nil {
		return b.all[from : from+length : from+length], nil
	}
	return b.read(from, length)
}

func (b *blob) section(s section) ([]byte, error) { return b.view(s, 0, b.trailer.places[s].length) }

func (b *blob) read(from, length int64) ([]byte, error) {
	first := from / pageSize
	if length > 0 && (from+length-1)/pageSize == first {
		data, err := b.page(first)
		if err != nil {
			return nil, err
		}
		from -= first * pageSize
		return data[from : from+length : from+length], nil
	}
	out := make([]byte, 0, length)
	for int64(len(out)) < length {
		at := from + int64(len(out))
		data, err := b.page(at / pageSize)
		if err != nil {
			return nil, err
		}
		data = data[at%pageSize:]
		out = append(out, data[:min(int64(len(data)), length-int64(len(out)))]...)
	}
	return out, nil
}

// page returns a page. Reads of the file are serialized.
func (b *blob) page(n int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock++
	if p, ok := b.pages[n]; ok {
		p.used = b.clock
		return p.data, nil
	}
	from := n * pageSize
	data := make([]byte, min(pageSize, b.trailer.end-from))
	if _, err := b.file.ReadAt(data, from); err != nil {
		return nil, err
	}
	if crc32.Checksum(data, castagnoli) != b.trailer.sums[n] {
		return nil, b.damage("the checksum of a page is wrong")
	}
	if len(b.pages) >= cachedPages {
		b.evict()
	}
	b.pages[n] = &page{data, b.clock}
	return data, nil
}

// evict drops the least recently used page.
func (b *blob) evict() {
	oldest := int64(-1)
	for n, p := range b.pages {
		if oldest < 0 || p.used < b.pages[oldest].used {
			oldest = n
		}
	}
	delete(b.pages, oldest)
}
