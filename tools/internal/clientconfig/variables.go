package clientconfig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxVariable is the maximum length of the name of a variable.
const maxVariable = 128

// isVariable reports whether a text is the name of an environment variable that every client can
// refer to.
func isVariable(name string) bool {
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxVariable
}

// checkVariables returns an error for a name that some client cannot refer to, and for a duplicate.
func checkVariables(names []string) error {
	for i, name := range names {
		if !isVariable(name) {
			return fmt.Errorf("%q is not the name of a variable, which has letters, digits and '_' only", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the variable %s is listed twice", name)
		}
	}
	return nil
}

// forwardedVariables returns the members of an "env" that refers to variables of the client's
// environment; none if the client has no references or needs none.
func (c Client) forwardedVariables(variables []string) []field {
	if c.refer == "" || c.inherits {
		return nil
	}
	var fields []field
	for _, name := range variables {
		fields = append(fields, field{name, strings.Replace(c.refer, "NAME", name, 1)})
	}
	return fields
}

// HasReferences reports whether entries can refer to environment variables of the client.
func (c Client) HasReferences() bool { return c.refer != "" }

// refers reports whether a value is a reference to a variable and nothing else, so that it contains
// no secret.
func (c Client) refers(value string) bool {
	before, after, ok := strings.Cut(c.refer, "NAME")
	name, begins := strings.CutPrefix(value, before)
	name, ends := strings.CutSuffix(name, after)
	return ok && begins && ends && isVariable(name)
}

// authorization returns the header with the token of a server; its value is nil if the server needs
// none.
func (c Client) authorization(s Server, scope Scope) field {
	switch {
	case s.Token != "" && scope == User:
		return field{authorizationHeader, bearer + s.Token}
	case s.TokenVariable != "" && c.refer != "":
		return field{authorizationHeader, bearer + strings.Replace(c.refer, "NAME", s.TokenVariable, 1)}
	}
	return field{authorizationHeader, nil}
}

// The name of the header with a token, RFC 6750 §2.1, and the beginning of its value.
const (
	authorizationHeader = "Authorization"
	bearer              = "Bearer "
)

// withToken returns the content of a file with the token of the server in an entry.
func withToken(content []byte, c Client, scope Scope, name string, s Server) ([]byte, error) {
	authorization := c.authorization(s, scope)
	if authorization.value == nil {
		return content, nil
	}
	return withMember(content, c, name, "headers", authorization, true)
}

// references returns the offsets of the values in an entry that refer to variables: in "env", and
// in the header with a token.
func (c Client) references(entry hujson.Value) []int {
	o, ok := asObject(entry)
	if !ok {
		return nil
	}
	var found []int
	for _, m := range o.Members {
		inside, ok := asObject(m.Value)
		name, _ := text(m.Name.Value)
		if !ok || name != c.form.envMember() && name != "headers" {
			continue
		}
		for _, variable := range inside.Members {
			value, ok := text(variable.Value.Value)
			if name == "headers" {
				header, _ := text(variable.Name.Value)
				value, ok = strings.CutPrefix(value, bearer)
				ok = ok && header == authorizationHeader
			}
			if ok && c.refers(value) {
				found = append(found, variable.Value.StartOffset)
			}
		}
	}
	return found
}

// withVariables returns the content of a file with an entry that refers to variables. A variable
// that the entry sets already keeps its value.
func withVariables(content []byte, c Client, name string, s Server) ([]byte, error) {
	for _, variable := range c.forwardedVariables(s.Env) {
		var err error
		if content, err = withMember(content, c, name, c.form.envMember(), variable, false); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// withMember returns the content of a file with a member added to an object of an entry, such as
// its "env". An existing member stays, or is replaced if replace is set.
func withMember(content []byte, c Client, name, inside string, member field, replace bool) ([]byte, error) {
	d, err := parse(content)
	if err != nil {
		return nil, err
	}
	servers, i, _, err := d.lookup(c, name)
	if err != nil {
		return nil, err
	}
	entry, _ := asObject(servers.Members[i].Value)
	splices, err := d.setMember(entry, inside, member, replace)
	if err != nil || len(splices) == 0 {
		return content, err
	}
	return d.with(splices), nil
}

// setMember adds a member to an object of an entry.
func (d *document) setMember(entry object, inside string, member field, replace bool) ([]splice, error) {
	at, err := d.find(entry, inside)
	if err != nil {
		return nil, err
	}
	only := []field{member}
	if at < 0 {
		return d.insert(entry, field{inside, only}), nil
	}
	o, ok := asObject(entry.Members[at].Value)
	if !ok || len(o.Members) == 0 && len(comments(o.AfterExtra)) == 0 {
		return d.replace(entry, at, only), nil
	}
	i, err := d.find(o, member.name)
	switch {
	case err != nil:
		return nil, err
	case i < 0:
		return d.insert(o, member), nil
	}
	if old, _ := text(o.Members[i].Value.Value); replace && old != member.value {
		return d.replace(o, i, member.value), nil
	}
	return nil, nil
}
