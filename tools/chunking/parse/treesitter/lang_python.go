package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// In Python documentation is a string in the body, and comments after a block
// are no part of it.
func pythonGrammar() grammar {
	return grammar{language: parse.Python, adjust: pythonChunk, plainComments: true}
}

// pythonChunk knows special methods and accessors, and constants by their names.
func pythonChunk(src []byte, c *parse.Chunk) bool {
	switch c.Kind {
	case parse.Function:
		switch {
		case pythonAccessor(src[c.Decl:c.Sig]):
			c.Kind = parse.Accessor
		case c.Name == "__init__":
			c.Kind = parse.Initializer
		case c.Name == "__del__":
			c.Kind = parse.Deinitializer
		}
	case parse.Variable:
		if c.Name == strings.ToUpper(c.Name) && c.Name != strings.ToLower(c.Name) {
			c.Kind = parse.Constant
		}
	}
	return true
}

// pythonAccessor says that a decorator makes an accessor of a method.
func pythonAccessor(decorators []byte) bool {
	for line := range bytes.Lines(decorators) {
		name, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("@"))
		if !found {
			continue
		}
		name, _, _ = bytes.Cut(name, []byte("#"))
		name = bytes.TrimSpace(name)
		switch string(name[bytes.LastIndexByte(name, '.')+1:]) {
		case "property", "cached_property", "abstractproperty", "setter", "getter", "deleter":
			return true
		}
	}
	return false
}
