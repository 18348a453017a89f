package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlFile is the syntax of Codex: TOML with a table [mcp_servers.NAME] for each server. Entries in
// inline tables and dotted keys are read, and not changed.
type tomlFile struct{}

// Members of an entry, https://github.com/openai/codex/blob/main/codex-rs/config/src/mcp_types.rs.
const (
	tomlVariables     = "env_vars"             // names of variables that the server gets
	tomlHeaders       = "http_headers"         // a table
	tomlTokenVariable = "bearer_token_env_var" // name of the variable with the bearer token
)

// tomlDocument is a parsed file. Offsets refer to text.
type tomlDocument struct {
	mark       string // the byte-order mark, or nothing
	text       []byte // the content after the byte-order mark
	statements []statement
	values     map[string]any
}

// parseTOML parses the content of a file.
func parseTOML(content []byte) (*tomlDocument, error) {
	d := &tomlDocument{text: content, values: map[string]any{}}
	if rest, ok := bytes.CutPrefix(content, []byte(utf8Mark)); ok {
		d.mark, d.text = utf8Mark, rest
	}
	if err := toml.Unmarshal(d.text, &d.values); err != nil {
		fault := &SyntaxError{1, 1, "the file is not TOML, or defines a name twice"}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			fault.Line, fault.Column = at.Position()
		}
		return nil, fault
	}
	d.statements = statements(d.text)
	return d, nil
}

// servers returns the values of the entries by name.
func (d *tomlDocument) servers(c Client) map[string]any {
	servers, _ := d.values[c.key].(map[string]any)
	return servers
}

// entry returns the entry with a name; ok is false without one.
func (d *tomlDocument) entry(c Client, name string) (e Entry, ok bool) {
	value, ok := d.servers(c)[name]
	if !ok {
		return e, false
	}
	e.Name = name
	members, _ := value.(map[string]any)
	e.Command, _ = members["command"].(string)
	if args, ok := members["args"]; ok {
		e.Args = stringsOf(args)
	}
	e.URL, e.Remote = members["url"].(string)
	if enabled, ok := members["enabled"].(bool); ok {
		e.Disabled = !enabled
	}
	return e, true
}

// stringsOf returns the strings of an array. Any other value becomes "\x00", as in texts.
func stringsOf(value any) []string {
	array, ok := value.([]any)
	if !ok {
		return []string{"\x00"}
	}
	var all []string
	for _, element := range array {
		s, ok := element.(string)
		if !ok {
			s = "\x00"
		}
		all = append(all, s)
	}
	return all
}

