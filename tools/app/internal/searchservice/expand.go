package searchservice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/config"
)

// unsetVariable is a value in a file that uses an unset variable.
type unsetVariable struct {
	path     string // for example "plugins.config.github.token"
	variable string
	position config.Position
}

// expansion replaces ${NAME} in the strings of a file with environment variables. $${ stands for a
// literal ${. Inserted values are not expanded again.
type expansion struct {
	lookup  func(name string) string
	used    []string // names of variables in the file
	unset   []unsetVariable
	project bool // whether the file belongs to a project
}

// defaultVariable returns the variable that is the default of a key, or "".
func defaultVariable(path string) string {
	return map[string]string{
		"plugins.config.github.token": "GITHUB_TOKEN", "plugins.config.github.owner": "GITHUB_OWNER", "plugins.config.github.repo": "GITHUB_REPO",
	}[path]
}

// node expands all strings of n. path is the key of n. Members and elements with an unset variable
// are removed.
func (x *expansion) node(n config.Node, path string) (config.Node, bool) {
	switch n.Kind {
	case config.String:
		return x.text(n, path)
	case config.List:
		n.Elements = slices.Clone(n.Elements)
		kept := n.Elements[:0]
		for i, e := range n.Elements {
			if e, ok := x.node(e, fmt.Sprintf("%s[%d]", path, i)); ok {
				kept = append(kept, e)
			}
		}
		n.Elements = kept
	case config.Object:
		n.Members = slices.Clone(n.Members)
		kept := n.Members[:0]
		for _, m := range n.Members {
			var ok bool
			if m.Value, ok = x.node(m.Value, strings.TrimPrefix(path+"."+m.Name, ".")); ok {
				kept = append(kept, m)
			}
		}
		n.Members = kept
	}
	return n, true
}

// text expands one string. It returns false if a variable is unset. It also returns false for a
// project file that sets a key to the default variable of the key.
func (x *expansion) text(n config.Node, path string) (config.Node, bool) {
	if name := defaultVariable(path); x.project && name != "" && n.Text == "${"+name+"}" && x.lookup(name) != "" {
		return n, false
	}
	var b strings.Builder
	rest, whole, used := n.Text, true, false
	for {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		switch {
		case strings.HasSuffix(before, "$"):
			b.WriteString(strings.TrimSuffix(before, "$") + "${")
			rest = after
			continue
		case !closed || !isVariable(name):
			b.WriteString(before + "${")
			rest = after
			continue
		}
		value := x.lookup(name)
		x.used = append(x.used, name)
		if value == "" {
			x.unset = append(x.unset, unsetVariable{path, name, n.Position})
			whole = false
		}
		b.WriteString(before + value)
		rest, used = tail, true
	}
	b.WriteString(rest)
	if used {
		n.Written = n.Text
	}
	n.Text = b.String()
	return n, whole
}

// isVariable reports whether name is a valid name of a variable.
func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
