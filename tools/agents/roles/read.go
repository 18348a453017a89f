package roles

import (
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/config"
)

// Limits of a file.
const (
	maxRoles    = 200
	maxProblems = 100
)

// contents are the roles in a file.
type contents struct {
	source       string
	listed       bool    // the file has a list of roles, maybe an empty one
	isUnreadable bool    // the file cannot be read
	entries      []entry // the valid roles
	problems     []*Problem
}

// entry is a role and its index in the list of the file.
type entry struct {
	index int
	Role
}

func (c *contents) roles() []Role {
	all := make([]Role, len(c.entries))
	for i, e := range c.entries {
		all[i] = e.Role
		all[i].Tools = slices.Clone(e.Tools)
	}
	return all
}

// find returns the role with an identifier.
func (c *contents) find(id string) (entry, bool) {
	i := slices.IndexFunc(c.entries, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return entry{}, false
	}
	return c.entries[i], true
}

func (c *contents) problem(at config.Position, key, received, message, consequence string) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, &Problem{Source: c.source, Position: at, Key: key, Received: received, Message: message, Consequence: consequence})
	}
}

// roleOmitted is the consequence of an invalid role.
const roleOmitted = "the role is left out"

// read reads the roles of a decoded file.
func read(source string, file config.Node) *contents {
	c := &contents{source: source}
	if file.Kind != config.Object {
		c.problem(file.Position, "", "received "+formatValue(file), "allowed is a mapping", "the built-in roles are used")
		return c
	}
	for _, m := range file.Members {
		if m.Name != section {
			continue
		}
		if c.listed {
			c.problem(m.Position, section, "", "it occurs more than once", "only the first is used")
			continue
		}
		switch m.Value.Kind {
		case config.Null:
		case config.List:
			c.listed = true
			c.list(m.Value)
		default:
			c.problem(m.Value.Position, section, "received "+formatValue(m.Value), "allowed is a list of roles", "the built-in roles are used")
		}
	}
	return c
}

func (c *contents) list(n config.Node) {
	for i, e := range n.Elements {
		key := fmt.Sprintf("%s[%d]", section, i)
		if len(c.entries) >= maxRoles {
			c.problem(e.Position, key, "", fmt.Sprintf("allowed are %d roles", maxRoles), "this role and those below it are left out")
			return
		}
		r, ok := c.role(key, e)
		if !ok {
			continue
		}
		if _, taken := c.find(r.ID); taken {
			c.problem(e.Position, key+".id", fmt.Sprintf("received %q", r.ID), "another role above has this id", roleOmitted)
			continue
		}
		c.entries = append(c.entries, entry{i, r.normalized()})
	}
}

// role reads one role and records all of its problems.
func (c *contents) role(key string, n config.Node) (r Role, ok bool) {
	if n.Kind != config.Object {
		c.problem(n.Position, key, "received "+formatValue(n), "allowed is a mapping with id, model and systemPrompt", roleOmitted)
		return r, false
	}
	ok = true
	all := fields()
	seen := make(map[string]bool, len(all))
	for _, m := range n.Members {
		i := slices.IndexFunc(all, func(f field) bool { return f.name == m.Name })
		at := key + "." + m.Name
		switch {
		case i < 0:
			c.unknown(key, m, all)
		case seen[m.Name]:
			c.problem(m.Position, at, "", "it occurs more than once", roleOmitted)
			ok = false
		case m.Value.Kind == config.Null && !all[i].required:
		case !all[i].read(&r, m.Value):
			c.problem(m.Value.Position, at, "received "+formatValue(m.Value), "allowed is "+all[i].allowed, roleOmitted)
			ok = false
		}
		seen[m.Name] = true
	}
	for _, f := range all {
		if f.required && !seen[f.name] {
			c.problem(n.Position, key, "", fmt.Sprintf("%s is missing; allowed is %s", f.name, f.allowed), roleOmitted)
			ok = false
		}
	}
	return r, ok
}

// unknown records a problem about an unknown member.
func (c *contents) unknown(key string, m config.Member, all []field) {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.name
	}
	name := formatValue(text(m.Name))
	message := "a role has no " + name
	if near := nearest.Name(m.Name, names); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	c.problem(m.Position, key, "", message, "it is not used")
}
