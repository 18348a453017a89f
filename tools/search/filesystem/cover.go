package filesystem

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// cover finds the directories that are indexed, as the Root names them.
func (f *Filesystem) cover(ctx context.Context, watch []string) ([]string, error) {
	if len(watch) == 0 {
		watch = slices.Clone(f.root.Dirs())
		watch[0] = "."
	}
	var dirs []string
	for _, dir := range watch {
		info, err := f.root.Stat(ctx, dir)
		switch {
		case err == nil && info.Kind != security.Directory:
			return nil, &security.Error{Code: security.NotDirectory, AttemptedPath: dir, Message: dir + " is to be indexed and is no directory.", Next: "Name directories in watchPaths."}
		case err == nil:
			dirs = append(dirs, info.Path)
		case security.CodeOf(err) == security.FileNotFound:
			f.log.WarnContext(ctx, "a directory that is to be indexed does not exist yet", "directory", dir)
			dirs = append(dirs, f.clean(dir))
		default:
			return nil, err
		}
	}
	return pathset.Outermost(dirs), nil
}

// clean is the path of what does not exist as the Root would name it, if none of its
// directories is a link.
func (f *Filesystem) clean(name string) string {
	clean := path.Clean(filepath.ToSlash(name))
	first := filepath.ToSlash(f.root.Dirs()[0])
	if rest, ok := strings.CutPrefix(clean, first+"/"); ok {
		return rest
	}
	if clean == first {
		return "."
	}
	return clean
}

// rules compiles patterns of .gitignore.
func rules(patterns []string) *ignore.Rules {
	return ignore.Parse([]byte(strings.Join(patterns, "\n")))
}

// leavesOut says that an entry is not indexed, whatever is in it.
func (f *Filesystem) leavesOut(name string, dir bool) bool {
	if dir && name == f.within {
		return true
	}
	return !pathset.IsAbs(name) && f.ignored.Match(name, dir) == ignore.Ignored
}

// covers says that a path lies in what is indexed and is not left out by Options.
func (f *Filesystem) covers(name string) bool {
	in := slices.ContainsFunc(f.covered, func(dir string) bool { return pathset.Within(name, dir) })
	return in && !f.leavesOut(name, false)
}

// join is the path of what lies below a directory.
func join(dir, rel string) string {
	if dir == "." {
		return rel
	}
	return strings.TrimSuffix(dir, "/") + "/" + rel
}
