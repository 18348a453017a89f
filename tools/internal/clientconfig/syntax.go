package clientconfig

// syntax is the language of a configuration file: it finds, adds and removes entries. Errors in the
// text of a file are of type *SyntaxError.
type syntax interface {
	// edited returns the content of a file with the entry of a server added or updated, and the
	// effect.
	edited(content []byte, c Client, scope Scope, name string, s Server) ([]byte, Action, error)
	// withdrawn returns the content of a file without the entry name, or with that entry as it was
	// in the former content. It returns nil if the file has no such entry, or if the user has
	// replaced the entry by one for another program or URL than ours.
	withdrawn(content []byte, c Client, name string, ours Server, former []byte) ([]byte, error)
	// entries returns the servers in order.
	entries(content []byte, c Client) ([]Entry, error)
	// masked returns a file's content for display. Strings and comments may be keys or tokens, so
	// they become an ellipsis; the structure and differences stay visible. The command line and the
	// given URL of the named entry are shown.
	masked(content []byte, c Client, name, url string) string
	// nonstandardLine returns the first line that a client may not be able to read, or 0.
	nonstandardLine(content []byte) int
}

// Entries returns the servers in the content of a file, in order. Errors in the syntax are of type
// *SyntaxError.
func (c Client) Entries(content []byte) ([]Entry, error) { return c.syntax.entries(content, c) }

// NonstandardLine returns the first line with a comment or a trailing comma if the client accepts
// standard JSON only. It returns 0 without such a line, and for other clients.
func (c Client) NonstandardLine(content []byte) int {
	if !c.strict {
		return 0
	}
	return c.syntax.nonstandardLine(content)
}

// named returns the entry with a name; ok is false without one.
func named(entries []Entry, name string) (e Entry, ok bool) {
	for _, e := range entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// jsonFile is the syntax of JSON, with comments and trailing commas.
type jsonFile struct{}

func (jsonFile) entries(content []byte, c Client) ([]Entry, error) {
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
		e, err := d.entry(c, name, m.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func (jsonFile) nonstandardLine(content []byte) int {
	d, err := parse(content)
	if err != nil {
		return 0
	}
	at := d.nonstandardOffset()
	if at < 0 {
		return 0
	}
	return d.syntaxError(at, "").Line
}
