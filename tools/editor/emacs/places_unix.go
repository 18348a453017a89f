//go:build unix

package emacs

import (
	"fmt"
	"os"
	"path/filepath"
)

// directories are where Emacs puts sockets, and files that say where it listens, when it is not told otherwise.
func directories() []string {
	var all []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "emacs"))
	} else {
		// Clients of MCP start servers with few variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "emacs"))
	}
	temporary := []string{os.TempDir()}
	if temporary[0] != "/tmp" {
		temporary = append(temporary, "/tmp")
	}
	for _, dir := range temporary {
		all = append(all, filepath.Join(dir, fmt.Sprintf("emacs%d", os.Getuid())))
	}
	return append(all, configured()...)
}
