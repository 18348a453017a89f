package release

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/release/internal/gobuild"
)

// verify builds one target again, from a copy of the source in another directory and with an empty build cache.
func (m *maker) verify(ctx context.Context) error {
	if m.Verify == nil || !slices.Contains(m.Targets, *m.Verify) {
		return nil
	}
	t := *m.Verify
	copied, again := filepath.Join(m.work, "elsewhere", "source"), filepath.Join(m.work, "again")
	if err := copySource(copied, m.Root); err != nil {
		return err
	}
	build := gobuild.Build{Dir: copied, Version: m.Version, Cache: filepath.Join(m.work, "cache")}
	if err := build.BuildTo(ctx, again, t, m.names()...); err != nil {
		return err
	}
	if err := gobuild.Compare(m.binaries(t), again, t, m.names()...); err != nil {
		return err
	}
	m.printProgress("%v built again, with another cache in another directory: the same", t)
	return nil
}

// copySource copies the files needed to build the modules of the workspace.
func copySource(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"node_modules", "testdata", "docs"}, e.Name())):
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !e.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	})
}
