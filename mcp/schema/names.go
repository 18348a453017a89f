package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// argumentNames are the changes of names that [Options] ask for, in a checked form.
type argumentNames struct {
	changes  []nameChange
	synonyms func(properties []string) map[string]string
}

// nameChange is the change of one property by Options.Names or Options.Unlisted.
type nameChange struct {
	path     string
	own      string
	listed   string // own without a change
	unlisted bool
}

// depth returns the number of objects around the property.
func (n nameChange) depth() int { return strings.Count(n.path, ".") }

// names checks Names and Unlisted against a document.
func (o Options) names(doc *value) (argumentNames, error) {
	all := argumentNames{synonyms: o.Synonyms}
	paths := slices.Concat(slices.Collect(maps.Keys(o.Names)), o.Unlisted)
	slices.Sort(paths)
	taken := map[*value]map[string]string{} // own names by every name of a property, by object
	for _, path := range slices.Compact(paths) {
		at, err := locate(doc, path)
		if err != nil {
			return all, err
		}
		if at.parent == nil {
			return all, fmt.Errorf("name of %s: only a property has one", path)
		}
		if closed := at.parent.get("additionalProperties"); closed == nil || !closed.isFalse() {
			return all, fmt.Errorf("name of %s: its object takes any name, so that another name would be ambiguous", path)
		}
		n := nameChange{path: path, own: at.name, listed: at.name, unlisted: slices.Contains(o.Unlisted, path)}
		if listed := o.Names[path]; listed != "" {
			n.listed = listed
		}
		if n.unlisted && at.isRequired() {
			return all, fmt.Errorf("%s is required, and must be listed", path)
		}
		names := taken[at.parent]
		if names == nil {
			names = map[string]string{}
			for _, m := range at.parent.get("properties").members {
				names[m.name] = m.name
			}
			taken[at.parent] = names
		}
		if own, ok := names[n.listed]; ok && own != n.own {
			return all, fmt.Errorf("name of %s: %q is already a name of %q", path, n.listed, own)
		}
		names[n.listed] = n.own
		all.changes = append(all.changes, n)
	}
	return all, nil
}

// isRequired reports whether the property at l is required.
func (l location) isRequired() bool {
	required := l.parent.get("required")
	if required == nil {
		return false
	}
	names, _ := required.texts()
	return slices.Contains(names, l.name)
}

// listed returns the document as clients see it.
func (names argumentNames) listed(doc *value) *value {
	if len(names.changes) == 0 {
		return doc
	}
	doc = doc.clone()
	// The deepest properties come first, since a new name ends the paths that lead through the old one.
	deepest := slices.SortedStableFunc(slices.Values(names.changes), func(a, b nameChange) int { return b.depth() - a.depth() })
	for _, n := range deepest {
		at, err := locate(doc, n.path)
		if err != nil || at.parent == nil {
			continue // another path has led to the same definition
		}
		properties := at.parent.get("properties")
		if n.unlisted {
			properties.remove(n.own)
			continue
		}
		for k := range properties.members {
			if properties.members[k].name == n.own {
				properties.members[k].name = n.listed
			}
		}
		if required := at.parent.get("required"); required != nil {
			for k, e := range required.elements {
				if text, _ := e.text(); text == n.own {
					required.elements[k] = quoted(n.listed)
				}
			}
		}
	}
	return doc
}

// bind gives the properties of compiled rules their names.
func (names argumentNames) bind(root *node) error {
	for _, n := range names.changes {
		o, k := root.property(n.path)
		if o == nil {
			return fmt.Errorf("path %q leads to no property that can have another name", n.path)
		}
		o.properties[k].unlisted = n.unlisted
		if n.listed != n.own && o.properties[k].token == nil { // otherwise another path has led to a shared definition
			o.rename(k, n.listed)
		}
	}
	if names.synonyms != nil {
		names.bindSynonyms(root, map[*node]bool{})
	}
	return nil
}

// bindSynonyms adds the synonyms to every closed object from n on.
func (names argumentNames) bindSynonyms(n *node, seen map[*node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	for _, alternative := range n.alternatives {
		names.bindSynonyms(alternative, seen)
	}
	if n.array != nil {
		for _, item := range n.array.prefix {
			names.bindSynonyms(item, seen)
		}
		names.bindSynonyms(n.array.items, seen)
	}
	o := n.object
	if o == nil {
		return
	}
	for k := range o.properties {
		names.bindSynonyms(o.properties[k].node, seen)
	}
	names.bindSynonyms(o.additional, seen)
	if !o.closed || len(o.properties) == 0 {
		return
	}
	all := make([]string, len(o.properties)) // unlisted ones, too, whose names are as easily confused
	for k := range o.properties {
		all[k] = o.properties[k].name
	}
	for synonym, name := range names.synonyms(all) {
		if k := o.indexOf([]byte(name)); k >= 0 && o.named([]byte(synonym)) < 0 {
			o.addAlias(k, synonym)
		}
	}
}

// rename changes the name under which a property is accepted. Its own name becomes an alias.
func (o *objectRules) rename(k int, to string) {
	own := o.properties[k].name
	if o.index != nil {
		delete(o.index, own)
		o.index[to] = k
	}
	o.addAlias(k, own)
	o.properties[k].name = to
}

// addAlias adds a name under which a property is accepted.
func (o *objectRules) addAlias(k int, name string) {
	if p := &o.properties[k]; p.token == nil {
		p.token = jsonx.AppendQuoted(nil, p.name)
	}
	if o.aliases == nil {
		o.aliases = map[string]int{}
	}
	o.aliases[name] = k
}

// property returns the object and the index of the property at a path, or nil. Paths contain own names, and names of properties
// that have been renamed already are found by them, too.
func (n *node) property(path string) (*objectRules, int) {
	var o *objectRules
	k := -1
	for rest := path; rest != ""; {
		if n == nil {
			return nil, -1
		}
		if after, ok := strings.CutPrefix(rest, "[]"); ok {
			if n.array == nil {
				return nil, -1
			}
			n, rest, o = n.array.items, after, nil
			continue
		}
		name := strings.TrimPrefix(rest, ".")
		rest = ""
		if i := strings.IndexAny(name, ".["); i >= 0 {
			name, rest = name[:i], name[i:]
		}
		if o = n.object; o == nil {
			return nil, -1
		}
		if name == "*" {
			n, o = o.additional, nil
			continue
		}
		own := string(jsonx.AppendQuoted(nil, name))
		if k = slices.IndexFunc(o.properties, func(p property) bool {
			return p.token == nil && p.name == name || string(p.token) == own
		}); k < 0 {
			return nil, -1
		}
		n = o.properties[k].node
	}
	return o, k
}
