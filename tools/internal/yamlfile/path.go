package yamlfile

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// spot is a place in a document.
type spot struct {
	parent *yaml.Node // the collection that holds the value; nil for the root
	index  int        // of the value in the parent's Content
	node   *yaml.Node // the value; nil if there is none yet
	flow   bool       // it is within brackets
}

// find follows a path. A last name that a mapping lacks is a spot without a node.
func (d *Document) find(path []string) (spot, error) {
	at := spot{node: d.root}
	for i, name := range path {
		n := at.node
		if n == nil {
			return at, noPlace(path[:i+1])
		}
		at = spot{parent: n, flow: at.flow || n.Style&yaml.FlowStyle != 0}
		switch n.Kind {
		case yaml.MappingNode:
			if err := at.member(name); err != nil {
				return at, err
			}
		case yaml.SequenceNode:
			index, ok := indexOf(name, len(n.Content))
			if !ok {
				return at, noPlace(path[:i+1])
			}
			at.index, at.node = index, n.Content[index]
		case yaml.AliasNode:
			return at, fmt.Errorf("line %d: %s is said elsewhere, under the anchor &%s: %w", n.Line, strings.Join(path[:i], "."), n.Value, ErrByHand)
		default:
			return at, noPlace(path[:i+1])
		}
	}
	return at, nil
}

// member finds a name in the mapping of the spot.
func (s *spot) member(name string) error {
	for i := 0; i+1 < len(s.parent.Content); i += 2 {
		key, ok := keyName(s.parent.Content[i])
		if !ok || key != name || s.parent.Content[i].ShortTag() == "!!merge" {
			continue
		}
		if s.node != nil {
			return fmt.Errorf("line %d: %q is there more than once: %w", s.parent.Content[i].Line, name, ErrByHand)
		}
		s.index, s.node = i+1, s.parent.Content[i+1]
	}
	return nil
}

func noPlace(path []string) error {
	return fmt.Errorf("%s: %w", strings.Join(path, "."), ErrNoPlace)
}

// indexOf is the index of an element that a step of a path names.
func indexOf(name string, length int) (int, bool) {
	i, err := strconv.Atoi(name)
	return i, err == nil && i >= 0 && i < length
}
