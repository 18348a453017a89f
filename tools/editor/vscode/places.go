package vscode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// protocol is the version of the protocol of the extension.
const protocol = 1

// description is the content of a window's file.
type description struct {
	Protocol int      `json:"protocol"`
	Socket   string   `json:"socket"`
	Token    string   `json:"token"`
	Folders  []string `json:"folders"`
	PID      int      `json:"pid"`
	Host     string   `json:"host"`
	Foreign  []string `json:"foreign"` // URIs of folders that are not on the machine of the window's extensions

	file string // path of the file
}

// descriptionDirs returns the directories in which windows write their descriptions. dir replaces the default directories unless it is empty.
func descriptionDirs(dir string) []string {
	return presence.AnnouncementDirs("vscode", cmp.Or(dir, os.Getenv("DOUGU_VSCODE_DIR")))
}

// descriptions reads the files of windows in a directory. faults are problems that a user can fix.
func descriptions(dir string) (all []description, faults []error) {
	announced, faults := presence.Announcements(dir)
	for _, a := range announced {
		d, err := parseDescription(a)
		if err != nil {
			faults = append(faults, fmt.Errorf("reading the description of a window, %s: %w", a.File, err))
			continue
		}
		all = append(all, d)
	}
	return all, faults
}

// parseDescription parses and checks the file of a window.
func parseDescription(a presence.Announcement) (description, error) {
	d := description{file: a.File}
	if err := json.Unmarshal(a.Text, &d); err != nil {
		return description{}, err
	}
	var err error
	if d.Folders, err = presence.Folders(d.Folders); err != nil {
		return description{}, err
	}
	if d.PID <= 0 || d.Token == "" {
		return description{}, errors.New("it has no process or no token")
	}
	return d, checkSocket(d.Socket)
}