// entries implements syntax.
func (tomlFile) entries(content []byte, c Client) ([]Entry, error) {
	d, err := parseTOML(content)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range d.statements {
		if path := s.path(); len(path) > 1 && path[0] == c.key && !slices.Contains(names, path[1]) {
			names = append(names, path[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.servers(c))) { // of an inline table
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []Entry
	for _, name := range names {
		if e, ok := d.entry(c, name); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// nonstandardLine implements syntax.
func (tomlFile) nonstandardLine([]byte) int { return 0 }

// edited implements syntax.
func (tomlFile) edited(content []byte, c Client, scope Scope, name string, s Server) ([]byte, Action, error) {
	d, err := parseTOML(content)
	if err != nil {
		return nil, Nothing, err
	}
	old, ok := d.entry(c, name)
	if !ok {
		after := d.appended(d.table(c, scope, name, s))
		if now, err := parseTOML(after); err != nil || now.servers(c)[name] == nil {
			return nil, Nothing, fmt.Errorf("%q is an inline table or an array, to which nothing can be added; write its servers as tables [%[1]s.NAME]", c.key)
		}
		return after, Add, nil
	}
	if d.header(c, name) < 0 {
		return nil, Nothing, fmt.Errorf("the entry %q is not a table of its own; write it as [%s.%[1]s], or remove it", name, c.key)
	}
	action := Update
	switch {
	case s.URL != "" && old.URL == s.URL:
		content, err = d.withToken(c, scope, name, s)
	case s.URL != "" || old.Remote || old.Command == "":
		return d.replaced(c, name, d.table(c, scope, name, s)), Replace, nil
	default:
		if old.Program() != s.Program() {
			action = Replace
		}
		content, err = d.updated(c, name, old, s)
	}
	if err == nil && bytes.Equal(content, d.content()) {
		action = Nothing
	}
	return content, action, err
}

// content returns the content of the file.
func (d *tomlDocument) content() []byte { return append([]byte(d.mark), d.text...) }

// with returns the content of the file with splices applied.
func (d *tomlDocument) with(splices ...splice) []byte {
	return append([]byte(d.mark), apply(d.text, splices)...)
}

// eol returns the line end of the file.
func (d *tomlDocument) eol() string {
	if bytes.Contains(d.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// table returns the text of a new entry.
func (d *tomlDocument) table(c Client, scope Scope, name string, s Server) string {
	lines := []string{"[" + tomlKey(c.key) + "." + tomlKey(name) + "]"}
	add := func(key, value string) { lines = append(lines, key+" = "+value) }
	if s.URL != "" {
		add("url", tomlString(s.URL))
		if key, value := tokenMember(scope, s); key != "" {
			add(key, value)
		}
	} else {
		add("command", tomlString(s.Command))
		if len(s.Args) > 0 {
			add("args", tomlArray(s.Args))
		}
		if len(s.Env) > 0 {
			add(tomlVariables, tomlArray(s.Env))
		}
	}
	return strings.Join(lines, d.eol()) + d.eol()
}

// tokenMember returns the member with the token of a server, or with the variable that has it. It is
// empty if the server needs none.
func tokenMember(scope Scope, s Server) (key, value string) {
	switch {
	case s.Token != "" && scope == User:
		return tomlHeaders, "{ " + authorizationHeader + " = " + tomlString(bearer+s.Token) + " }"
	case s.TokenVariable != "":
		return tomlTokenVariable, tomlString(s.TokenVariable)
	}
	return "", ""
}

// appended returns the content of the file with a table at the end, after a blank line.
func (d *tomlDocument) appended(table string) []byte {
	lead := ""
	if len(d.text) > 0 {
		lead = d.eol()
		if d.text[len(d.text)-1] != '\n' {
			lead += d.eol()
		}
	}
	return d.with(splice{len(d.text), len(d.text), lead + table})
}

// header returns the index of the statement that begins the table of an entry, or -1.
func (d *tomlDocument) header(c Client, name string) int {
	return slices.IndexFunc(d.statements, func(s statement) bool {
		return s.header && !s.array && slices.Equal(s.table, []string{c.key, name})
	})
}

// section is a table of an entry, its own or one below it, without comments after it.
type section struct {
	table      []string
	start, end int
}

// sections returns the tables of an entry in order.
func (d *tomlDocument) sections(c Client, name string) []section {
	var all []section
	inside := false
	for _, s := range d.statements {
		if s.header {
			if inside = len(s.table) > 1 && s.table[0] == c.key && s.table[1] == name; inside {
				all = append(all, section{s.table, s.start, s.end})
			}
		} else if inside {
			all[len(all)-1].end = s.end
		}
	}
	return all
}

// replaced returns the content of the file with a text in place of the tables of an entry.
func (d *tomlDocument) replaced(c Client, name, text string) []byte {
	var splices []splice
	for _, s := range d.sections(c, name) {
		cut := splice{s.start, s.end, ""}
		if s.start == d.statements[d.header(c, name)].start {
			cut.text = text
		}
		splices = append(splices, cut)
	}
	return d.with(splices...)
}

// restored returns the content of the file with the tables of an entry as they are in was.
func (d *tomlDocument) restored(c Client, name string, was *tomlDocument) []byte {
	former := was.sections(c, name)
	var splices []splice
	for _, s := range d.sections(c, name) {
		cut := splice{s.start, s.end, ""}
		if i := slices.IndexFunc(former, func(f section) bool { return slices.Equal(f.table, s.table) }); i >= 0 {
			cut.text = string(was.text[former[i].start:former[i].end])
			former = slices.Delete(former, i, i+1)
		}
		splices = append(splices, cut)
	}
	for _, f := range former { // of tables that are gone
		splices[len(splices)-1].text += string(was.text[f.start:f.end])
	}
	return d.with(splices...)
}

// set returns the content of the file with a member of an entry's table replaced or added.
func (d *tomlDocument) set(c Client, name, key, value string) []byte {
	at := d.header(c, name)
	last := d.statements[at]
	for _, s := range d.statements[at+1:] {
		if s.header {
			break
		}
		if slices.Equal(s.key, []string{key}) {
			return d.with(splice{s.valueStart, s.valueEnd, value})
		}
		last = s
	}
	line := tomlKey(key) + " = " + value
	if d.text[last.end-1] != '\n' {
		return d.with(splice{last.end, last.end, d.eol() + line})
	}
	return d.with(splice{last.end, last.end, line + d.eol()})
}

// updated returns the content of the file with command, arguments and variables of an entry
// replaced. The other members of the entry stay.
func (d *tomlDocument) updated(c Client, name string, old Entry, s Server) ([]byte, error) {
	content := d.content()
	change := func(key, value string) error {
		now, err := parseTOML(content)
		if err != nil {
			return err
		}
		content = now.set(c, name, key, value)
		return nil
	}
	var err error
	if old.Command != s.Command {
		err = change("command", tomlString(s.Command))
	}
	if !slices.Equal(old.Args, s.Args) {
		err = errors.Join(err, change("args", tomlArray(s.Args)))
	}
	members, _ := d.servers(c)[name].(map[string]any)
	env, _ := members["env"].(map[string]any)
	var variables []string
	if listed, ok := members[tomlVariables]; ok {
		variables = stringsOf(listed)
	}
	missing := slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
		_, set := env[v]
		return set || slices.Contains(variables, v)
	})
	switch {
	case len(missing) == 0:
		return content, err
	case slices.Contains(variables, "\x00"):
		return nil, fmt.Errorf("%q of the entry %q is not an array of strings; correct it, or remove it", tomlVariables, name)
	}
	return content, errors.Join(err, change(tomlVariables, tomlArray(append(variables, missing...))))
}

// withToken returns the content of the file with the token of the server in an entry.
func (d *tomlDocument) withToken(c Client, scope Scope, name string, s Server) ([]byte, error) {
	key, value := tokenMember(scope, s)
	members, _ := d.servers(c)[name].(map[string]any)
	if key != tomlHeaders {
		if key == "" || members[key] == s.TokenVariable {
			return d.content(), nil
		}
		return d.set(c, name, key, value), nil
	}
	headers, _ := members[tomlHeaders].(map[string]any)
	if headers[authorizationHeader] == bearer+s.Token {
		return d.content(), nil
	}
	below := slices.ContainsFunc(d.statements, func(s statement) bool {
		path := s.path()
		return len(path) > 3 && slices.Equal(path[:3], []string{c.key, name, tomlHeaders})
	})
	if below { // a table of its own, or dotted keys
		return nil, fmt.Errorf("the headers of the entry %q are not an inline table; put \"Authorization\" there yourself, or remove the entry", name)
	}
	items := []string{authorizationHeader + " = " + tomlString(bearer+s.Token)}
	for _, header := range slices.Sorted(maps.Keys(headers)) {
		text, ok := headers[header].(string)
		if !ok {
			return nil, fmt.Errorf("a header of the entry %q is not a string; correct it, or remove it", name)
		}
		if header != authorizationHeader {
			items = append(items, tomlKey(header)+" = "+tomlString(text))
		}
	}
	return d.set(c, name, tomlHeaders, "{ "+strings.Join(items, ", ")+" }"), nil
}

// withdrawn implements syntax.
func (tomlFile) withdrawn(content []byte, c Client, name string, ours Server, former []byte) ([]byte, error) {
	d, err := parseTOML(content)
	if err != nil {
		return nil, err
	}
	e, ok := d.entry(c, name)
	if !ok || !ours.isEntry(e) || d.header(c, name) < 0 {
		return nil, nil
	}
	was, err := parseTOML(former)
	if err != nil {
		return nil, err
	}
	if was.header(c, name) >= 0 {
		return d.restored(c, name, was), nil
	}
	var splices []splice
	for _, s := range d.sections(c, name) {
		splices = append(splices, splice{s.start, s.end, ""})
	}
	for _, end := range []string{"\r\n", "\n"} { // the blank line before the table
		if before := d.text[:splices[0].start]; bytes.Equal(before, []byte(end)) || bytes.HasSuffix(before, []byte("\n"+end)) {
			splices[0].start -= len(end)
			break
		}
	}
	return d.with(splices...), nil
}

// masked implements syntax.
func (tomlFile) masked(content []byte, c Client, name, url string) string {
	if len(content) == 0 {
		return ""
	}
	d, err := parseTOML(content)
	if err != nil {
		return "(not TOML, and not shown)\n"
	}
	var open [][2]int
	for _, s := range d.statements {
		open = append(open, [2]int{s.start, s.valueStart}) // a key
		if s.header || len(s.path()) != 3 || s.path()[0] != c.key || s.path()[1] != name {
			continue
		}
		member := s.path()[2]
		e, _ := d.entry(c, name)
		if slices.Contains([]string{"command", "args", tomlVariables, tomlTokenVariable}, member) || member == "url" && url != "" && e.URL == url {
			open = append(open, [2]int{s.valueStart, s.valueEnd})
		}
	}
	var splices []splice
	scanTOML(d.text, func(start, end int) {
		comment := d.text[start] == '#'
		shown := slices.ContainsFunc(open, func(o [2]int) bool { return o[0] <= start && end <= o[1] })
		switch {
		case comment:
			splices = append(splices, splice{start, end, "# …"})
		case !shown && end-start > len(`""`):
			splices = append(splices, splice{start, end, `"…"` + strings.Repeat("\n", bytes.Count(d.text[start:end], []byte("\n")))})
		}
	})
	return string(d.with(splices...))
}
