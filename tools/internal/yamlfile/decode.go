package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/tools/config"
)

// Limits of a text. Nodes that aliases repeat count each time.
const (
	maxDepth  = 100
	maxValues = 100_000
)

// Decode is the YAML counterpart of config.JSON. A text without a value is an empty object.
// Duplicate names of a mapping are both in the result, as with config.JSON; the caller reports
// them.
func Decode(data []byte) (config.Node, error) {
	root, err := parse(data)
	if err != nil {
		return config.Node{}, err
	}
	return node(root)
}

// parse reads the only document of a text; nil if there is none.
func parse(data []byte) (root *yaml.Node, err error) {
	if len(data) > config.MaxFile {
		return nil, syntaxError(config.Position{Line: 1, Column: 1}, "the text is larger than %d bytes", config.MaxFile)
	}
	defer func() {
		if v := recover(); v != nil { // a mistake of the parser ends with this file
			root, err = nil, syntaxError(config.Position{Line: 1, Column: 1}, "this YAML cannot be read: %v", v)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	switch err := d.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, reworded(err)
	}
	switch err := d.Decode(&second); {
	case errors.Is(err, io.EOF):
		return first.Content[0], nil
	case err != nil:
		return nil, reworded(err)
	}
	return nil, syntaxError(position(&second), "a second document begins here; allowed is one")
}

func syntaxError(at config.Position, format string, args ...any) *config.SyntaxError {
	return &config.SyntaxError{Position: at, Message: fmt.Sprintf(format, args...)}
}

var parserError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// reworded returns an error of the parser with its position: a line, or none for
// the first.
func reworded(err error) error {
	at := config.Position{Line: 1, Column: 1}
	message := err.Error()
	if m := parserError.FindStringSubmatch(message); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			at.Line = line
		}
		message = m[2]
	}
	return syntaxError(at, "%s", message)
}

func position(n *yaml.Node) config.Position { return config.Position{Line: n.Line, Column: n.Column} }

// node is a document as settings see it.
func node(root *yaml.Node) (config.Node, error) {
	if root == nil || empty(root) {
		return config.Node{Kind: config.Object, Position: config.Position{Line: 1, Column: 1}}, nil
	}
	d := decoder{left: maxValues}
	return d.value(root, 0)
}

// decoder turns nodes of the parser into nodes of settings.
type decoder struct{ left int }

func (d *decoder) value(n *yaml.Node, depth int) (config.Node, error) {
	v := config.Node{Position: position(n)}
	if d.left--; d.left < 0 {
		return v, syntaxError(v.Position, "there are more than %d values here, including repetitions by aliases", maxValues)
	}
	if depth > maxDepth {
		return v, syntaxError(v.Position, "values are nested more than %d deep here", maxDepth)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return v, syntaxError(v.Position, "a tag, which is not allowed")
	}
	var err error
	switch n.Kind {
	case yaml.AliasNode:
		v, err = d.value(n.Alias, depth+1)
		v.Position = position(n)
	case yaml.MappingNode:
		v.Kind = config.Object
		v.Members, err = d.members(n, depth)
	case yaml.SequenceNode:
		v.Kind = config.List
		for _, e := range n.Content {
			element, err := d.value(e, depth+1)
			if err != nil {
				return v, err
			}
			v.Elements = append(v.Elements, element)
		}
	default:
		v.Kind, v.Text = scalar(n)
	}
	return v, err
}

// members returns the members of a mapping. Members from merge keys follow the mapping's own.
func (d *decoder) members(n *yaml.Node, depth int) ([]config.Member, error) {
	var all []config.Member
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		name, ok := keyName(key)
		if !ok {
			return nil, syntaxError(position(key), "a name is expected here")
		}
		v, err := d.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, config.Member{Name: name, Position: position(key), Value: v})
	}
	for _, m := range merged {
		more, err := d.merge(m, depth)
		if err != nil {
			return nil, err
		}
		all = append(all, missing(all, more)...)
	}
	return all, nil
}

// keyName is the name that a key is, if it is one.
func keyName(key *yaml.Node) (string, bool) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	return key.Value, key.Kind == yaml.ScalarNode && key.Style&yaml.TaggedStyle == 0
}

// merge returns the members that the value of a merge key adds: those of one object, or of several.
// The first object with a name takes precedence.
func (d *decoder) merge(n *yaml.Node, depth int) ([]config.Member, error) {
	v, err := d.value(n, depth+1)
	if err != nil {
		return nil, err
	}
	sources := v.Elements
	if v.Kind == config.Object {
		sources = []config.Node{v}
	}
	var all []config.Member
	for _, s := range sources {
		if s.Kind != config.Object {
			return nil, syntaxError(position(n), "a merge key takes a mapping or a list of mappings")
		}
		all = append(all, missing(all, s.Members)...)
	}
	if v.Kind != config.Object && v.Kind != config.List {
		return nil, syntaxError(position(n), "a merge key takes a mapping or a list of mappings")
	}
	return all, nil
}

// missing returns the members whose names do not occur in there.
func missing(there, members []config.Member) []config.Member {
	names := make(map[string]bool, len(there))
	for _, m := range there {
		names[m.Name] = true
	}
	var more []config.Member
	for _, m := range members {
		if !names[m.Name] {
			more = append(more, m)
		}
	}
	return more
}
