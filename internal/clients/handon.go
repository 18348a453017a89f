package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxVariable bounds the name of a variable.
const maxVariable = 128

// isVariable reports whether a text is the name of a variable that every client
// can refer to.
func isVariable(name string) bool {
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxVariable
}

// checkVariables accepts names that all clients can refer to, each once.
func checkVariables(names []string) error {
	for i, name := range names {
		if !isVariable(name) {
			return fmt.Errorf("%q is not the name of a variable, which has letters, digits and '_' only", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the variable %s is to be handed on twice", name)
		}
	}
	return nil
}

// handedOn are the members of an "env" that hands variables on; none if the client
// cannot.
func (c Client) handedOn(variables []string) []field {
	if c.refer == "" {
		return nil
	}
	var fields []field
	for _, name := range variables {
		fields = append(fields, field{name, strings.Replace(c.refer, "NAME", name, 1)})
	}
	return fields
}

// refers reports whether a value is a variable of the client's environment, and
// nothing beside it that may be secret.
func (c Client) refers(value string) bool {
	before, after, ok := strings.Cut(c.refer, "NAME")
	name, begins := strings.CutPrefix(value, before)
	name, ends := strings.CutSuffix(name, after)
	return ok && begins && ends && isVariable(name)
}

// references are the beginnings of the values in an entry's "env" that refer to
// variables.
func (c Client) references(entry hujson.Value) []int {
	o, ok := asObject(entry)
	if !ok {
		return nil
	}
	var found []int
	for _, m := range o.Members {
		env, ok := asObject(m.Value)
		if name, _ := text(m.Name.Value); !ok || name != "env" {
			continue
		}
		for _, variable := range env.Members {
			if value, ok := text(variable.Value.Value); ok && c.refers(value) {
				found = append(found, variable.Value.StartOffset)
			}
		}
	}
	return found
}

// handingOn is a file's content with an entry that hands variables on. One that the
// entry sets already stays as it is: that is what somebody wants it to be.
func handingOn(content []byte, c Client, name string, s Server) ([]byte, error) {
	for _, variable := range c.handedOn(s.Env) {
		d, err := parse(content)
		if err != nil {
			return nil, err
		}
		servers, i, _, err := d.lookup(c, name)
		if err != nil {
			return nil, err
		}
		entry, _ := asObject(servers.Members[i].Value)
		splices, err := d.setting(entry, variable)
		if err != nil {
			return nil, err
		}
		if len(splices) > 0 {
			content = d.with(splices)
		}
	}
	return content, nil
}

// setting puts a variable into an entry that does not set it.
func (d *document) setting(entry object, variable field) ([]splice, error) {
	at, err := d.find(entry, "env")
	if err != nil {
		return nil, err
	}
	only := []field{variable}
	if at < 0 {
		return d.insert(entry, field{"env", only}), nil
	}
	env, ok := asObject(entry.Members[at].Value)
	if !ok || len(env.Members) == 0 && len(comments(env.AfterExtra)) == 0 {
		return d.replace(entry, at, only), nil
	}
	if i, err := d.find(env, variable.name); err != nil || i >= 0 {
		return nil, err
	}
	return d.insert(env, variable), nil
}
