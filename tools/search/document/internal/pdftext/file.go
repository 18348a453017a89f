package pdftext

import (
	"bytes"
	"context"
	"errors"
)

// Errors of Pages.
var (
	ErrFormat    = errors.New("no PDF file with pages")
	ErrEncrypted = errors.New("the PDF file is encrypted")
)

// Limits, beyond which a file is read no further.
const (
	maxObjects   = 1 << 20
	maxUnpack    = 192 << 20 // of all streams together
	maxStream    = 32 << 20
	maxPages     = 10_000
	maxParsed    = 512 << 20 // of all that is read, also again
	maxOperators = 32 << 20
)

// place is where an object is.
type place struct {
	in []byte // the file, or what an object stream holds
	at int
}

// file is a PDF file.
type file struct {
	ctx     context.Context
	data    []byte
	objects map[ref]place
	root    object
	catalog ref
	pages   []ref // in order of their place, for a file without a tree
	secret  bool
	info    object
	// What was done: bytes unpacked and read, operators.
	unpacked, parsed, operators int
	fonts                       map[ref]*font
}

// open finds the objects of a file.
func open(ctx context.Context, data []byte) *file {
	f := &file{ctx: ctx, data: data, objects: map[ref]place{}, fonts: map[ref]*font{}}
	mark := []byte("obj")
	for at := 0; len(f.objects) < maxObjects && ctx.Err() == nil; {
		i := bytes.Index(data[at:], mark)
		if i < 0 {
			break
		}
		at += i
		number, ok := numberBefore(data, at)
		if at += len(mark); !ok {
			continue
		}
		f.objects[number] = place{data, at}
		o, end := f.read(place{data, at})
		f.note(number, o)
		at = max(at, end)
	}
	f.trailers()
	return f
}

// note takes what is of use of an object: the catalog, what is encrypted, and the
// objects that lie in it.
func (f *file) note(number ref, o object) {
	switch o := o.(type) {
	case dict:
		f.noteType(number, o)
	case *stream:
		switch o.dict["Type"] {
		case name("XRef"):
			f.trailer(o.dict)
		case name("ObjStm"):
			f.within(o)
		}
	}
}

func (f *file) noteType(number ref, d dict) {
	switch d["Type"] {
	case name("Catalog"):
		f.catalog = number
	case name("Page"):
		f.pages = append(f.pages, number)
	}
}

// within finds the objects of an object stream (7.5.7).
func (f *file) within(s *stream) {
	count, _ := s.dict["N"].(float64)
	first, _ := s.dict["First"].(float64)
	if s.dict["Length"] == nil || count < 1 || first < 1 || count > maxObjects {
		return
	}
	data := f.unpack(s)
	l := lexer{data: data[:min(len(data), int(first))]}
	for range int(count) {
		number, _ := l.next()
		offset, _ := l.next()
		n, ok := number.(float64)
		at, also := offset.(float64)
		if !ok || !also || at < 0 || first+at >= float64(len(data)) || len(f.objects) >= maxObjects {
			return
		}
		p := place{data, int(first + at)}
		f.objects[ref(n)] = p
		o := f.readOnce(p)
		if d, ok := o.(dict); ok {
			f.noteType(ref(n), d)
		}
	}
}

// numberBefore is the number of the object whose mark is at a place: "12 0 obj".
func numberBefore(data []byte, at int) (ref, bool) {
	at, _, ok := digitsBefore(data, at)
	if !ok {
		return 0, false
	}
	_, n, ok := digitsBefore(data, at)
	return ref(n), ok
}

func digitsBefore(data []byte, at int) (start, n int, ok bool) {
	end := at
	for end > 0 && isSpace(data[end-1]) {
		end--
	}
	start = end
	for start > 0 && end-start < 9 && '0' <= data[start-1] && data[start-1] <= '9' {
		start--
	}
	for _, c := range data[start:end] {
		n = n*10 + int(c-'0')
	}
	return start, n, start < end
}

// trailers reads the trailers of a file without reference streams.
func (f *file) trailers() {
	mark := []byte("trailer")
	for at := 0; ; {
		i := bytes.Index(f.data[at:], mark)
		if i < 0 {
			return
		}
		at += i + len(mark)
		l := lexer{data: f.data, at: at, refs: true}
		if o, _ := l.next(); o != nil {
			if d, ok := o.(dict); ok {
				f.trailer(d)
			}
		}
	}
}

func (f *file) trailer(d dict) {
	if root := d["Root"]; root != nil {
		f.root = root
	}
	if info := d["Info"]; info != nil {
		f.info = info
	}
	f.secret = f.secret || d["Encrypt"] != nil
}

// read reads the object at a place, and where it ends.
func (f *file) read(p place) (object, int) {
	l := lexer{data: p.in, at: p.at, refs: true}
	o := l.value()
	d, ok := o.(dict)
	if !ok {
		return o, l.at
	}
	after := l.at
	if l.space(); !bytes.HasPrefix(l.data[l.at:], []byte("stream")) {
		return d, after
	}
	at := l.at + len("stream")
	if at < len(l.data) && l.data[at] == '\r' {
		at++
	}
	if at < len(l.data) && l.data[at] == '\n' {
		at++
	}
	end := at + streamLength(l.data[at:], d)
	return &stream{dict: d, raw: l.data[at:end]}, end
}

// streamLength is the length of a stream: as its dictionary says, if it ends there.
func streamLength(data []byte, d dict) int {
	mark := []byte("endstream")
	if n, ok := d["Length"].(float64); ok && n >= 0 && n <= float64(len(data)) {
		if rest := data[int(n):]; bytes.Contains(rest[:min(len(rest), 32)], mark) {
			return int(n)
		}
	}
	if n := bytes.Index(data, mark); n >= 0 {
		return n
	}
	return len(data)
}

// resolve is what an object stands for, which may be a reference to another one.
func (f *file) resolve(o object) object {
	for range 8 {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		p, ok := f.objects[r]
		if !ok {
			return nil
		}
		o = f.readOnce(p)
	}
	return nil
}

// readOnce reads the object at a place, unless too much was read already.
func (f *file) readOnce(p place) object {
	if f.parsed > maxParsed || f.ctx.Err() != nil {
		return nil
	}
	o, end := f.read(p)
	f.parsed += end - p.at
	return o
}

// dict is an object as a dictionary, which may be that of a stream. It may be nil.
func (f *file) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

func (f *file) array(o object) array {
	a, _ := f.resolve(o).(array)
	return a
}

func (f *file) number(o object) float64 {
	n, _ := f.resolve(o).(float64)
	return n
}
