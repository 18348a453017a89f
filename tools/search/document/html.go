package document

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTag is the maximum length of an HTML token, in bytes.
const maxTag = 1 << 20

// page collects the text and the headings of an HTML page.
type page struct {
	text         []byte
	title        []byte
	headings     []heading
	openTag      atom.Atom // open heading or title; 0 if none
	openStart    int       // offset in text at which it starts
	skipped      atom.Atom // open element whose content is skipped
	depth        int       // nesting depth of skipped
	pre          int       // nesting depth of pre elements
	pendingSpace bool      // whether a space precedes the next text
}

// htmlText returns the visible text of an HTML page with its headings, without navigation. After a parse error it returns the
// text before it.
func htmlText(content []byte) *page {
	p := &page{text: make([]byte, 0, len(content)/2)}
	z := html.NewTokenizer(bytes.NewReader(content))
	z.SetMaxBuf(maxTag)
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			p.endHeading()
			return p
		case html.TextToken:
			if p.depth == 0 {
				p.write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			p.start(tag, kind == html.SelfClosingTagToken)
			for more && tag == atom.Img && p.depth == 0 {
				var key, value []byte
				if key, value, more = z.TagAttr(); string(key) == "alt" {
					p.write(value)
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(atom.Lookup(name))
		}
	}
}

// start handles a start tag.
func (p *page) start(tag atom.Atom, closed bool) {
	switch {
	case p.depth > 0:
		if tag == p.skipped && !closed {
			p.depth++
		}
	case isHidden(tag):
		if !closed {
			p.skipped, p.depth = tag, 1
		}
	case headingLevel(tag) > 0 || tag == atom.Title:
		p.endHeading()
		p.line()
		p.openTag, p.openStart = tag, len(p.text)
	case tag == atom.Pre:
		p.line()
		p.pre++
	case tag == atom.Td || tag == atom.Th:
		p.pendingSpace = true
	case isBlock(tag):
		p.line()
	}
}

// end handles an end tag.
func (p *page) end(tag atom.Atom) {
	switch {
	case p.depth > 0:
		if tag == p.skipped {
			p.depth--
		}
	case tag == p.openTag && tag != 0:
		p.endHeading()
	case tag == atom.Pre:
		p.pre = max(p.pre-1, 0)
		p.line()
	case isBlock(tag):
		p.line()
	}
}

// endHeading records the open heading or title.
func (p *page) endHeading() {
	if p.openTag == 0 {
		return
	}
	name := oneLine(p.text[p.openStart:])
	switch {
	case p.openTag == atom.Title:
		if p.title == nil {
			p.title = []byte(name)
		}
		p.text = p.text[:p.openStart] // the title names the page and is not part of its text
	case name != "":
		p.headings = append(p.headings, heading{at: p.openStart, level: headingLevel(p.openTag), title: name})
	}
	p.openTag = 0
	p.line()
}

// write appends text with collapsed white space, or unchanged within pre.
func (p *page) write(text []byte) {
	if p.pre > 0 {
		p.text = append(p.text, text...)
		return
	}
	for _, c := range text {
		if c == ' ' || '\t' <= c && c <= '\r' {
			p.pendingSpace = true
			continue
		}
		if p.pendingSpace && len(p.text) > 0 && p.text[len(p.text)-1] != '\n' {
			p.text = append(p.text, ' ')
		}
		p.pendingSpace = false
		p.text = append(p.text, c)
	}
}

// line ends the current line.
func (p *page) line() {
	if p.pendingSpace = false; len(p.text) > 0 && p.text[len(p.text)-1] != '\n' {
		p.text = append(p.text, '\n')
	}
}

// headingLevel returns the level of a heading element, or 0.
func headingLevel(tag atom.Atom) int {
	switch tag {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

// isHidden reports whether an element is skipped: it is invisible, or repeated on each page.
func isHidden(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Noscript, atom.Nav, atom.Footer, atom.Select, atom.Iframe, atom.Object:
		return true
	}
	return false
}

// isBlock reports whether an element starts a new line.
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Tr, atom.Table, atom.Section,
		atom.Article, atom.Header, atom.Main, atom.Aside, atom.Blockquote, atom.Figure, atom.Figcaption, atom.Hr, atom.Head,
		atom.Body, atom.Form, atom.Caption, atom.Thead, atom.Tbody, atom.Details, atom.Summary, atom.Address, atom.Option:
		return true
	}
	return false
}
