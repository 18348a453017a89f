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

// place is a file of the project.
type place struct {
	path    string // names it in answers and for the Root
	abs     string // names it for adapters: every link is resolved
	nominal string // as abs, below the directory as it was given to the Root
}

// resolve finds the real names of the Root's directories. One that cannot be resolved keeps its name.
func resolve(dirs []string) []string {
	real := make([]string, len(dirs))
	for i, dir := range dirs {
		real[i] = dir
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			real[i] = resolved
		}
	}
	return real
}

func (e *Editor) placeOf(l security.Location) place {
	rel := filepath.FromSlash(l.Rel)
	return place{l.Path, filepath.Join(e.real[l.Dir], rel), filepath.Join(e.dirs[l.Dir], rel)}
}

// locate finds a file that is there.
func (e *Editor) locate(ctx context.Context, path string) (place, error) {
	info, err := e.root.Stat(ctx, path)
	switch {
	case err != nil:
		return place{}, err
	case info.Kind == security.Directory:
		return place{}, &security.Error{Code: security.IsDirectory, AttemptedPath: path, Message: quote(path) + " is a directory.", Next: "Give the path of a file."}
	case info.Kind != security.RegularFile:
		return place{}, &security.Error{Code: security.NotRegularFile, AttemptedPath: path, Message: quote(path) + " is not a regular file."}
	}
	return e.placeOf(info.Location), nil
}

// foreign finds a file that an adapter has named.
func (e *Editor) foreign(ctx context.Context, path string) (place, error) {
	if err := absolute(path); err != nil {
		return place{}, err
	}
	return e.locate(ctx, path)
}

// absolute refuses what an adapter must not answer as a path. A relative one would be looked for in the project, where the
// adapter cannot have meant it.
func absolute(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("an editor has answered the path %s, which is not absolute", quote(path))
	}
	return nil
}

// covers tells whether a file is the business of an editor.
func covers(s adapter.State, p place) bool {
	if len(s.Folders) == 0 {
		return true
	}
	for _, folder := range s.Folders {
		if below(folder, p.abs) || below(folder, p.nominal) {
			return true
		}
	}
	return false
}

func below(dir, name string) bool {
	dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator))
	if len(name) <= len(dir) || name[len(dir)] != filepath.Separator {
		return false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(name[:len(dir)], dir)
	}
	return name[:len(dir)] == dir
}
