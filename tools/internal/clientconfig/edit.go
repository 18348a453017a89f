package clientconfig

import (
	"bytes"
	"slices"
)

// Action is the effect of a change on a file.
type Action uint8

const (
	// Nothing: the file already has the entry.
	Nothing Action = iota
	// Add adds a server that the file does not list.
	Add
	// Update changes the command, arguments or token of an entry for the same program or URL.
	Update
	// Replace changes an entry for another program or URL. Between two programs it replaces command,
	// arguments and variables, and other members stay. Otherwise it replaces the entire entry.
	Replace
	// Restore undoes a change by writing the previous content.
	Restore
	// Delete undoes a change by removing the file that it created.
	Delete
	// Withdraw undoes a change of a file that has been edited since that change. It leaves the
	// later edits, and removes the entry or restores the previous one.
	Withdraw
)

// edited implements syntax.
func (jsonFile) edited(content []byte, c Client, scope Scope, name string, s Server) ([]byte, Action, error) {
	d, err := parse(content)
	if err != nil {
		return nil, Nothing, err
	}
	servers, i, old, err := d.lookup(c, name)
	entry := field{name, c.fields(s, scope)}
	switch {
	case err != nil:
		return nil, Nothing, err
	case d.empty():
		return d.created(field{c.key, []field{entry}}), Add, nil
	case servers.Object == nil:
		return d.with(d.insert(d.top, field{c.key, []field{entry}})), Add, nil
	case i < 0:
		return d.with(d.insert(servers, entry)), Add, nil
	case s.URL != "" && old.URL == s.URL:
		after, err := withToken(content, c, scope, name, s)
		if err == nil && bytes.Equal(after, content) {
			return after, Nothing, nil
		}
		return after, Update, err
	case s.URL != "" || old.Remote || old.Command == "":
		return d.with(d.replace(servers, i, entry.value)), Replace, nil
	}
	// Both entries start a program. It counts as the same if its file has the same name, in any
	// directory.
	action := Replace
	if old.Program() == s.Program() {
		action = Update
	}
	after, err := updated(content, c, name, s)
	if err == nil {
		after, err = withVariables(after, c, name, s)
	}
	if err == nil && bytes.Equal(after, content) {
		action = Nothing
	}
	return after, action, err
}

// updated returns the content of a file with the command and arguments of an entry replaced. The
// other members of the entry stay.
func updated(content []byte, c Client, name string, s Server) ([]byte, error) {
	for _, f := range c.updatedFields(s) {
		d, err := parse(content)
		if err != nil {
			return nil, err
		}
		servers, i, old, err := d.lookup(c, name)
		if err != nil {
			return nil, err
		}
		switch {
		case c.form.joined && old.Same(s), !c.form.joined && f.name == "command" && old.Command == s.Command, f.name == "args" && slices.Equal(old.Args, s.Args):
			continue
		}
		entry, _ := asObject(servers.Members[i].Value)
		at, err := d.find(entry, f.name)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			content = d.with(d.insert(entry, f))
		} else {
			content = d.with(d.replace(entry, at, f.value))
		}
	}
	return content, nil
}

// updatedFields returns the members that an update compares and writes. Other than commandFields it
// lists "args" without arguments, too, so that old arguments are removed.
func (c Client) updatedFields(s Server) []field {
	if c.form.joined {
		return c.commandFields(s)
	}
	return []field{{"command", s.Command}, {"args", s.Args}}
}

// created returns the content of a file that was blank. Its white space stays at the end.
func (d *document) created(f field) []byte {
	s := style{unit: "  ", eol: "\n", colon: ": ", gap: " "}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.eol = "\r\n"
	}
	end := string(d.text)
	if !hasLine(d.text) {
		end += s.eol
	}
	return []byte(d.mark + s.value([]field{f}, "") + end)
}

// withdrawn implements syntax.
func (jsonFile) withdrawn(content []byte, c Client, name string, ours Server, former []byte) ([]byte, error) {
	d, err := parse(content)
	if err != nil {
		return nil, err
	}
	servers, i, e, err := d.lookup(c, name)
	if err != nil || i < 0 || !ours.isEntry(e) {
		return nil, err
	}
	was, err := parse(former)
	if err != nil {
		return nil, err
	}
	before, j, _, err := was.lookup(c, name)
	switch {
	case err != nil:
		return nil, err
	case j >= 0:
		v, old := servers.Members[i].Value, before.Members[j].Value
		return d.with([]splice{{v.StartOffset, v.EndOffset, string(was.text[old.StartOffset:old.EndOffset])}}), nil
	}
	after := d.with(d.remove(servers, i))
	if before.Object != nil {
		return after, nil
	}
	return withoutServers(after, c)
}

// withoutServers removes the member that holds the servers if it is empty.
func withoutServers(content []byte, c Client) ([]byte, error) {
	d, err := parse(content)
	if err != nil {
		return nil, err
	}
	servers, err := d.servers(c)
	if err != nil || len(servers.Members) > 0 || len(comments(servers.AfterExtra)) > 0 {
		return content, err
	}
	i, err := d.find(d.top, c.key)
	if err != nil {
		return nil, err
	}
	return d.with(d.remove(d.top, i)), nil
}
