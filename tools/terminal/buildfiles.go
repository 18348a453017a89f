package terminal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

// buildFiles are the files of the project for package build.
type buildFiles struct {
	ctx  context.Context
	root *security.Root
}

const (
	maxManifest = 4 << 20 // bytes of a file of a build system
	maxNames    = 20_000  // in a directory
)

// ReadFile implements build.Files.
func (f buildFiles) ReadFile(name string) ([]byte, error) {
	content, _, err := f.root.ReadFile(f.ctx, name, maxManifest)
	return content, err
}

// ReadDir implements build.Files.
func (f buildFiles) ReadDir(name string) (names []string, err error) {
	dir, err := f.root.OpenDir(f.ctx, name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for len(names) < maxNames {
		entries, err := dir.Next(f.ctx, 512)
		for _, entry := range entries {
			names = append(names, entry.Name)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

const (
	maxArtifacts  = 50
	maxLookedAt   = 20_000 // entries of a directory of outputs
	maxOutputDeep = 6
	// clockGrain is how much older than the begin of a build a file of it may seem: file
	// systems take the time of the last tick.
	clockGrain = 20 * time.Millisecond
	// outputPatience bounds the search for artifacts.
	outputPatience = 2 * time.Second
)

// artifact is a file that a build has made.
type artifact struct {
	path string
	time time.Time
}

// artifacts are the files below some directories that are not older than a moment,
// the newest first. What cannot be looked at has none.
func (t *Terminal) artifacts(ctx context.Context, dirs []string, since time.Time) []string {
	ctx, cancel := context.WithTimeout(ctx, outputPatience)
	defer cancel()
	var found []artifact
	for _, dir := range dirs {
		o := security.WalkOptions{Ignored: true, MaxDepth: maxOutputDeep, MaxEntries: maxLookedAt}
		_, err := t.root.Walk(ctx, dir, o, func(e *security.WalkEntry) error {
			if e.Kind != security.RegularFile {
				return nil
			}
			if info, err := e.Info(ctx); err == nil && info.ModTime.After(since.Add(-clockGrain)) {
				found = append(found, artifact{e.Path(), info.ModTime})
			}
			return nil
		})
		if err != nil && ctx.Err() != nil {
			break
		}
	}
	// What lies nearer to the top is likelier to be what was wanted.
	slices.SortFunc(found, func(a, b artifact) int {
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), b.time.Compare(a.time), strings.Compare(a.path, b.path))
	})
	paths := make([]string, 0, min(len(found), maxArtifacts))
	for _, a := range found {
		if len(paths) < maxArtifacts && !slices.Contains(paths, a.path) {
			paths = append(paths, a.path)
		}
	}
	return paths
}
