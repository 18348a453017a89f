package searchservice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/config"
)

// lacking is a value of a file whose variable is not set.
type lacking struct {
	path     string // such as "plugins.config.github.token"
	variable string
	position config.Position
}

// expansion replaces ${NAME} in the texts of a file by the variables of an
// environment. $${ stands for ${ itself. What a value has put in is not looked at
// again.
type expansion struct {
	lookup  func(name string) string
	used    []string // names of variables that the file has
	lacking []lacking
	project bool // the file is that of a project
}

// usual are the variables that are read anyway where a file does not set the key.
func usual(path string) string {
	return map[string]string{
		"plugins.config.github.token": "GITHUB_TOKEN", "plugins.config.github.owner": "GITHUB_OWNER", "plugins.config.github.repo": "GITHUB_REPO",
	}[path]
}

// node replaces variables in all values at a path and below. A member whose
// variable is not set is left out, as if nobody had written it.
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

func (x *expansion) text(n config.Node, path string) (config.Node, bool) {
	if name := usual(path); x.project && name != "" && n.Text == "${"+name+"}" && x.lookup(name) != "" {
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
			x.lacking = append(x.lacking, lacking{path, name, n.Position})
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

// isVariable says that a name can be one of a variable.
func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
