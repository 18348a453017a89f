package clientconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Scope selects the user's or a project's configuration of a client.
type Scope uint8

const (
	// Usual selects the client's preferred scope: Project for VS Code and JetBrains, User for the others.
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

	syntax syntax // of the file
	key    string // the name of the member that holds the servers
	form   form   // of the entries
	strict bool   // the client reads JSON without comments and trailing commas only
	// refer is the reference to an environment variable in an entry, with NAME for its name. It is
	// empty if the client has no such references. Files of TOML name variables in members of their
	// own.
	refer string
	// inherits reports that servers get the client's environment, so that entries need not name its
	// variables.
	inherits bool
	starts   bool  // the file supports commands only, no URLs
	usual    Scope // the scope that Usual selects
	// user returns the path of the user's file; nil if the client has none.
	user   func(Environment) (string, error)
	inside []string // path of the file in a project; nil without one
	before []string // path of a file in a project that is used instead of inside if it exists; nil without one

	variant  string   // another name of the file, used if it exists and the file does not
	programs []string // names of the client's program, without ".exe"
	// trace returns a path that exists where the client is installed; nil: the directory of the
	// user's file.
	trace func(Environment) (string, error)
}

// form is the form of a client's entries in JSON.
type form struct {
	local, remote string // values of the member "type"; empty: without this member
	joined        bool   // "command" is an array of the program and its arguments
	env           string // the member with variables; empty: "env"
	url           string // the member with the URL; empty: "url"
	enabled       bool   // entries have "enabled": true
}

// envMember returns the name of the member with variables.
func (f form) envMember() string { return cmp.Or(f.env, "env") }

// urlMember returns the name of the member with the URL.
func (f form) urlMember() string { return cmp.Or(f.url, "url") }

// serversKey is the member with the servers in most files.
const serversKey = "mcpServers"

