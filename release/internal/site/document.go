package site

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// document is a parsed Markdown document.
type document struct {
	text     []byte
	root     ast.Node
	title    string
	anchors  map[string]bool
	sections []section
}

// section is an entry of a table of contents.
type section struct{ ID, Title string }

func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100)), html.WithXHTML()),
	)
}

// parse parses a document. Raw HTML is an error, because the site would omit it.
func parse(source []byte) (*document, error) {
	d := &document{text: source, anchors: make(map[string]bool)}
	d.root = markdown().Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{taken: make(map[string]int)}))))
	err := ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock, *ast.RawHTML:
			return ast.WalkStop, errors.New("it has HTML in it, which is not shown")
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			name := string(id.([]byte))
			d.anchors[name] = true
			title := plain(n, source)
			if n.Level == 1 && d.title == "" {
				d.title = title
			}
			if n.Level == 2 {
				d.sections = append(d.sections, section{name, title})
			}
		}
		return ast.WalkContinue, nil
	})
	if err == nil && d.title == "" {
		err = errors.New("it has no title")
	}
	return d, err
}

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// change replaces the destinations of links and images.
func (d *document) change(change func(destination string, image bool) string) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(change(string(n.Destination), false))
		case *ast.Image:
			n.Destination = []byte(change(string(n.Destination), true))
		}
		return ast.WalkContinue, nil
	})
}

// destinations returns the destinations of links in order.
func (d *document) destinations() []string {
	var all []string
	d.change(func(destination string, _ bool) string {
		all = append(all, destination)
		return destination
	})
	return all
}

func (d *document) html() ([]byte, error) {
	var out bytes.Buffer
	err := markdown().Renderer().Render(&out, d.text, d.root)
	return out.Bytes(), err
}

// anchors gives headings the same ids as GitHub, so that links are valid on both.
type anchors struct{ taken map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	name := b.String()
	n := a.taken[name]
	a.taken[name]++
	if n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.taken[string(value)]++ }

// blocks renders code blocks. Diagrams in text form are marked as pictures, with a label.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (b blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, b.render)
}

func (blocks) render(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := node.(*ast.FencedCodeBlock)
	language := string(block.Language(source))
	figure := language == "mermaid"
	if figure {
		w.WriteString("<figure><figcaption>Diagram, as Mermaid text</figcaption>")
	}
	if language == "" {
		w.WriteString("<pre tabindex=\"0\"><code>")
	} else {
		fmt.Fprintf(w, "<pre tabindex=\"0\"><code class=\"language-%s\">", util.EscapeHTML([]byte(language)))
	}
	lines := block.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		w.Write(util.EscapeHTML(line.Value(source)))
	}
	w.WriteString("</code></pre>")
	if figure {
		w.WriteString("</figure>")
	}
	w.WriteString("\n")
	return ast.WalkSkipChildren, nil
}
