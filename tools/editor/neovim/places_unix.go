//go:build unix

package neovim

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// patterns are of the sockets that Neovim makes when it is not told an address.
func patterns() []string {
	var all []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "nvim.*.0"))
	} else {
		// Clients of MCP start servers with few variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "nvim.*.0"))
	}
	dirs := []string{os.TempDir()}
	if dirs[0] != "/tmp" {
		dirs = append(dirs, "/tmp")
	}
	for _, dir := range dirs {
		all = append(all, filepath.Join(dir, "nvim.*", "*", "nvim.*.0"), filepath.Join(dir, "nvim??????", "0"))
	}
	return all
}

// ours tells whether a socket is one that nobody else could have put there, and since when it is there.
func ours(path string) (time.Time, bool) {
	dir, err := os.Lstat(filepath.Dir(path))
	if err != nil || !dir.IsDir() || !local.IsPrivate(dir) {
		return time.Time{}, false
	}
	socket, err := os.Lstat(path)
	if err != nil || socket.Mode().Type() != fs.ModeSocket {
		return time.Time{}, false
	}
	return socket.ModTime(), true
}
