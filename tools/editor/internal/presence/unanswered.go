package presence

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// NoAnswer returns the error of a query to an editor that does not answer. pid is its process; 0 if it is not known.
func NoAnswer(editor string, pid int) error {
	if pid > 0 {
		editor = fmt.Sprintf("%s (process %d)", editor, pid)
	}
	return fmt.Errorf("%s %w; perhaps it is stopped or waits for a key: continue or end it", editor, ErrNoAnswer)
}

// MayConcern reports whether an editor that does not answer may have files of a project open. That is true if its working directory
// is in one of the directories of the project or above it, if one of its arguments is a path in the project, and if its working
// directory is not known, as on systems other than Linux. Without directories it is always true.
func MayConcern(pid int, project []string) bool {
	dir := local.WorkingDir(pid)
	if dir == "" || len(project) == 0 {
		return true
	}
	for _, path := range local.Arguments(pid) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if resolved, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(resolved, filepath.Base(path))
		}
		if slices.ContainsFunc(project, func(root string) bool { return Within(root, path) }) {
			return true
		}
	}
	return slices.ContainsFunc(project, func(root string) bool { return Concern([]string{dir}, root) })
}
