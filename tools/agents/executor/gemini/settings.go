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
	homeVariable = "GEMINI_CLI_HOME" // parent of the directory of settings
	settingsDir  = ".gemini"
	settingsFile = "settings.json"
	tempDir      = "tmp" // sessions, for Spec.Resume

	maxSettings = 4 << 20 // bytes read of a copied file
	maxEntries  = 500     // linked entries of the user's directory
)

// configure writes a home directory for one agent: the user's settings with Spec.Servers,
// and links to all other entries of the user's directory. Changes that the program makes to
// these settings are lost with the directory.
func (o *Options) configure(dir string, s executor.Spec) error {
	home, err := o.home()
	if err != nil {
		return fmt.Errorf("find the Gemini settings: %w", err)
	}
	from, to := filepath.Join(home, settingsDir), filepath.Join(dir, settingsDir)
	settings, err := readUserSettings(filepath.Join(from, settingsFile))
	if err != nil {
		return err
	}
	addServers(settings, s)
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
		return fmt.Errorf("write the settings of the agent: %w", err)
	}
	return nil
}

// home returns the parent of the user's directory of settings.
func (o *Options) home() (string, error) {
	for _, dir := range []string{o.Home, os.Getenv(homeVariable)} {
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	return os.UserHomeDir()
}

// readUserSettings reads the user's settings, which may contain comments. A missing file yields empty
// settings. An unreadable file is an error, because the agent would otherwise run without
// the restrictions in it.
func readUserSettings(name string) (map[string]any, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return make(map[string]any), nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
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
		return nil, fmt.Errorf("read the Gemini settings %s to add the MCP servers of the agent: %w", name, err)
	}
	return all, nil
}

// read reads a file of at most maxSettings bytes.
func read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSettings+1))
	if err == nil && len(data) > maxSettings {
		err = fmt.Errorf("the file has more than %d bytes", maxSettings)
	}
	return data, err
}

// uncomment replaces comments by spaces, like the program. Comment marks in strings stay.
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

// addServers adds Spec.Servers to the settings; an equal name replaces the user's server. Trusted
// agents may call their tools without approval.
func addServers(settings map[string]any, s executor.Spec) {
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

// link creates links to all entries of the user's directory except the settings file. It
// creates the directory of sessions first if it is missing.
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
