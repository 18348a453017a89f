//go:build unix

package emacs

import (
	"fmt"
	"os"
	"path/filepath"
)

// endpointDirs returns the default directories of sockets and server files.
func endpointDirs() []string {
	var all []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		all = append(all, filepath.Join(run, "emacs"))
	} else {
		// MCP clients start servers with few variables.
		all = append(all, filepath.Join("/run/user", fmt.Sprint(os.Getuid()), "emacs"))
	}
	temporary := []string{os.TempDir()}
	if temporary[0] != "/tmp" {
		temporary = append(temporary, "/tmp")
	}
	for _, dir := range temporary {
		all = append(all, filepath.Join(dir, fmt.Sprintf("emacs%d", os.Getuid())))
	}
	return append(all, serverFileDirs()...)
}
