package presence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	maxAnnouncement  = 64 << 10 // limit of a file, in bytes
	maxAnnouncements = 64       // limit of files in a directory; further ones are ignored
)

// Announcement is a file by which a running editor tells servers how to connect to it.
type Announcement struct {
	File string // path of the file
	Text []byte // content, JSON that the editor has written
}

// AnnouncementDirs returns the directories in which editors of a kind, for example "vscode", write their announcements. override
// replaces the default directories unless it is empty.
func AnnouncementDirs(kind, override string) []string {
	if override != "" {
		return []string{override}
	}
	home, err := os.UserHomeDir()
	if runtime.GOOS == "windows" {
		local := os.Getenv("LOCALAPPDATA")
		if local == "" && err == nil {
			local = filepath.Join(home, "AppData", "Local")
		}
		return []string{filepath.Join(local, "dougu", kind)}
	}
	var all []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "dougu", kind))
	} else if runtime.GOOS == "linux" {
		// MCP clients start servers with few environment variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "dougu", kind))
	}
	if err == nil {
		all = append(all, filepath.Join(home, ".cache", "dougu", kind))
	}
	return all
}

// Announcements reads the announcements in a directory. A directory or file that another user could have written is not used. faults
// are problems that a user can fix.
func Announcements(dir string) (all []Announcement, faults []error) {
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
		if len(all) == maxAnnouncements {
			return all, append(faults, fmt.Errorf("%s holds more than %d editors", dir, maxAnnouncements))
		}
		a, err := readAnnouncement(filepath.Join(dir, entry.Name()))
		switch {
		case errors.Is(err, os.ErrNotExist): // closed meanwhile
		case err != nil:
			faults = append(faults, err)
		default:
			all = append(all, a)
		}
	}
	return all, faults
}

// readAnnouncement reads a file and checks its owner and size.
func readAnnouncement(file string) (Announcement, error) {
	fail := func(err error) (Announcement, error) {
		return Announcement{}, fmt.Errorf("reading the announcement of an editor, %s: %w", file, err)
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
	text, err := io.ReadAll(io.LimitReader(f, maxAnnouncement+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxAnnouncement {
		return fail(fmt.Errorf("it is longer than %d bytes", maxAnnouncement))
	}
	return Announcement{file, text}, nil
}
