package pdftext

import (
	"bytes"
	"context"
)

// maxTree is how deep the tree of pages is.
const maxTree = 32

// Document is the text of a file.
type Document struct {
	Title string
	Pages []string
}

// Read reads the text of the pages of a file, of at most max bytes together: more is
// left out. When ctx ends, it answers with its error.
func Read(ctx context.Context, data []byte, max int) (Document, error) {
	f := open(ctx, data)
	if f.secret {
		return Document{}, ErrEncrypted
	}
	r := reader{file: f, max: max, seen: map[ref]bool{}}
	r.doc.Title = f.title()
	root := f.dict(f.root)
	if root["Pages"] == nil {
		root = f.dict(f.catalog)
	}
	r.tree(root["Pages"], nil, 0)
	for _, page := range f.pages { // of a tree that is broken
		if len(r.doc.Pages) == 0 || r.broken {
			r.page(page, f.dict(page), nil)
		}
	}
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	if len(r.doc.Pages) == 0 {
		return Document{}, ErrFormat
	}
	return r.doc, nil
}

// title is that of the file, if it has one (14.3.3).
func (f *file) title() string {
	s, _ := f.resolve(f.dict(f.info)["Title"]).(text)
	if bytes.HasPrefix(s, []byte("\xFE\xFF")) {
		return decodeUTF16(s)
	}
	var out []rune
	for _, c := range s {
		out = append(out, rune(c))
	}
	return string(out)
}

// reader gathers pages.
type reader struct {
	*file
	doc    Document
	max    int
	seen   map[ref]bool
	broken bool
}

// tree goes through the tree of pages (7.7.3.2).
func (r *reader) tree(o object, resources object, depth int) {
	number, _ := o.(ref)
	if depth > maxTree || len(r.doc.Pages) >= maxPages || r.max <= 0 || r.seen[number] || r.ctx.Err() != nil {
		return
	}
	r.seen[number] = true
	node := r.dict(o)
	if own := node["Resources"]; own != nil {
		resources = own
	}
	kids, ok := r.resolve(node["Kids"]).(array)
	if !ok {
		if node != nil {
			r.write(node, resources)
		}
		return
	}
	for _, kid := range kids {
		r.tree(kid, resources, depth+1)
	}
}

// page reads a page that the tree does not lead to.
func (r *reader) page(number ref, d dict, resources object) {
	if r.seen[number] || d == nil || len(r.doc.Pages) >= maxPages || r.max <= 0 {
		return
	}
	r.seen[number], r.broken = true, true
	if own := d["Resources"]; own != nil {
		resources = own
	}
	r.write(d, resources)
}

// write adds the text of a page.
func (r *reader) write(page dict, resources object) {
	var content bytes.Buffer
	for _, part := range r.list(page["Contents"]) {
		if s, ok := r.resolve(part).(*stream); ok {
			content.Write(r.unpack(s))
			content.WriteByte('\n')
		}
	}
	out := &writer{most: r.max}
	p := painter{file: r.file, out: out, state: state{ctm: identity, scale: 1}, line: identity, text: identity}
	p.paint(content.Bytes(), r.dict(resources))
	r.max -= len(out.out)
	r.doc.Pages = append(r.doc.Pages, string(out.out))
}
