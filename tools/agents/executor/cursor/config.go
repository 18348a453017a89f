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
	configFile  = "cli-config.json" // the settings of the program
	serversFile = "mcp.json"        // MCP servers
	chatsDir    = "chats"           // sessions, which are gone on with later

	maxConfig  = 4 << 20 // bytes of a file that is copied
	maxEntries = 500     // of the directory that are linked
)

// errLinks is the error of a system on which the sessions cannot be shared.
var errLinks = errors.New("the sessions cannot be linked")

// configure fills a directory with settings for one agent: agents that share one
// overwrite each other's.
//
// The program looks there for its settings, for the login, where no keychain has
// that, and for its sessions. All but the settings are links to what the user has:
// a session can be gone on with, and who renews the login renews it for all. MCP
// servers it reads from .cursor/mcp.json of the working directory and of the home
// directory; a build that looks beside its settings, too, finds Spec.Servers.
// Neither of the other places is touched: the one is the user's tree, which other
// agents share, and with another home the login is lost.
func (o *Options) configure(dir string, s executor.Spec) error {
	from, err := o.configDir()
	if err != nil {
		return err
	}
	config := own(from, configFile)
	if len(s.Tools) > 0 {
		permit(config, s.Tools)
	}
	if len(config) > 0 {
		if err := writeJSON(filepath.Join(dir, configFile), config); err != nil {
			return err
		}
	}
	if len(s.Servers) > 0 {
		all := own(from, serversFile)
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

// link lets an agent find what else lies beside the user's settings.
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
		if strings.HasPrefix(name, configFile) { // its temporary and broken ones, too
			continue
		}
		err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %w", errLinks, err)
		}
	}
	return nil
}

// configDir is where the program looks for its settings. One that stands in for it has none.
func (o *Options) configDir() (string, error) {
	dir := o.ConfigDir
	if dir == "" && len(o.Args) > 0 {
		return "", nil
	}
	if dir == "" {
		dir = os.Getenv("CURSOR_CONFIG_DIR")
	}
	if dir == "" {
		dir = usualDir()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the settings: %w", err)
	}
	return dir, nil
}

// usualDir is where the settings are, as long as nobody says anything else. Builds differ, and each makes its file.
func usualDir() string {
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

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return home
}

// own reads a file of settings of the user. What cannot be read is left out: the
// program then has its defaults, and repairs the file itself.
func own(dir, name string) map[string]any {
	if dir == "" {
		return make(map[string]any)
	}
	name = filepath.Join(dir, name)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // to open a pipe would wait for somebody
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

// permit sets what an agent may do. A "!" before a permission denies it.
func permit(config map[string]any, tools []string) {
	allow, deny := []string{}, []string{}
	for _, tool := range tools {
		if denied, ok := strings.CutPrefix(tool, "!"); ok {
			deny = append(deny, denied)
		} else {
			allow = append(allow, tool)
		}
	}
	before, _ := config["permissions"].(map[string]any)
	if list, ok := before["deny"].([]any); ok { // what the user has denied stays so
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

// servers adds MCP servers to those that the user has.
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
