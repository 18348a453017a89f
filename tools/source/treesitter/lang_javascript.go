package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func javascriptGrammar() grammar {
	return grammar{language: source.JavaScript, adjust: scriptChunk}
}

// scriptChunk recognizes constructors, the semicolons that belong to the members of a
// class, and whose member a function becomes that is assigned.
func scriptChunk(src []byte, c *source.Chunk) bool {
	if c.Kind == source.Function || c.Kind == source.Method {
		if c.Name == "constructor" {
			c.Kind = source.Initializer
		}
	}
	if c.Body == 0 || c.Kind == source.Property || c.Kind == source.Lambda {
		if int(c.End) < len(src) && src[c.End] == ';' {
			c.End++
		}
	}
	c.Name = strings.Trim(c.Name, `"'`)
	c.Container = assignedTo(c.Container)
	return c.Name != ""
}

// assignedTo returns the container of a declaration that is assigned to a member of an object: the
// object, or the type of a prototype. It returns "" for a module's exports.
func assignedTo(object string) string {
	object = strings.TrimSuffix(strings.TrimSuffix(object, ".prototype"), ".exports")
	switch object {
	case "exports", "module", "this":
		return ""
	}
	for i := range len(object) {
		if c := object[i]; !isWord(c) && c != '.' && c != '$' && c < 0x80 {
			return ""
		}
	}
	return object
}
