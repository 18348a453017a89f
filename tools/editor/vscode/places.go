package vscode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

const (
	protocol       = 1        // version of the protocol of the extension
	maxDescription = 64 << 10 // limit of a window's file, in bytes
	maxWindows     = 64       // limit of windows in one directory; further ones are ignored
)

// description is the content of a window's file.
type description struct {
	Protocol int      `json:"protocol"`
	Socket   string   `json:"socket"`
	Token    string   `json:"token"`
	Folders  []string `json:"folders"`
	PID      int      `json:"pid"`
	Host     string   `json:"host"`

	file string // path of the file
}

// descriptionDirs returns the directories in which windows write their descriptions. dir replaces the default directories unless it is empty.
func descriptionDirs(dir string) []string {
	if dir == "" {
		dir = os.Getenv("DOUGU_VSCODE_DIR")
	}
	if dir != "" {
		return []string{dir}
	}
	home, err := os.UserHomeDir()
	if runtime.GOOS == "windows" {
		local := os.Getenv("LOCALAPPDATA")
		if local == "" && err == nil {
			local = filepath.Join(home, "AppData", "Local")
		}
		return []string{filepath.Join(local, "dougu", "vscode")}
	}
	var all []string
	if run := os.ExpandEnv("$XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "dougu", "vscode"))
	} else if runtime.GOOS == "linux" {
		// MCP clients start servers with few environment variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "dougu", "vscode"))
	}
	if err == nil {
		all = append(all, filepath.Join(home, ".cache", "dougu", "vscode"))
	}
	return all
}

// descriptions reads the files of windows in a directory. faults are problems that a user can fix.
func descriptions(dir string) (all []description, faults []error) {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, []error{err}
	case !info.IsDir() || !local.IsPrivate(info):
		return nil, []error{fmt.Errorf("%s is not a directory that only its owner can use; its files are not trusted", dir)}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, []error{err}
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" || !entry.Type().IsRegular() {
			continue
		}
		if len(all) == maxWindows {
			return all, append(faults, fmt.Errorf("%s holds more than %d windows", dir, maxWindows))
		}
		d, err := readDescription(filepath.Join(dir, entry.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // closed meanwhile
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, d)
	}
	return all, faults
}

// readDescription reads and checks the file of a window. A file that another user could have written is an error.
func readDescription(file string) (description, error) {
	fail := func(err error) (description, error) {
		return description{}, fmt.Errorf("reading the description of a window, %s: %w", file, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() || !local.IsPrivate(info) {
		return fail(errors.New("another user could have written it"))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxDescription {
		return fail(fmt.Errorf("it is longer than %d bytes", maxDescription))
	}
	d := description{file: file}
	if err := json.Unmarshal(text, &d); err != nil {
		return fail(err)
	}
	if d.Folders, err = presence.Folders(d.Folders); err != nil {
		return fail(err)
	}
	if d.PID <= 0 || d.Token == "" {
		return fail(errors.New("it has no process or no token"))
	}
	if err := checkSocket(d.Socket); err != nil {
		return fail(err)
	}
	return d, nil
}