// All returns the supported clients in the order in which lists show them.
func All() []Client {
	typed := form{local: "stdio", remote: "http"}
	return []Client{
		{
			Name: "cursor", Title: "Cursor", syntax: jsonFile{}, key: serversKey, strict: true, refer: "${env:NAME}", usual: User,
			user:     func(e Environment) (string, error) { return e.below(".cursor", "mcp.json") },
			inside:   []string{".cursor", "mcp.json"},
			programs: []string{"cursor", "cursor-agent"},
			Reload:   "Cursor notices the change by itself; Settings > MCP shows the server and switches it on.",
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", syntax: jsonFile{}, key: serversKey, strict: true, starts: true, usual: User,
			user:   desktopFile,
			Reload: "Quit Claude Desktop and start it again; closing its window is not enough.",
		},
		{
			Name: "vscode", Title: "VS Code", syntax: jsonFile{}, key: "servers", form: typed, refer: "${env:NAME}", usual: Project,
			user:     func(e Environment) (string, error) { return e.settings("Code", "User", "mcp.json") },
			inside:   []string{".vscode", "mcp.json"},
			programs: []string{"code"},
			Reload:   "Press Start above the entry in mcp.json, or run \"MCP: List Servers\" from the command palette.",
		},
		{
			Name: "vscode-insiders", Title: "VS Code Insiders", syntax: jsonFile{}, key: "servers", form: typed, refer: "${env:NAME}", usual: Project,
			user:     func(e Environment) (string, error) { return e.settings("Code - Insiders", "User", "mcp.json") },
			inside:   []string{".vscode", "mcp.json"},
			programs: []string{"code-insiders"},
			Reload:   "Press Start above the entry in mcp.json, or run \"MCP: List Servers\" from the command palette.",
		},
		{
			Name: "claude-code", Title: "Claude Code", syntax: jsonFile{}, key: serversKey, form: typed, strict: true, refer: "${NAME:-}", usual: User,
			user:     codeFile,
			inside:   []string{".mcp.json"},
			programs: []string{"claude"},
			trace:    codeDir,
			Reload:   "Start a new session of Claude Code; /mcp shows the server. Claude Code asks once before it starts a server of a project.",
		},
		{
			Name: "codex", Title: "Codex", syntax: tomlFile{}, key: "mcp_servers", refer: "NAME", usual: User,
			user:     codexFile,
			inside:   []string{".codex", "config.toml"},
			programs: []string{"codex"},
			Reload:   "Start a new session of Codex; /mcp shows the server.",
		},
		{
			Name: "gemini", Title: "Gemini CLI", syntax: jsonFile{}, key: serversKey, form: form{remote: "http"}, refer: "${NAME:-}", usual: User,
			user:     func(e Environment) (string, error) { return e.below(".gemini", "settings.json") },
			inside:   []string{".gemini", "settings.json"},
			programs: []string{"gemini"},
			Reload:   "Start a new session of Gemini CLI; /mcp shows the server.",
		},
		{
			Name: "opencode", Title: "OpenCode", syntax: jsonFile{}, key: "mcp", refer: "{env:NAME}", usual: User,
			form:     form{local: "local", remote: "remote", joined: true, env: "environment", enabled: true},
			user:     func(e Environment) (string, error) { return e.xdg("opencode", "opencode.json") },
			inside:   []string{"opencode.json"},
			variant:  "opencode.jsonc",
			programs: []string{"opencode"},
			Reload:   "Start OpenCode again; \"opencode mcp list\" shows the server.",
		},
		{
			Name: "qwen", Title: "Qwen Code", syntax: jsonFile{}, key: serversKey, form: form{url: "httpUrl"}, refer: "${NAME}", inherits: true, usual: User,
			user:     qwenFile,
			inside:   []string{".qwen", "settings.json"},
			programs: []string{"qwen"},
			Reload:   "Start a new session of Qwen Code; /mcp shows the server.",
		},
		{
			Name: "copilot", Title: "GitHub Copilot CLI", syntax: jsonFile{}, key: serversKey, form: typed, strict: true, refer: "${NAME:-}", usual: User,
			user:     copilotFile,
			inside:   []string{".github", "mcp.json"},
			before:   []string{".mcp.json"},
			programs: []string{"copilot"},
			Reload:   "Start a new session of Copilot CLI; \"copilot mcp list\" shows the server.",
		},
		{
			Name: "crush", Title: "Crush", syntax: jsonFile{}, key: "mcp", form: typed, strict: true, refer: "$NAME", inherits: true, usual: User,
			user:     crushFile,
			inside:   []string{"crush.json"},
			before:   []string{".crush.json"},
			programs: []string{"crush"},
			Reload:   "Start Crush again; its side bar shows the server.",
		},
		{
			Name: "windsurf", Title: "Windsurf", syntax: jsonFile{}, key: serversKey, form: form{url: "serverUrl"}, strict: true, refer: "${env:NAME}", usual: User,
			user:     func(e Environment) (string, error) { return e.below(".codeium", "windsurf", "mcp_config.json") },
			programs: []string{"windsurf"},
			Reload:   "Press Refresh in Windsurf's list of MCP servers.",
		},
		{
			Name: "zed", Title: "Zed", syntax: jsonFile{}, key: "context_servers", usual: User,
			user:     zedFile,
			inside:   []string{".zed", "settings.json"},
			programs: []string{"zed", "zeditor"},
			Reload:   "Zed notices the change by itself; the settings of its agent panel show the server.",
		},
		{
			Name: "junie", Title: "JetBrains Junie", syntax: jsonFile{}, key: serversKey, strict: true, usual: User,
			user:     func(e Environment) (string, error) { return e.below(".junie", "mcp", "mcp.json") },
			inside:   []string{".junie", "mcp", "mcp.json"},
			programs: []string{"junie"},
			trace:    func(e Environment) (string, error) { return e.below(".junie") },
			Reload:   "Settings > Tools > Junie > MCP Settings shows the server and switches it on.",
		},
		{
			Name: "jetbrains", Title: "JetBrains AI Assistant", syntax: jsonFile{}, key: serversKey, strict: true, usual: Project,
			inside: []string{".ai", "mcp", "mcp.json"},
			trace:  func(e Environment) (string, error) { return e.settings("JetBrains") },
			Reload: "Settings > Tools > AI Assistant > Model Context Protocol shows the server and switches it on.",
		},
		{
			Name: "cline", Title: "Cline", syntax: jsonFile{}, key: serversKey, form: form{local: "stdio", remote: "streamableHttp"}, strict: true, usual: User,
			user:     clineFile,
			programs: []string{"cline"},
			trace:    func(e Environment) (string, error) { return e.below(".cline") },
			Reload:   "Cline notices the change by itself; its list of MCP servers shows the server.",
		},
		{
			Name: "cline-vscode", Title: "Cline in VS Code", syntax: jsonFile{}, key: serversKey, form: form{local: "stdio", remote: "streamableHttp"}, strict: true, usual: User,
			user: func(e Environment) (string, error) {
				return e.settings("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
			},
			Reload: "Cline notices the change by itself; its list of MCP servers shows the server.",
		},
		{
			Name: "continue", Title: "Continue", syntax: jsonFile{}, key: serversKey, form: typed, strict: true, usual: User,
			user:   continueFile,
			inside: []string{".continue", "mcpServers", "mcp.json"},
			trace:  continueDir,
			Reload: "Reload the window of the editor; the tools of Continue's agent mode show the server.",
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
	case c.user == nil:
		return []Scope{Project}
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
	if scope == User && c.user == nil {
		return Location{}, fmt.Errorf("%s has one configuration for each project, and none for all; leave out -user", c.Title)
	}
	if scope == Project {
		if before := e.join(project, c.before...); c.before != nil && e.exists(before) {
			return Location{c, scope, before}, nil
		}
		return Location{c, scope, c.choose(e, project, c.inside)}, nil
	}
	file, err := c.user(e)
	if err != nil {
		return Location{c, scope, file}, err
	}
	dir, name := e.split(file)
	return Location{c, scope, c.choose(e, dir, []string{name})}, nil
}

// choose returns the path of the file below a directory, or of its variant if only that one exists.
func (c Client) choose(e Environment, dir string, names []string) string {
	file := e.join(dir, names...)
	parent, name := e.split(file)
	if found := e.list(parent); c.variant != "" && !slices.Contains(found, name) && slices.Contains(found, c.variant) {
		return e.join(parent, c.variant)
	}
	return file
}

// Installed reports whether the client seems to be installed: its directory exists, or its program
// is in a directory of PATH.
func (c Client) Installed(e Environment) bool {
	find := c.trace
	if find == nil {
		find = func(e Environment) (string, error) {
			file, err := c.user(e)
			dir, _ := e.split(file)
			return dir, err
		}
	}
	if trace, err := find(e); err == nil && e.exists(trace) {
		return true
	}
	return slices.ContainsFunc(c.programs, e.hasProgram)
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

// codeDir returns the directory of Claude Code's settings.
func codeDir(e Environment) (string, error) {
	if dir := e.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	return e.below(".claude")
}

// codexFile returns the settings of Codex.
func codexFile(e Environment) (string, error) {
	if dir := e.getenv("CODEX_HOME"); dir != "" {
		return e.join(dir, "config.toml"), nil
	}
	return e.below(".codex", "config.toml")
}

// qwenFile returns the settings of Qwen Code.
func qwenFile(e Environment) (string, error) {
	if dir := e.getenv("QWEN_HOME"); dir != "" {
		return e.join(dir, "settings.json"), nil
	}
	return e.below(".qwen", "settings.json")
}

// copilotFile returns the file with the user's servers of Copilot CLI.
func copilotFile(e Environment) (string, error) {
	if dir := e.getenv("COPILOT_HOME"); dir != "" {
		return e.join(dir, "mcp-config.json"), nil
	}
	return e.below(".copilot", "mcp-config.json")
}

// crushFile returns the user's settings of Crush, which are below ~/.config on every system. Crush merges them with its crushrc.
func crushFile(e Environment) (string, error) {
	if dir := e.getenv("CRUSH_GLOBAL_CONFIG"); dir != "" {
		return e.join(dir, "crush.json"), nil
	}
	return e.xdg("crush", "crush.json")
}

// continueDir returns the directory of Continue's settings.
func continueDir(e Environment) (string, error) {
	if dir := e.getenv("CONTINUE_GLOBAL_DIR"); dir != "" {
		return dir, nil
	}
	return e.below(".continue")
}

// continueFile returns a file in the directory where Continue reads the servers of all JSON files.
func continueFile(e Environment) (string, error) {
	dir, err := continueDir(e)
	if err != nil {
		return "", err
	}
	return e.join(dir, "mcpServers", "mcp.json"), nil
}

// clineFile returns the file that Cline's programs share.
func clineFile(e Environment) (string, error) {
	if file := e.getenv("CLINE_MCP_SETTINGS_PATH"); file != "" {
		return file, nil
	}
	return e.below(".cline", "data", "settings", "cline_mcp_settings.json")
}

// zedFile returns the settings of Zed, which are below ~/.config on macOS, too.
func zedFile(e Environment) (string, error) {
	if e.GOOS == "windows" {
		return e.settings("Zed", "settings.json")
	}
	return e.xdg("zed", "settings.json")
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
