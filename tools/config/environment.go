package config

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// Environment is the layer of environment variables, each as in os.Environ. A
// variable that is empty counts as not set; [] is an empty list. Variables that
// begin as the table's do and are none of them are problems, unless they are used
// elsewhere, for example in a file of settings.
func (t *Table[C]) Environment(environ []string, used ...string) Layer[C] {
	var l Layer[C]
	known := make(map[string]*Key[C], len(t.keys))
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = t.Variable(k)
		known[names[i]] = k
	}
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if !strings.HasPrefix(name, t.opts.Prefix) || value == "" || slices.Contains(t.opts.Others, name) {
			continue
		}
		k := known[name]
		if own := t.opts.Synonyms[name]; own != "" {
			if Lookup(environ, own) != "" {
				continue
			}
			k = known[own]
		}
		if k != nil {
			l.add(k, "environment variable "+name, value)
			continue
		}
		if slices.Contains(used, name) {
			continue
		}
		p := Problem{Source: "environment variable " + shorten(name), Message: "there is no such setting", Consequence: "it is left out"}
		if near := nearest.Name(strings.TrimPrefix(name, t.opts.Prefix), trimmed(names, t.opts.Prefix)); near != "" {
			p.Message += fmt.Sprintf("; did you mean %s%s?", t.opts.Prefix, near)
		}
		l.problems.add(&p)
	}
	return l
}

func trimmed(names []string, prefix string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strings.TrimPrefix(name, prefix)
	}
	return all
}
