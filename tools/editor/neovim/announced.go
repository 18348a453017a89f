package neovim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// directoryVariable names the directory of announcements, for the plugin and for this package.
const directoryVariable = "DOUGU_NEOVIM_DIR"

// announcement is the content of a file of the plugin of Neovim.
type announcement struct {
	Address string `json:"address"` // as in v:servername
	PID     int    `json:"pid"`
	Host    string `json:"host"`
}

// announced returns the addresses that the plugin of Neovim has announced on this machine. It removes announcements of processes that
// have ended.
func (n *Neovim) announced() []endpoint {
	host, err := os.Hostname()
	if err != nil {
		n.options.Log.Debug("announcements of Neovim cannot be used", "error", err)
		return nil
	}
	var all []endpoint
	for _, dir := range presence.AnnouncementDirs("neovim", os.Getenv(directoryVariable)) {
		files, faults := presence.Announcements(dir)
		for _, err := range faults {
			n.options.Log.Debug("an announcement of Neovim cannot be used", "error", err)
		}
		for _, f := range files {
			p, err := readEndpoint(f, host)
			switch {
			case errors.Is(err, errEnded):
				_ = os.Remove(f.File)
			case err != nil:
				n.options.Log.Debug("an announcement of Neovim cannot be used", "file", f.File, "error", err)
			default:
				all = append(all, p)
			}
		}
	}
	return all
}

var (
	errEnded     = errors.New("its Neovim has ended")
	errOtherHost = errors.New("it is of another machine") // a home directory may be shared by several machines
)

// readEndpoint returns the address in an announcement.
func readEndpoint(f presence.Announcement, host string) (endpoint, error) {
	var a announcement
	if err := json.Unmarshal(f.Text, &a); err != nil {
		return endpoint{}, err
	}
	switch {
	case a.Host != host:
		return endpoint{}, errOtherHost
	case a.PID <= 0 || a.Address == "" || len(a.Address) > 4096 || strings.ContainsRune(a.Address, 0):
		return endpoint{}, errors.New("it has no process or no address")
	case !local.IsAlive(a.PID):
		return endpoint{}, errEnded
	}
	if !isTCP(a.Address) {
		if err := checkAddress(a.Address); err != nil {
			return endpoint{}, fmt.Errorf("its address, %.100q: %w", a.Address, err)
		}
	}
	info, err := os.Stat(f.File)
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{address: a.Address, since: info.ModTime()}, nil
}
