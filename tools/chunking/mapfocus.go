package chunking

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

const (
	// maxManifest limits a file such as package.json that is read for entry points.
	maxManifest = 1 << 20
	// recentSpan is the time before the newest change in which a file counts as edited lately.
	recentSpan = 2 * time.Hour
	// maxRecent is the number of files above which equal times come from a checkout.
	maxRecent = 20
)

// recentFiles returns the paths of the files that were edited lately, by their modification
// times. It returns none if they are many, as after a checkout.
func recentFiles(files []*index.File) []string {
	var newest time.Time
	for _, f := range files {
		if f.ModTime.After(newest) {
			newest = f.ModTime
		}
	}
	var recent []string
	for _, f := range files {
		if newest.Sub(f.ModTime) <= recentSpan {
			recent = append(recent, f.Path)
		}
	}
	if len(recent) > maxRecent || 2*len(recent) > len(files) {
		return nil
	}
	return recent
}

// entryPaths returns the paths of the files that package.json, pyproject.toml, setup.cfg and
// setup.py in the root of the project name as entry points. Unreadable files have none.
func (c *Chunks) entryPaths(ctx context.Context, files []*index.File) []string {
	var named []string
	if text, _, err := c.root.ReadFile(ctx, "package.json", maxManifest); err == nil {
		named = packageEntries(text)
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
		if text, _, err := c.root.ReadFile(ctx, name, maxManifest); err == nil {
			named = append(named, scriptEntries(text)...)
		}
	}
	var found []string
	for _, f := range files {
		unit := strings.TrimSuffix(strings.TrimSuffix(f.Path, path.Ext(f.Path)), "/index")
		for _, name := range []string{f.Path, unit, strings.TrimPrefix(unit, "src/")} {
			if slices.Contains(named, name) {
				found = append(found, f.Path)
				break
			}
		}
	}
	return found
}

// packageEntries returns the paths in main, module, exports and bin of a package.json, with
// and without extension.
func packageEntries(text []byte) (paths []string) {
	var pack struct {
		Main, Module, Source string
		Exports, Bin         any
	}
	if json.Unmarshal(text, &pack) != nil {
		return nil
	}
	var add func(value any, depth int)
	add = func(value any, depth int) {
		switch value := value.(type) {
		case string:
			if value = path.Clean(value); value != "." {
				paths = append(paths, value, strings.TrimSuffix(value, path.Ext(value)))
			}
		case map[string]any:
			for _, v := range value {
				if depth < 5 {
					add(v, depth+1)
				}
			}
		}
	}
	for _, value := range []any{pack.Main, pack.Module, pack.Source, pack.Exports, pack.Bin} {
		add(value, 0)
	}
	return paths
}

// scriptEntry is a program of a Python package, as in name = "module.part:function".
var scriptEntry = regexp.MustCompile(`(?m)^\s*["']?[\w.-]+\s*=\s*["']?([\w.]+):[\w.]+["']?,?\s*$`)

// scriptEntries returns the paths of the modules whose functions are programs, without
// extension.
func scriptEntries(text []byte) (paths []string) {
	for _, m := range scriptEntry.FindAllSubmatch(text, 100) {
		paths = append(paths, strings.ReplaceAll(string(m[1]), ".", "/"))
	}
	return paths
}
