package mcpheader

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

const (
	annotation  = "x-mcp-header"
	paramPrefix = "Mcp-Param-"
)

// Param is a parameter of a tool that a header repeats.
type Param struct {
	Header string   // as net/http spells it, such as "Mcp-Param-Region"
	Path   []string // of the property, from the root of the arguments
}

// Params are the header parameters of one tool.
type Params []Param

// Compile returns the parameters that the input schema of a tool marks with x-mcp-header. An error means that the
// tool is invalid: a client must not offer it ("Schema Extension").
func Compile(inputSchema []byte) (Params, error) {
	if !bytes.Contains(inputSchema, []byte(annotation)) && !bytes.Contains(inputSchema, []byte(`\u`)) {
		return nil, nil
	}
	var c compiler
	err := c.schema(inputSchema, true)
	return c.params, err
}

// compiler walks over one schema.
type compiler struct {
	params Params
	path   []string
}

// schema looks at one schema and all that are below it. static tells that
// nothing but "properties" leads to it.
func (c *compiler) schema(raw []byte, static bool) error {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var mark, kind []byte
	members := jsonx.Object(raw)
	for members.Next() {
		var err error
		switch keyword := members.Name(); keyword {
		case annotation:
			mark = members.Value()
		case "type":
			kind = members.Value()
		default:
			err = c.keyword(keyword, members.Value(), static)
		}
		if err != nil {
			return err
		}
	}
	if err := members.Err(); err != nil {
		return err
	}
	if mark == nil {
		return nil
	}
	return c.mark(mark, kind, static)
}

// keyword follows the keywords that hold schemas; the values of all others are
// data.
func (c *compiler) keyword(keyword string, value []byte, static bool) error {
	switch keyword {
	case "properties":
		return c.each(value, static)
	case "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return c.each(value, false)
	case "allOf", "anyOf", "oneOf", "prefixItems", "items", "additionalItems", "unevaluatedItems", "contains",
		"additionalProperties", "unevaluatedProperties", "propertyNames", "not", "if", "then", "else", "contentSchema":
		if value[0] != '[' {
			return c.schema(value, false)
		}
		elements := jsonx.Array(value)
		for elements.Next() {
			if err := c.schema(elements.Value(), false); err != nil {
				return err
			}
		}
		return elements.Err()
	}
	return nil
}

// each looks at the schemas of an object of named ones.
func (c *compiler) each(value []byte, static bool) error {
	if value[0] != '{' {
		return nil
	}
	members := jsonx.Object(value)
	for members.Next() {
		c.path = append(c.path, members.Name())
		err := c.schema(members.Value(), static)
		c.path = c.path[:len(c.path)-1]
		if err != nil {
			return err
		}
	}
	return members.Err()
}

// mark takes one annotation.
func (c *compiler) mark(raw, kind []byte, static bool) error {
	at := strings.Join(c.path, ".")
	name, err := jsonx.Unquote(raw)
	switch {
	case err != nil:
		return fmt.Errorf("%s of %q is not a string", annotation, at)
	case !isToken(name):
		return fmt.Errorf("%s of %q is %q, which cannot be part of a header's name", annotation, at, name)
	case len(c.path) == 0 || !static:
		return fmt.Errorf("%s %q is not on a property that is reached through \"properties\" alone", annotation, name)
	case string(kind) != `"string"` && string(kind) != `"integer"` && string(kind) != `"boolean"`:
		return fmt.Errorf("%s is on %q, whose type is not string, integer or boolean", annotation, at)
	}
	header := http.CanonicalHeaderKey(paramPrefix + name)
	for _, p := range c.params {
		if p.Header == header {
			return fmt.Errorf("%s %q is on two properties", annotation, name)
		}
	}
	c.params = append(c.params, Param{Header: header, Path: append([]string(nil), c.path...)})
	return nil
}

// isToken reports whether a name has the characters of a header's name (RFC
// 9110 §5.6.2).
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}
