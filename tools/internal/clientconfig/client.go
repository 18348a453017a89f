package clientconfig

import (
	"fmt"
	"strings"
)

// Scope says whose configuration is meant.
type Scope uint8

const (
	// Usual is User, and for VS Code Project, where it looks first.
	Usual Scope = iota
	// User is the file that holds for all of the user's projects.
	User
	// Project is the file that lies in a project, and that others who work on
	// it may get with it.
	Project
)

// Client is a program that starts MCP servers which a file names.
type Client struct {
	Name  string // on the command line, such as "claude-code"
	Title string // as people call it
	// Reload says how the client comes to see the change.
	Reload string

	key    string // of the member that holds the servers
	typed  bool   // an entry says "type": "stdio"
	strict bool   // reads JSON without comments and trailing commas
	// refer is how an entry refers to a variable of the client's environment: its
	// name in place of NAME; empty: it cannot.
	refer  string
	starts bool // starts servers and reaches none by a URL, as far as its file says
	usual  Scope
	user   func(Environment) (string, error)
	inside []string // path of the file in a project; nil: it has none there
}

// All are the clients that are known, in the order in which they are shown.
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

// Find returns the client of a name. The error of an unknown one lists those
// that are known.
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

// Scopes are those that the client has, its usual one first.
func (c Client) Scopes() []Scope {
	switch {
	case c.inside == nil:
		return []Scope{User}
	case c.usual == Project:
		return []Scope{Project, User}
	}
	return []Scope{User, Project}
}

// Location is one of a client's configuration files, which need not exist.
type Location struct {
	Client Client
	Scope  Scope // never Usual
	File   string
}

// Locate finds the configuration file of a scope. The project is the absolute
// path of the directory whose file Project means.
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

// settings is a path where programs keep the user's settings.
func (e Environment) settings(names ...string) (string, error) {
	dir, err := e.SettingsDir()
	if err != nil {
		return "", err
	}
	return e.join(dir, names...), nil
}

// codeFile is where Claude Code keeps its state and the user's servers.
func codeFile(e Environment) (string, error) {
	if dir := e.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return e.join(dir, ".claude.json"), nil
	}
	return e.below(".claude.json")
}

// desktopFile is Claude Desktop's. On Windows it is installed as a package,
// whose programs see a directory of the package's in place of %APPDATA%; older
// installations are not.
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
