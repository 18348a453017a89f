package clientconfig

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Server says how a client starts a server, or where it reaches one that runs already.
type Server struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// URL is where the server is reached, with Streamable HTTP; empty if the client
	// starts it.
	URL string `json:"url,omitempty"`
	// Token is the bearer token for URL. It is entered into files of the user alone.
	// Files of a project, and all files if it is empty, refer to TokenVariable of the
	// client's environment, unless that is empty too.
	Token         string `json:"-"`
	TokenVariable string `json:"-"`
	// Env are the names of variables that the client hands on from its own
	// environment, where an entry can say so.
	Env []string `json:"env,omitempty"`
}

// Entry is what a file says of one server. Its Env is not read.
type Entry struct {
	Server
	Name     string
	Remote   bool // it is reached by a URL, and not started
	Disabled bool // the client does not start it
}

// Same reports whether two commands start the same, with the same arguments.
func (s Server) Same(t Server) bool {
	return s.Command == t.Command && slices.Equal(s.Args, t.Args)
}

// isEntry reports whether an entry is the one that was made for the server, of which
// people may have changed the arguments.
func (s Server) isEntry(e Entry) bool {
	if s.URL != "" {
		return e.URL == s.URL
	}
	return e.Program() == s.Program()
}

// Program is the name of the program that is started, without its directory:
// that of the package where the command is "go run".
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

// programName is the last name of a path in the manner of any system. Windows
// asks neither for the ending nor for the case.
func programName(command string) string {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = strings.ToLower(name[:len(name)-4])
	}
	return name
}

// fields are the members of a new entry.
func (c Client) fields(s Server, scope Scope) []field {
	var fields []field
	if s.URL != "" {
		if c.typed {
			fields = append(fields, field{"type", "http"})
		}
		fields = append(fields, field{"url", s.URL})
		if authorization := c.authorization(s, scope); authorization.value != nil {
			fields = append(fields, field{"headers", []field{authorization}})
		}
		return fields
	}
	if c.typed {
		fields = append(fields, field{"type", "stdio"})
	}
	fields = append(fields, field{"command", s.Command})
	if len(s.Args) > 0 {
		fields = append(fields, field{"args", s.Args})
	}
	if env := c.handedOn(s.Env); len(env) > 0 {
		fields = append(fields, field{"env", env})
	}
	return fields
}

// entry reads an entry. What it has that is not as it should be counts as absent:
// it differs then from what is to be entered.
func (d *document) entry(name string, v hujson.Value) (Entry, error) {
	e := Entry{Name: name}
	o, ok := asObject(v)
	if !ok {
		return e, nil
	}
	for _, member := range []string{"command", "args", "type", "url", "serverUrl", "disabled"} {
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
			e.Command, _ = text(value)
		case "args":
			e.Args = texts(value)
		case "type":
			kind, _ := text(value)
			e.Remote = e.Remote || kind != "stdio"
		case "disabled":
			e.Disabled = value.Kind() == 't'
		default:
			e.Remote = true
			e.URL, _ = text(value)
		}
	}
	return e, nil
}

func text(v hujson.ValueTrimmed) (string, bool) {
	literal, ok := v.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

// texts are the strings of an array. Anything else in it is taken for a string
// that no command line has, so that the array differs from every other.
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

// servers is the object that holds the servers; its object is nil if the file
// has none.
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
		return object{}, d.fault(v.StartOffset, fmt.Sprintf("%q should be an object, { … }", c.key))
	}
	return servers, nil
}

// lookup finds the entry of a name. The index is that of the member, or -1.
func (d *document) lookup(c Client, name string) (servers object, i int, e Entry, err error) {
	servers, err = d.servers(c)
	if err != nil || servers.Object == nil {
		return servers, -1, e, err
	}
	if i, err = d.find(servers, name); err != nil || i < 0 {
		return servers, -1, e, err
	}
	e, err = d.entry(name, servers.Members[i].Value)
	return servers, i, e, err
}

// Entries returns the servers that a file's content names, in their order.
func (c Client) Entries(content []byte) ([]Entry, error) {
	d, err := parse(content)
	if err != nil {
		return nil, err
	}
	servers, err := d.servers(c)
	if err != nil || servers.Object == nil {
		return nil, err
	}
	var all []Entry
	for _, m := range servers.Members {
		name, _ := text(m.Name.Value)
		e, err := d.entry(name, m.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Loose is the first line of a content with a comment, or a comma before a closing
// bracket, which the client may not read; 0 if there is none, or it may.
func (c Client) Loose(content []byte) int {
	d, err := parse(content)
	if err != nil || !c.strict {
		return 0
	}
	at := d.loose()
	if at < 0 {
		return 0
	}
	return d.fault(at, "").Line
}
