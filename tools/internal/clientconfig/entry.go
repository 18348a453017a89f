package clientconfig

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Server describes how a client starts a server, or the URL of a running one.
type Server struct {
	// Command is the program that the client starts: a path or a name in PATH.
	Command string `json:"command,omitempty"`
	// Args are the arguments of Command.
	Args []string `json:"args,omitempty"`
	// URL is the address of the server, for Streamable HTTP. It is empty if the client starts the
	// server.
	URL string `json:"url,omitempty"`
	// Token is the bearer token for URL. Only files of the user contain it. A file of a project, or
	// any file if Token is empty, refers to the environment variable TokenVariable instead, unless
	// that is empty too.
	Token         string `json:"-"`
	TokenVariable string `json:"-"`
	// Env lists the environment variables that the client passes to the server, if its entries
	// support references.
	Env []string `json:"env,omitempty"`
}

// Entry is a server in a configuration file. Its Env is not read.
type Entry struct {
	Server
	Name     string
	Remote   bool // the client reaches it by a URL
	Disabled bool // the client does not start it
}

// Same reports whether two servers have the same command and arguments.
func (s Server) Same(t Server) bool {
	return s.Command == t.Command && slices.Equal(s.Args, t.Args)
}

// isEntry reports whether an entry was made for the server. The user may have changed its
// arguments.
func (s Server) isEntry(e Entry) bool {
	if s.URL != "" {
		return e.URL == s.URL
	}
	return e.Program() == s.Program()
}

// retargets reports whether s names directories with the flag -root that old does not name, in the same order. Without -root a
// program works in the folder that its client has open.
func (s Server) retargets(old Server) bool {
	roots := s.roots()
	return len(roots) > 0 && !slices.Equal(roots, old.roots())
}

// roots returns the values of the flag -root.
func (s Server) roots() []string {
	var roots []string
	for i, arg := range s.Args {
		flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if value, ok := strings.CutPrefix(flag, "root="); ok && flag != arg {
			roots = append(roots, value)
		} else if flag == "root" && flag != arg && i+1 < len(s.Args) {
			roots = append(roots, s.Args[i+1])
		}
	}
	return roots
}

// Program returns the name of the started program without its directory. For "go run" it is the
// last element of the package path.
func (s Server) Program() string {
	name := programName(s.Command)
	if name != "go" || len(s.Args) == 0 || s.Args[0] != "run" {
		return name
	}
	for i := 1; i < len(s.Args); i++ {
		switch arg := s.Args[i]; {
		case arg == "-C":
			i++
		case !strings.HasPrefix(arg, "-"):
			pkg, _, _ := strings.Cut(arg, "@") // without a version
			return programName(pkg)
		}
	}
	return name
}

// programName returns the last element of a path of any system, without ".exe" and then in lower
// case.
func programName(command string) string {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = strings.ToLower(name[:len(name)-4])
	}
	return name
}

// fields returns the members of a new entry.
func (c Client) fields(s Server, scope Scope) []field {
	var fields []field
	add := func(name string, value any) { fields = append(fields, field{name, value}) }
	kind := c.form.local
	if s.URL != "" {
		kind = c.form.remote
	}
	if kind != "" {
		add("type", kind)
	}
	if s.URL != "" {
		add(c.form.urlMember(), s.URL)
		if authorization := c.authorization(s, scope); authorization.value != nil {
			add("headers", []field{authorization})
		}
	} else {
		fields = append(fields, c.commandFields(s)...)
		if env := c.forwardedVariables(s.Env); len(env) > 0 {
			add(c.form.envMember(), env)
		}
	}
	if c.form.enabled {
		add("enabled", true)
	}
	return fields
}

// commandFields returns the members with the command line of a server.
func (c Client) commandFields(s Server) []field {
	switch {
	case c.form.joined:
		return []field{{"command", append([]string{s.Command}, s.Args...)}}
	case len(s.Args) == 0:
		return []field{{"command", s.Command}}
	}
	return []field{{"command", s.Command}, {"args", s.Args}}
}

// entry decodes an entry. A member of the wrong type counts as missing, so the entry differs from
// the intended one.
func (d *document) entry(c Client, name string, v hujson.Value) (Entry, error) {
	e := Entry{Name: name}
	o, ok := asObject(v)
	if !ok {
		return e, nil
	}
	for _, member := range []string{"command", "args", "type", "url", "serverUrl", "httpUrl", "disabled", "enabled"} {
		i, err := d.find(o, member)
		if err != nil {
			return e, err
		}
		if i < 0 {
			continue
		}
		value := o.Members[i].Value.Value
		switch member {
		case "command":
			if !c.form.joined {
				e.Command, _ = text(value)
			} else if line := texts(value); len(line) > 0 {
				e.Command, e.Args = line[0], line[1:]
			}
		case "args":
			if !c.form.joined {
				e.Args = texts(value)
			}
		case "type":
			kind, _ := text(value)
			e.Remote = e.Remote || kind != cmp.Or(c.form.local, "stdio")
		case "disabled":
			e.Disabled = e.Disabled || value.Kind() == 't'
		case "enabled":
			e.Disabled = e.Disabled || value.Kind() == 'f'
		default:
			e.Remote = true
			e.URL, _ = text(value)
		}
	}
	return e, nil
}

// text returns the string of a value; false for other values.
func text(v hujson.ValueTrimmed) (string, bool) {
	literal, ok := v.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

// texts returns the strings of an array. Any other value becomes "\x00", which no command line
// contains, so that the array differs from every valid one.
func texts(v hujson.ValueTrimmed) []string {
	array, ok := v.(*hujson.Array)
	if !ok {
		return []string{"\x00"}
	}
	var all []string
	for _, element := range array.Elements {
		s, ok := text(element.Value)
		if !ok {
			s = "\x00"
		}
		all = append(all, s)
	}
	return all
}

// servers returns the object that holds the servers; its Object is nil if the file has none.
func (d *document) servers(c Client) (object, error) {
	if d.empty() {
		return object{}, nil
	}
	i, err := d.find(d.top, c.key)
	if err != nil || i < 0 {
		return object{}, err
	}
	v := d.top.Members[i].Value
	servers, ok := asObject(v)
	if !ok {
		return object{}, d.syntaxError(v.StartOffset, fmt.Sprintf("%q should be an object, { … }", c.key))
	}
	return servers, nil
}

// lookup finds the entry with a name. i is the index of the member, or -1.
func (d *document) lookup(c Client, name string) (servers object, i int, e Entry, err error) {
	servers, err = d.servers(c)
	if err != nil || servers.Object == nil {
		return servers, -1, e, err
	}
	if i, err = d.find(servers, name); err != nil || i < 0 {
		return servers, -1, e, err
	}
	e, err = d.entry(c, name, servers.Members[i].Value)
	return servers, i, e, err
}
