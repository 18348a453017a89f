package presence

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxFolders is the maximum number of folders of an editor.
const maxFolders = 100

// IsPath reports whether a path from an editor is absolute and usable.
func IsPath(path string) bool {
	return len(path) <= 4096 && filepath.IsAbs(path) && !strings.ContainsRune(path, 0)
}

// Folders returns the cleaned folders of an editor. Too many folders and invalid paths are errors.
func Folders(said []string) ([]string, error) {
	if len(said) > maxFolders {
		return nil, fmt.Errorf("it has more than %d folders", maxFolders)
	}
	all := make([]string, len(said))
	for i, folder := range said {
		if !IsPath(folder) {
			return nil, fmt.Errorf("its folder %.100q is no absolute path", folder)
		}
		all[i] = filepath.Clean(folder)
	}
	return all, nil
}

// Within tells whether path is dir or lies in it.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Concern tells whether one of the folders lies in the directory of a project or around it.
func Concern(folders []string, project string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return Within(project, folder) || Within(folder, project)
	})
}

// Depth is the length of the innermost of the folders that path lies in, or -1 if it lies in none.
func Depth(folders []string, path string) int {
	depth := -1
	for _, folder := range folders {
		if len(folder) > depth && Within(folder, path) {
			depth = len(folder)
		}
	}
	return depth
}
