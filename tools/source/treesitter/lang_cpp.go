package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/cparams"
)

func cppGrammar() grammar {
	return grammar{language: source.CPP, labels: cppLabels, adjust: cppChunk}
}

// cppLabels are the types of the parameters.
func cppLabels(parameters [][]byte) string { return cparams.Labels(parameters[0]) }

// cppChunk takes a qualified name apart, and gives constructors, destructors and
// operators their kinds.
func cppChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Macro:
		endMacro(src, c)
		return true
	case source.Variable, source.Property, source.TypeAlias:
		name := c.Name
		if end := strings.IndexAny(name, "=({["); end >= 0 {
			name = name[:end]
		}
		if !strings.Contains(name, "::") {
			return cChunk(src, c)
		}
	}
	whole := c.Name
	from := lastPart(whole)
	c.Container = path(strings.TrimLeft(whole[:from], "*& "))
	c.Name = strings.TrimSpace(whole[from:])
	switch {
	case strings.HasPrefix(c.Name, "operator") && (len(c.Name) == 8 || !isIdentifier(c.Name[8])):
		return cppOperator(c, from)
	case strings.HasPrefix(c.Name, "~"):
		c.Kind, c.Name = source.Deinitializer, "~"+strings.TrimSpace(c.Name[1:])
	case c.Kind.IsCallable() && c.Container != "":
		if c.Container[strings.LastIndexByte(c.Container, '.')+1:] == c.Name {
			c.Kind = source.Initializer
		} else if c.Kind == source.Function {
			c.Kind = source.Method
		}
		c.Name = strings.TrimSpace(untilAngle(c.Name))
	case c.Kind.IsType() && !strings.ContainsAny(c.Name, "*&[("):
		c.Name = strings.TrimSpace(untilAngle(c.Name))
		if c.Body == 0 && c.Kind != source.TypeAlias && c.Kind != source.Interface {
			c.Signature = "typedef " + c.Kind.String() + " " + c.Name
		}
	default:
		if c.Kind != source.Module {
			start, end := declaredName(c.Name)
			if end == 0 {
				return false
			}
			from += start
			c.Name = c.Name[start:end]
		}
	}
	c.Ident += int32(from)
	return c.Name != "" && !(c.Kind.IsCallable() && isStatement(c.Name)) && c.Ident < c.End && (c.Body == 0 || c.Body > c.Ident)
}

// cppOperator names an operator: "operator+", "operator bool".
func cppOperator(c *source.Chunk, from int) bool {
	c.Kind = source.Operator
	name := c.Name
	if rest := strings.TrimSpace(name[8:]); rest != "" && isIdentifier(rest[0]) {
		// The parameters of a conversion are part of its node.
		name, _, _ = strings.Cut(name, "(")
	}
	c.Name = strings.Join(strings.Fields(name), " ")
	c.Ident += int32(from)
	return c.Ident < c.End
}

// lastPart is where the last part of a qualified name begins.
func lastPart(name string) int {
	depth, last := 0, 0
	for i := 0; i+1 < len(name); i++ {
		switch name[i] {
		case '<':
			depth++
		case '>':
			depth--
		case '(', '=':
			return last
		case ':':
			if name[i+1] == ':' && depth == 0 {
				last = i + 2
				i++
			}
		case 'o':
			if strings.HasPrefix(name[i:], "operator") && i == last {
				return last
			}
		}
	}
	for last < len(name) && (name[last] == ' ' || name[last] == '\n' || name[last] == '\t' || name[last] == '\r') {
		last++
	}
	return last
}

// path is a qualifier with dots and without template arguments.
func path(qualifier string) string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i < len(qualifier); i++ {
		switch qualifier[i] {
		case '<':
			depth++
		case '>':
			depth--
		case ':':
			if depth == 0 {
				if part := strings.TrimSpace(untilAngle(qualifier[from:i])); part != "" && part != "inline" {
					parts = append(parts, part)
				}
				from = i + 1
			}
		}
	}
	return strings.Join(parts, ".")
}

func untilAngle(name string) string {
	before, _, _ := strings.Cut(name, "<")
	return before
}
