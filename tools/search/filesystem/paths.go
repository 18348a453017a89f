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

// resolveDirs returns the directories to index, as paths of the Root. Missing directories are included: they are indexed when
// they appear.
func (f *Filesystem) resolveDirs(ctx context.Context, watch []string) ([]string, error) {
	if len(watch) == 0 {
		watch = slices.Clone(f.root.Dirs())
		watch[0] = "."
	}
	var dirs []string
	for _, dir := range watch {
		info, err := f.root.Stat(ctx, dir)
		switch {
		case err == nil && info.Kind != security.Directory:
			return nil, &security.Error{Code: security.NotDirectory, AttemptedPath: dir, Message: dir + " cannot be indexed: it is not a directory.", Next: "Name directories in watchPaths."}
		case err == nil:
			dirs = append(dirs, info.Path)
		case security.CodeOf(err) == security.FileNotFound:
			f.log.WarnContext(ctx, "a directory to index does not exist yet", "directory", dir)
			dirs = append(dirs, f.cleanPath(dir))
		default:
			return nil, err
		}
	}
	return pathset.Outermost(dirs), nil
}

// cleanPath returns the path that the Root would use for a missing file, if none of its directories is a link.
func (f *Filesystem) cleanPath(name string) string {
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

// parseRules compiles patterns in .gitignore syntax.
func parseRules(patterns []string) *ignore.Rules {
	return ignore.Parse([]byte(strings.Join(patterns, "\n")))
}

// isExcluded reports whether Options.Ignore excludes an entry, or it is the directory of the index.
func (f *Filesystem) isExcluded(name string, dir bool) bool {
	if dir && name == f.indexDir {
		return true
	}
	return !pathset.IsAbs(name) && f.ignored.Match(name, dir) == ignore.Ignored
}

// isCovered reports whether a path lies in an indexed directory and is not excluded by Options.
func (f *Filesystem) isCovered(name string) bool {
	in := slices.ContainsFunc(f.covered, func(dir string) bool { return pathset.Within(name, dir) })
	return in && !f.isExcluded(name, false)
}

// join returns the path of rel below dir.
func join(dir, rel string) string {
	if dir == "." {
		return rel
	}
	return strings.TrimSuffix(dir, "/") + "/" + rel
}
