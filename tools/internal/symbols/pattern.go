package symbols

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Pattern selects declarations by name path.
type Pattern struct {
	names     []string // alternatives: the qualified name as given, and with dots as separators
	absolute  bool     // the path begins at the top level of the file
	substring bool     // the last name is a part of the declared name
	index     int      // position among the declarations with the same name path, from 0; -1 is any
	unique    string   // the part of an ID after "#"
}

var indexSuffix = regexp.MustCompile(`^(.+)\[(\d{1,6})\]$`)

// ParsePattern reads a name path. "method" selects all declarations of the name, and "Class/method" the declarations in a container
// of that name. "/Class" selects only declarations at the top level of a file. "name[1]" is the second of several declarations with
// one name path. Dots and "::" separate names, too. With substring, the last name can be a part of the declared name.
func ParsePattern(text string, substring bool) Pattern {
	p := Pattern{index: -1, substring: substring, absolute: strings.HasPrefix(text, "/")}
	text = strings.TrimPrefix(text, "/")
	if found := indexSuffix.FindStringSubmatch(text); found != nil {
		text = found[1]
		p.index, _ = strconv.Atoi(found[2])
	}
	if rest, ok := strings.CutPrefix(text, "(*"); ok { // a method of Go: (*Type).Method
		text = strings.Replace(rest, ")", "", 1)
	}
	p.names = []string{text}
	if separated := strings.NewReplacer("/", ".", "::", ".").Replace(text); separated != text {
		p.names = append(p.names, strings.TrimSuffix(separated, "."))
	}
	return p
}

// IDPattern selects the declaration with an ID. unique is the part of the ID after "#".
func IDPattern(unique string) Pattern { return Pattern{unique: unique, index: -1} }

// Name returns the last name of the pattern without labels. Each text with a matching declaration contains it.
func (p Pattern) Name() string {
	name := p.unique
	if len(p.names) > 0 {
		name = p.names[len(p.names)-1]
	}
	if i := strings.IndexByte(name, '('); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	if i := strings.LastIndexByte(name, '~'); i > 0 && p.unique != "" { // "name~2" is the second of several in an ID
		name = name[:i]
	}
	return name
}

// matches reports whether a declaration has the name path, apart from the index.
func (p Pattern) matches(c *source.Chunk) bool {
	path := dotted(c)
	for _, name := range p.names {
		switch {
		case p.matchesName(path, name), c.Labels != "" && p.matchesName(path+c.Labels, name):
			return true
		case p.substring:
			container, last := "", name
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				container, last = name[:i], name[i+1:]
			}
			if strings.Contains(c.Name, last) && (container == "" && (!p.absolute || c.Container == "") || container != "" && p.matchesName(c.Container, container)) {
				return true
			}
		}
	}
	return false
}

// matchesName reports whether a qualified name is the name, or ends with it if the pattern is relative.
func (p Pattern) matchesName(path, name string) bool {
	if path == name {
		return true
	}
	return !p.absolute && name != "" && strings.HasSuffix(path, name) && path[len(path)-len(name)-1] == '.'
}

// Find returns the declarations that a pattern selects, in the order of the text. A package clause is selected only by its ID. A
// type precedes its extensions: an extension is selected only if no other declaration has its name path.
func (f *File) Find(p Pattern) []int {
	var found []int
	if p.unique != "" {
		for i := range f.parsed.Chunks {
			c := &f.parsed.Chunks[i]
			if strings.HasPrefix(p.unique, c.Path()) && f.parsed.UniqueName(i) == p.unique {
				return []int{i}
			}
		}
		p = ParsePattern("/"+p.unique, false)
	}
	named := make(map[string]bool)    // name paths of declarations that are no extensions
	positions := make(map[string]int) // the number of earlier declarations by name path
	for i := range f.parsed.Chunks {
		c := &f.parsed.Chunks[i]
		if !p.matches(c) || f.IsPackageClause(i) {
			continue
		}
		path := dotted(c)
		named[path] = named[path] || c.Kind != source.Extension
		if p.index < 0 || p.index == positions[path] {
			found = append(found, i)
		}
		positions[path]++
	}
	if p.index >= 0 {
		return found
	}
	return slices.DeleteFunc(found, func(i int) bool {
		c := f.Symbol(i)
		return c.Kind == source.Extension && named[dotted(c)]
	})
}
