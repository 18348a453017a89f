// Package site makes a web site of the Markdown of the repository. Its pages need no
// script and ask nobody else for anything; a link that leads nowhere is an error.
package site

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Options say what the pages tell of the project.
type Options struct {
	Version    string
	Repository string // a URL; what is not on the site is linked there
}

// Files are the files of a site, by their names with slashes.
type Files map[string][]byte

// Write writes the files into a directory.
func (f Files) Write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, f[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

//go:embed page.html style.css
var assets embed.FS

// page is one page of the site.
type page struct {
	source string // "docs/search.md"
	name   string // "search.html"
	doc    *document
}

// Title is what the page is called.
func (p *page) Title() string { return p.doc.title }

// Name is the file of the page.
func (p *page) Name() string { return p.name }

// Reference says that the page is generated, and belongs to the one of the same
// name without it.
func (p *page) Reference() bool { return strings.HasSuffix(p.name, "-reference.html") }

// builder makes one site.
type builder struct {
	source fs.FS
	opts   Options
	pages  []*page
	files  Files
	faults []error
}

// Build makes the site of a repository: of its README, of docs/*.md, and of
// bench/README.md if there is one.
func Build(source fs.FS, opts Options) (Files, error) {
	b := &builder{source: source, opts: opts, files: make(Files)}
	if err := b.read(); err != nil {
		return nil, err
	}
	b.order()
	for _, p := range b.pages {
		b.link(p)
	}
	if err := errors.Join(b.faults...); err != nil {
		return nil, err
	}
	layout, err := template.ParseFS(assets, "page.html")
	if err != nil {
		return nil, err
	}
	for i, p := range b.pages {
		if err := b.write(layout, i, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
	}
	b.files["style.css"], err = assets.ReadFile("style.css")
	return b.files, err
}

// read finds the pages.
func (b *builder) read() error {
	names, err := fs.Glob(b.source, "docs/*.md")
	if err != nil {
		return err
	}
	if _, err := fs.Stat(b.source, "bench/README.md"); err == nil {
		names = append(names, "bench/README.md")
	}
	for _, name := range append([]string{"README.md"}, names...) {
		text, err := fs.ReadFile(b.source, name)
		if err != nil {
			return err
		}
		doc, err := parse(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.pages = append(b.pages, &page{name, pageName(name), doc})
	}
	return nil
}

// pageName is the file that a source becomes.
func pageName(source string) string {
	switch source {
	case "README.md":
		return "index.html"
	case "bench/README.md":
		return "bench.html"
	}
	return strings.TrimSuffix(path.Base(source), ".md") + ".html"
}

// order puts the pages in the order in which the README names them, each with its
// reference after it. Those that it does not name come last.
func (b *builder) order() {
	rank := map[string]int{"README.md": -1}
	for i, target := range b.pages[0].doc.destinations() {
		target, _, _ = strings.Cut(target, "#")
		if _, ok := rank[target]; !ok {
			rank[target] = i
		}
	}
	of := func(p *page) (int, string) {
		source := strings.Replace(p.source, "-reference.md", ".md", 1)
		r, ok := rank[source]
		if !ok {
			r = len(rank) + 10000
		}
		return r, p.source[:len(p.source)-len(".md")]
	}
	slices.SortFunc(b.pages, func(x, y *page) int {
		i, a := of(x)
		j, c := of(y)
		if i != j {
			return i - j
		}
		return strings.Compare(a, c)
	})
}

// write writes a page.
func (b *builder) write(layout *template.Template, i int, p *page) error {
	content, err := p.doc.html()
	if err != nil {
		return err
	}
	data := struct {
		*Options
		Page           *page
		Pages          []*page
		Content        template.HTML
		Sections       []section
		Previous, Next *page
	}{Options: &b.opts, Page: p, Pages: b.pages, Content: template.HTML(content), Sections: p.doc.sections}
	if i > 0 {
		data.Previous = b.pages[i-1]
	}
	if i+1 < len(b.pages) {
		data.Next = b.pages[i+1]
	}
	var out bytes.Buffer
	if err := layout.Execute(&out, data); err != nil {
		return err
	}
	b.files[p.name] = out.Bytes()
	return nil
}
