// Package site builds a web site from the Markdown files of the repository. The pages need no scripts and load nothing from other
// sites. A dead link is an error. [Build] returns the files.
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

// Options configures Build.
type Options struct {
	Version    string
	Repository string // URL of the repository; files outside the site are linked there
}

// Files are the files of a site, by slash-separated name.
type Files map[string][]byte

// Write writes the files to a directory.
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

// page is a page of the site.
type page struct {
	source string // "docs/search.md"
	name   string // "search.html"
	doc    *document
}

// Title returns the title of the page.
func (p *page) Title() string { return p.doc.title }

// Name returns the file name of the page.
func (p *page) Name() string { return p.name }

// Reference reports whether the page is a generated reference. It belongs to the page of the same name without "-reference".
func (p *page) Reference() bool { return strings.HasSuffix(p.name, "-reference.html") }

// builder builds one site.
type builder struct {
	source fs.FS
	opts   Options
	pages  []*page
	files  Files
	faults []error
}

// Build returns the site of a repository: README.md, docs/*.md, and bench/README.md if it exists.
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

// read parses the pages.
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

// pageName returns the file name of the page for a source.
func pageName(source string) string {
	switch source {
	case "README.md":
		return "index.html"
	case "bench/README.md":
		return "bench.html"
	}
	return strings.TrimSuffix(path.Base(source), ".md") + ".html"
}

// order sorts the pages as the README links them, each followed by its reference. Pages without a link are last.
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

// write renders a page.
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
