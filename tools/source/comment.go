package source

import "bytes"

// IsComment reports whether a text of a language begins with a comment. A language that no parser defines has the comments of C, or
// those of Python, Ruby and PHP.
func (p *Parsers) IsComment(lang Language, text []byte) bool {
	if d, ok := p.Definition(lang); ok {
		return d.Syntax.IsComment(text)
	}
	switch lang {
	case Python, Ruby:
		return bytes.HasPrefix(text, []byte("#"))
	case PHP:
		if bytes.HasPrefix(text, []byte("#")) {
			return !bytes.HasPrefix(text, []byte("#[")) // an attribute
		}
	}
	return bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("/*"))
}
