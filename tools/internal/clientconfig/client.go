package clientconfig

import (
	"fmt"
	"strings"
)

// Scope selects the user's or a project's configuration of a client.
type Scope uint8

const (
	// Usual selects the client's preferred scope: Project for VS Code, User for the others.
	Usual Scope = iota
	// User selects the file that applies to all projects of the user.
	User
	// Project selects the file in a project, which other people may share by version control.
	Project
)

// Client is a program that starts or reaches the MCP servers that a configuration file lists.
type Client struct {
	Name  string // on the command line, such as "claude-code"
	Title string // for people, such as "Claude Code"
	// Reload is a sentence that tells the user how to make the client read the file again.
	Reload string

	key    string // the name of the member that holds the servers
	typed  bool   // entries have a member "type"
	strict bool   // the client reads JSON without comments and trailing commas only
	// refer is the reference to an environment variable in an entry, with NAME for its name. It is
	// empty if the client has no such references.
	refer  string
	starts bool                              // the file supports commands only, no URLs
	usual  Scope                             // the scope that Usual selects
	user   func(Environment) (string, error) // returns the path of the user's file
	inside []string                          // path of the file in a project; nil without one
}

// All returns the supported clients in the order in which lists show them.
func All() []Client {
	return []Client{
		{
			Name: "cursor", Title: "Cursor", key: "mcpServers", strict: true, refer: "${env:NAME}", usual: User,
			user:   func(e Environment) (string, error) { return e.below(".cursor", "mcp.json") },
			inside: []string{".cursor", "mcp.json"},
			Reload: "Cursor notices the change by itself; Settings > MCP shows the server and switches it on.",
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", key: "mcpServers", strict: true, starts: true, usual: User,
			user:   desktopFile,
			Reload: "Quit Claude Desktop and start it again; closing its window is not enough.",
		},
		{
			Name: "vscode", Title: "VS Code", key: "servers", typed: true, refer: "${env:NAME}", usual: Project,
			user:   func(e Environment) (string, error) { return e.settings("Code", "User", "mcp.json") },
			inside: []string{".vscode", "mcp.json"},
			Reload: "Press Start above the entry in mcp.json, or run \"MCP: List Servers\" from the command palette.",
		},
		{
			Name: "claude-code", Title: "Claude Code", key: "mcpServers", typed: true, strict: true, refer: "${NAME:-}", usual: User,
			user:   codeFile,
			inside: []string{".mcp.json"},
			Reload: "Start a new session of Claude Code; /mcp shows the server, and asks once about one of a project.",
		},
	}
}

// Find returns the client with a name. The error for an unknown name lists the known ones.
func Find(name string) (Client, error) {
	var known []string
	for _, c := range All() {
		if c.Name == name {
			return c, nil
		}
		known = append(known, c.Name)
	}
	return Client{}, fmt.Errorf("there is no client %q; known are %s", name, strings.Join(known, ", "))
}

// Scopes returns the scopes that the client supports, the preferred one first.
func (c Client) Scopes() []Scope {
	switch {
	case c.inside == nil:
		return []Scope{User}
	case c.usual == Project:
		return []Scope{Project, User}
	}
	return []Scope{User, Project}
}

// Location is a configuration file of a client. The file need not exist.
type Location struct {
	Client Client
	Scope  Scope  // User or Project
	File   string // an absolute path
}

// Locate returns the configuration file of a scope. project is the absolute path of the project
// directory; it is used for Project only. It is an error if the client has no such scope or the
// directory of the user's settings is unknown.
func (c Client) Locate(e Environment, scope Scope, project string) (Location, error) {
	if scope == Usual {
		scope = c.usual
	}
	if scope == Project && c.inside == nil {
		return Location{}, fmt.Errorf("%s has one configuration for all projects, and none in a project", c.Title)
	}
	if scope == Project {
		return Location{c, scope, e.join(project, c.inside...)}, nil
	}
	file, err := c.user(e)
	return Location{c, scope, file}, err
}

// settings returns a path in the user's settings directory.
func (e Environment) settings(names ...string) (string, error) {
	dir, err := e.SettingsDir()
	if err != nil {
		return "", err
	}
	return e.join(dir, names...), nil
}

// codeFile returns the file of Claude Code's state and of the user's servers.
func codeFile(e Environment) (string, error) {
	if dir := e.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return e.join(dir, ".claude.json"), nil
	}
	return e.below(".claude.json")
}

// desktopFile returns the file of Claude Desktop. Its Windows package redirects %APPDATA% to a
// directory of the package; older installations do not.
func desktopFile(e Environment) (string, error) {
	const file = "claude_desktop_config.json"
	local := e.getenv("LOCALAPPDATA")
	if e.GOOS == "windows" && local != "" {
		packages := e.join(local, "Packages")
		var found []string
		for _, name := range e.list(packages) {
			if strings.HasPrefix(name, "Claude_") {
				found = append(found, e.join(packages, name, "LocalCache", "Roaming", "Claude", file))
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", fmt.Errorf("there is more than one installation of Claude Desktop: %s", strings.Join(found, " and "))
		}
	}
	return e.settings("Claude", file)
}
