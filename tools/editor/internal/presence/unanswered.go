package presence

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// NoAnswer returns the error of a query to an editor that does not answer. pid is its process; 0 if it is not known.
func NoAnswer(editor string, pid int) error {
	var commands string
	if pid > 0 {
		editor = fmt.Sprintf("%s (process %d)", editor, pid)
		commands = fmt.Sprintf(" (kill -CONT %d continues it, and kill %d ends it then)", pid, pid)
		if runtime.GOOS == "windows" {
			commands = fmt.Sprintf(" (taskkill /PID %d ends it)", pid)
		}
	}
	return fmt.Errorf("%s %w; perhaps it is stopped or waits for a key: continue or end it%s", editor, ErrNoAnswer, commands)
}

// MayConcern reports whether an editor that does not answer may have files of a project open. That is true if its working directory
// is in one of the directories of the project or above it, if one of its arguments is a path in the project, if it has a file of the
// project or the swap file of one open, and if its working directory is not known, as on systems other than Linux. Without directories
// it is always true.
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
	for _, path := range local.OpenFiles(pid) {
		if slices.ContainsFunc(project, func(root string) bool { return Within(root, path) || isSwapFile(root, path) }) {
			return true
		}
	}
	return slices.ContainsFunc(project, func(root string) bool { return Concern([]string{dir}, root) })
}

// isSwapFile reports whether a path is that of a swap file of Vim for a file below root. The default directory of Neovim has the swap
// files under their whole paths, with percent signs instead of separators; a swap file beside its file is below root.
func isSwapFile(root, path string) bool {
	encoded := strings.ReplaceAll(strings.TrimSuffix(root, "/"), "/", "%") + "%"
	return strings.HasPrefix(filepath.Base(path), encoded)
}
