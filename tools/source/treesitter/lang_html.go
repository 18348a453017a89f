package treesitter

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func htmlGrammar() grammar {
	return grammar{language: "html", adjust: htmlChunk(), added: &source.Definition{
		Extensions: []string{".html", ".htm", ".xhtml"}, Data: true,
		Syntax: source.Syntax{
			BlockComments: []source.Delimiters{{Open: "<!--", Close: "-->"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}},
		},
	}}
}

// htmlChunk returns a function that keeps scripts, styles, headings and elements with an id. A heading has its text as its name,
// another element with an id the tag and the id: "form#login".
func htmlChunk() func(src []byte, c *source.Chunk) bool {
	id := regexp.MustCompile(`\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))`)
	heading := regexp.MustCompile(`^[hH][1-6]$`)
	tag := regexp.MustCompile(`<[^>]*>`)
	return func(src []byte, c *source.Chunk) bool {
		open := src[c.Decl:c.End]
		if end := bytes.IndexByte(open, '>'); end >= 0 {
			open = open[:end]
		}
		switch {
		case heading.MatchString(c.Name):
			c.Name = strings.Join(strings.Fields(string(tag.ReplaceAll(src[c.Decl:c.End], nil))), " ")
			return c.Name != ""
		case id.Match(open):
			m := id.FindSubmatch(open)
			c.Name += "#" + string(bytes.Join(m[1:], nil))
			return true
		}
		name := strings.ToLower(c.Name)
		return name == "script" || name == "style"
	}
}
