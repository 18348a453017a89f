package clientconfig

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

// authorization is the header with the token of a server; its value is nil if the server
// needs none.
func (c Client) authorization(s Server, scope Scope) field {
	switch {
	case s.Token != "" && scope == User:
		return field{authorizationHeader, bearer + s.Token}
	case s.TokenVariable != "":
		return field{authorizationHeader, bearer + strings.Replace(c.refer, "NAME", s.TokenVariable, 1)}
	}
	return field{authorizationHeader, nil}
}

// The header with a token, RFC 6750 §2.1, and the beginning of its value.
const (
	authorizationHeader = "Authorization"
	bearer              = "Bearer "
)

// authorizing is a file's content with the token of the server in an entry.
func authorizing(content []byte, c Client, scope Scope, name string, s Server) ([]byte, error) {
	authorization := c.authorization(s, scope)
	if authorization.value == nil {
		return content, nil
	}
	return withMember(content, c, name, "headers", authorization, true)
}

// references are the beginnings of the values in an entry's "env", and of its header with
// a token, that refer to variables.
func (c Client) references(entry hujson.Value) []int {
	o, ok := asObject(entry)
	if !ok {
		return nil
	}
	var found []int
	for _, m := range o.Members {
		inside, ok := asObject(m.Value)
		name, _ := text(m.Name.Value)
		if !ok || name != "env" && name != "headers" {
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

// handingOn is a file's content with an entry that hands variables on. One that the
// entry sets already stays as it is: that is what somebody wants it to be.
func handingOn(content []byte, c Client, name string, s Server) ([]byte, error) {
	for _, variable := range c.handedOn(s.Env) {
		var err error
		if content, err = withMember(content, c, name, "env", variable, false); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// withMember is a file's content with a member in an object of an entry, such as its
// "env". A member that is there stays as it is, or is replaced.
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
	splices, err := d.setting(entry, inside, member, replace)
	if err != nil || len(splices) == 0 {
		return content, err
	}
	return d.with(splices), nil
}

// setting puts a member into an object of an entry.
func (d *document) setting(entry object, inside string, member field, replace bool) ([]splice, error) {
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
