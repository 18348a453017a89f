package document

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTag is how long one element or text of a page may be.
const maxTag = 1 << 20

// page reads the text of a web page.
type page struct {
	text     []byte
	title    []byte
	headings []heading
	within   atom.Atom // the heading or title that is open
	from     int       // where that began
	skipped  atom.Atom // what is open and not shown
	depth    int       // how often
	pre      int
	gap      bool // a blank is due
}

// extract answers the text of a web page with its headings, without what a browser
// does not show, and without navigation. A page that cannot be read is read up to
// there.
func extract(content []byte) *page {
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

// start takes the beginning of an element.
func (p *page) start(tag atom.Atom, closed bool) {
	switch {
	case p.depth > 0:
		if tag == p.skipped && !closed {
			p.depth++
		}
	case hidden(tag):
		if !closed {
			p.skipped, p.depth = tag, 1
		}
	case level(tag) > 0 || tag == atom.Title:
		p.endHeading()
		p.line()
		p.within, p.from = tag, len(p.text)
	case tag == atom.Pre:
		p.line()
		p.pre++
	case tag == atom.Td || tag == atom.Th:
		p.gap = true
	case block(tag):
		p.line()
	}
}

// end takes the end of an element.
func (p *page) end(tag atom.Atom) {
	switch {
	case p.depth > 0:
		if tag == p.skipped {
			p.depth--
		}
	case tag == p.within && tag != 0:
		p.endHeading()
	case tag == atom.Pre:
		p.pre = max(p.pre-1, 0)
		p.line()
	case block(tag):
		p.line()
	}
}

// endHeading notes the heading that was open.
func (p *page) endHeading() {
	if p.within == 0 {
		return
	}
	name := oneLine(p.text[p.from:])
	switch {
	case p.within == atom.Title:
		if p.title == nil {
			p.title = []byte(name)
		}
		p.text = p.text[:p.from] // it is the name of the page
	case name != "":
		p.headings = append(p.headings, heading{at: p.from, level: level(p.within), title: name})
	}
	p.within = 0
	p.line()
}

// write adds text with a blank for all that is white.
func (p *page) write(text []byte) {
	if p.pre > 0 {
		p.text = append(p.text, text...)
		return
	}
	for _, c := range text {
		if c == ' ' || '\t' <= c && c <= '\r' {
			p.gap = true
			continue
		}
		if p.gap && len(p.text) > 0 && p.text[len(p.text)-1] != '\n' {
			p.text = append(p.text, ' ')
		}
		p.gap = false
		p.text = append(p.text, c)
	}
}

// line ends the line that was begun.
func (p *page) line() {
	if p.gap = false; len(p.text) > 0 && p.text[len(p.text)-1] != '\n' {
		p.text = append(p.text, '\n')
	}
}

// level is that of a heading, or 0.
func level(tag atom.Atom) int {
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

// hidden says that an element is not read: it is not shown, or the same on each page.
func hidden(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Noscript, atom.Nav, atom.Footer, atom.Select, atom.Iframe, atom.Object:
		return true
	}
	return false
}

// block says that an element stands in lines of its own.
func block(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Tr, atom.Table, atom.Section,
		atom.Article, atom.Header, atom.Main, atom.Aside, atom.Blockquote, atom.Figure, atom.Figcaption, atom.Hr, atom.Head,
		atom.Body, atom.Form, atom.Caption, atom.Thead, atom.Tbody, atom.Details, atom.Summary, atom.Address, atom.Option:
		return true
	}
	return false
}
