package serverinstall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// removeVersions removes the versions of a server that no record refers to: former ones, and the rest of interrupted installations.
// Running versions stay. A directory that cannot be removed stays until the next call, because it does no harm.
func removeVersions(server string, keep ...servercache.Record) {
	entries, err := os.ReadDir(server)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(server, e.Name())
		if !e.IsDir() || slices.ContainsFunc(keep, func(r servercache.Record) bool { return refersTo(r, dir) }) || isRunning(dir) {
			continue
		}
		_ = os.RemoveAll(dir)
	}
}

// refersTo reports whether a program of a record is below a directory.
func refersTo(r servercache.Record, dir string) bool {
	for _, path := range r.Programs {
		if isBelow(path, dir) {
			return true
		}
	}
	return false
}

// isBelow reports whether a path is a directory, or below it. Both are absolute.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
