package editor

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// projectFile is a file inside the Root.
type projectFile struct {
	path       string // path for answers and for the Root
	abs        string // absolute path for adapters, with all links resolved
	unresolved string // absolute path below the directory as the Root was configured
}

// resolveDirs returns directories with all links resolved. A directory that cannot be resolved stays as given.
func resolveDirs(dirs []string) []string {
	real := make([]string, len(dirs))
	for i, dir := range dirs {
		real[i] = dir
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			real[i] = resolved
		}
	}
	return real
}

// fileAt returns the file at a location of the Root.
func (e *Editor) fileAt(l security.Location) projectFile {
	rel := filepath.FromSlash(l.Rel)
	return projectFile{l.Path, filepath.Join(e.real[l.Dir], rel), filepath.Join(e.dirs[l.Dir], rel)}
}

// locate returns an existing regular file. Directories and special files are errors.
func (e *Editor) locate(ctx context.Context, path string) (projectFile, error) {
	info, err := e.root.Stat(ctx, path)
	switch {
	case err != nil:
		return projectFile{}, err
	case info.Kind == security.Directory:
		return projectFile{}, &security.Error{Code: security.IsDirectory, AttemptedPath: path, Message: quote(path) + " is a directory.", Next: "Give the path of a file."}
	case info.Kind != security.RegularFile:
		return projectFile{}, &security.Error{Code: security.NotRegularFile, AttemptedPath: path, Message: quote(path) + " is not a regular file."}
	}
	return e.fileAt(info.Location), nil
}

// locateAdapterPath returns the file of a path that an adapter has returned. The path must be absolute.
func (e *Editor) locateAdapterPath(ctx context.Context, path string) (projectFile, error) {
	if err := checkAbsolute(path); err != nil {
		return projectFile{}, err
	}
	return e.locate(ctx, path)
}

// checkAbsolute refuses a relative path of an adapter. The Root would resolve it against the project, which the adapter cannot
// intend.
func checkAbsolute(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("an editor returned the path %s, which is not absolute", quote(path))
	}
	return nil
}

// covers reports whether a file is in a folder of an editor. An editor without folders covers all files.
func covers(s adapter.State, p projectFile) bool {
	if len(s.Folders) == 0 {
		return true
	}
	for _, folder := range s.Folders {
		if folder == p.abs || inDir(folder, p.abs) || inDir(folder, p.unresolved) {
			return true
		}
	}
	return false
}

// inDir reports whether a path is below a directory. Case is ignored on Windows and macOS.
func inDir(dir, name string) bool {
	dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator))
	if len(name) <= len(dir) || name[len(dir)] != filepath.Separator {
		return false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(name[:len(dir)], dir)
	}
	return name[:len(dir)] == dir
}
