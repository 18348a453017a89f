package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// In Python documentation is a string in the body, and comments after a block
// are no part of it.
func pythonGrammar() grammar {
	return grammar{language: source.Python, adjust: pythonChunk, plainComments: true}
}

// pythonChunk recognizes special methods and accessors, and constants by their names.
func pythonChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Function:
		switch {
		case pythonAccessor(src[c.Decl:c.Sig]):
			c.Kind = source.Accessor
		case c.Name == "__init__":
			c.Kind = source.Initializer
		case c.Name == "__del__":
			c.Kind = source.Deinitializer
		}
	case source.Variable:
		if c.Name == strings.ToUpper(c.Name) && c.Name != strings.ToLower(c.Name) {
			c.Kind = source.Constant
		}
	}
	return true
}

// pythonAccessor reports whether a decorator makes an accessor of a method.
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
