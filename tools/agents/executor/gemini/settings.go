package gemini

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
	homeVariable = "GEMINI_CLI_HOME" // where the program looks for the directory of its settings
	settingsDir  = ".gemini"
	settingsFile = "settings.json"
	tempDir      = "tmp" // sessions, which are gone on with later

	maxSettings = 4 << 20 // bytes of a file that is copied
	maxEntries  = 500     // of the directory that are linked
)

// configure makes a home for one agent in a directory: the user's settings with the
// MCP servers of the agent, and links to all else that lies beside them. What the
// program changes in its settings is lost with the directory.
func (o *Options) configure(dir string, s executor.Spec) error {
	home, err := o.home()
	if err != nil {
		return fmt.Errorf("finding the settings of Gemini: %w", err)
	}
	from, to := filepath.Join(home, settingsDir), filepath.Join(dir, settingsDir)
	settings, err := own(filepath.Join(from, settingsFile))
	if err != nil {
		return err
	}
	add(settings, s)
	data, err := json.MarshalIndent(settings, "", "  ")
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, settingsFile), append(data, '\n'), 0o600)
	}
	if err == nil {
		err = link(from, to)
	}
	if err != nil {
		return fmt.Errorf("writing the settings of an agent: %w", err)
	}
	return nil
}

// home is where the directory of settings is.
func (o *Options) home() (string, error) {
	for _, dir := range []string{o.Home, os.Getenv(homeVariable)} {
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	return os.UserHomeDir()
}

// own reads the settings of the user, which may have comments. None are no error, but those that cannot be read are one: without
// them the agent might do what they forbid.
func own(name string) (map[string]any, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return make(map[string]any), nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	var data []byte
	if err == nil {
		data, err = read(name)
	}
	all := make(map[string]any)
	if err == nil {
		decoder := json.NewDecoder(strings.NewReader(uncomment(string(data))))
		decoder.UseNumber()
		if err = decoder.Decode(&all); err == nil && all == nil {
			all = make(map[string]any)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings of Gemini, %s, to give an agent its MCP servers: %w", name, err)
	}
	return all, nil
}

func read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSettings+1))
	if err == nil && len(data) > maxSettings {
		err = fmt.Errorf("it has more than %d bytes", maxSettings)
	}
	return data, err
}

// uncomment blanks comments out, as the program does.
func uncomment(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case b[i] == '/' && i+1 < len(b) && (b[i+1] == '/' || b[i+1] == '*'):
			end := strings.IndexByte(text[i:], '\n')
			if b[i+1] == '*' {
				if end = strings.Index(text[i+2:], "*/"); end >= 0 {
					end += len("/**/")
				}
			}
			if end < 0 {
				end = len(b) - i
			}
			for n := range end {
				b[i+n] = ' '
			}
			i += end - 1
		}
	}
	return string(b)
}

// add adds MCP servers to those that the user has.
func add(settings map[string]any, s executor.Spec) {
	all, ok := settings["mcpServers"].(map[string]any)
	if !ok {
		all = make(map[string]any, len(s.Servers))
		settings["mcpServers"] = all
	}
	for _, server := range s.Servers {
		env := make(map[string]string, len(server.Env))
		for _, v := range server.Env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		all[server.Name] = map[string]any{"command": server.Command, "args": append([]string{}, server.Args...), "env": env, "trust": s.Trust}
	}
}

// link lets an agent find what else lies beside the user's settings.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Join(from, tempDir), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries[:min(len(entries), maxEntries)] {
		if name := entry.Name(); name != settingsFile {
			if err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	return nil
}
