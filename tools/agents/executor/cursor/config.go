package cursor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

const (
	configFile  = "cli-config.json" // settings of the program
	serversFile = "mcp.json"        // MCP servers
	chatsDir    = "chats"           // sessions, for Spec.Resume

	maxConfig  = 4 << 20 // bytes read of a copied file
	maxEntries = 500     // linked entries of the user's directory
)

// errLinks reports that the sessions cannot be linked, on a system without symbolic links.
var errLinks = errors.New("the sessions cannot be linked")

// configure writes the directory of settings of one agent: a copy of the settings file with
// Spec.Tools as permissions, mcp.json with Spec.Servers, and links to all other entries of
// the user's directory.
//
// Links keep sessions resumable, and a renewed login applies to all agents. The program
// reads MCP servers from .cursor/mcp.json of the working directory and of the home
// directory; only some builds read the mcp.json of the settings. configure does not change
// the other two files: agents share the working directory, and another home directory would
// lose the login.
func (o *Options) configure(dir string, s executor.Spec) error {
	from, err := o.configDir()
	if err != nil {
		return err
	}
	config := readUserFile(from, configFile)
	if len(s.Tools) > 0 {
		setPermissions(config, s.Tools)
	}
	if len(config) > 0 {
		if err := writeJSON(filepath.Join(dir, configFile), config); err != nil {
			return err
		}
	}
	if len(s.Servers) > 0 {
		all := readUserFile(from, serversFile)
		all["mcpServers"] = servers(all["mcpServers"], s.Servers)
		if err := writeJSON(filepath.Join(dir, serversFile), all); err != nil {
			return err
		}
	}
	if from == "" {
		return nil
	}
	return link(from, dir)
}

// link creates links to all entries of the user's directory except the settings file. It
// creates the directory of sessions first if it is missing.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Join(from, chatsDir), 0o700); err != nil {
		return fmt.Errorf("%w: %w", errLinks, err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("%w: %w", errLinks, err)
	}
	for _, entry := range entries[:min(len(entries), maxEntries)] {
		name := entry.Name()
		if strings.HasPrefix(name, configFile) { // including temporary and backup files
			continue
		}
		err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %w", errLinks, err)
		}
	}
	return nil
}

// configDir returns the user's directory of settings; empty for a replacement program,
// which has none.
func (o *Options) configDir() (string, error) {
	dir := o.ConfigDir
	if dir == "" && len(o.Args) > 0 {
		return "", nil
	}
	if dir == "" {
		dir = os.Getenv("CURSOR_CONFIG_DIR")
	}
	if dir == "" {
		dir = defaultDir()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the settings: %w", err)
	}
	return dir, nil
}

// defaultDir returns the program's default directory of settings. Builds differ, and each
// creates its own file: the directory below XDG_CONFIG_HOME counts unless only ~/.cursor
// has a settings file.
func defaultDir() string {
	usual := filepath.Join(homeDir(), ".cursor")
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		return usual
	}
	dir = filepath.Join(dir, "cursor")
	_, there := os.Stat(filepath.Join(dir, configFile))
	_, elsewhere := os.Stat(filepath.Join(usual, configFile))
	if there != nil && elsewhere == nil {
		return usual
	}
	return dir
}

// homeDir returns the home directory, or the directory for temporary files if it is
// unknown.
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return home
}

// readUserFile reads a JSON file of the user's directory. An unreadable or invalid file yields an
// empty map: the program then uses its defaults and repairs the file itself.
func readUserFile(dir, name string) map[string]any {
	if dir == "" {
		return make(map[string]any)
	}
	name = filepath.Join(dir, name)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // opening a named pipe would block
		return make(map[string]any)
	}
	file, err := os.Open(name)
	if err != nil {
		return make(map[string]any)
	}
	defer file.Close()
	var all map[string]any
	decoder := json.NewDecoder(io.LimitReader(file, maxConfig))
	decoder.UseNumber()
	if decoder.Decode(&all) != nil || all == nil {
		return make(map[string]any)
	}
	return all
}

// setPermissions sets the permissions of an agent in its settings. A "!" before a permission denies
// it.
func setPermissions(config map[string]any, tools []string) {
	allow, deny := []string{}, []string{}
	for _, tool := range tools {
		if denied, ok := strings.CutPrefix(tool, "!"); ok {
			deny = append(deny, denied)
		} else {
			allow = append(allow, tool)
		}
	}
	before, _ := config["permissions"].(map[string]any)
	if list, ok := before["deny"].([]any); ok { // keep the user's own denials
		for _, denied := range list {
			if text, ok := denied.(string); ok {
				deny = append(deny, text)
			}
		}
	}
	config["permissions"] = map[string]any{"allow": allow, "deny": deny}
	if _, ok := config["version"]; !ok {
		config["version"] = 1
	}
}

// servers returns the user's MCP servers with the given servers added; an equal name
// replaces the user's.
func servers(before any, list []executor.Server) map[string]any {
	all, ok := before.(map[string]any)
	if !ok {
		all = make(map[string]any, len(list))
	}
	for _, s := range list {
		env := make(map[string]string, len(s.Env))
		for _, v := range s.Env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		all[s.Name] = map[string]any{"command": s.Command, "args": append([]string{}, s.Args...), "env": env}
	}
	return all
}

// writeJSON writes a file that only the user can read.
func writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = os.WriteFile(name, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the settings of an agent: %w", err)
	}
	return nil
}
