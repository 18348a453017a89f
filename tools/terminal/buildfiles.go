package terminal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
)

// buildFiles implements build.Files with the Root.
type buildFiles struct {
	ctx  context.Context
	root *security.Root
}

const (
	maxManifest = 4 << 20 // largest build file in bytes
	maxNames    = 20_000  // most names of a directory
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
	maxArtifacts     = 50
	maxOutputEntries = 20_000 // most entries of an output directory
	maxOutputDeep    = 6
	// artifactTimeout is the timeout of the search for artifacts.
	artifactTimeout = 2 * time.Second
)

// snapshot records the files of the output directories before a build.
type snapshot struct {
	files    map[string]stamp
	complete bool // no file is missing
}

// stamp identifies the content of a file.
type stamp struct {
	size int64
	time time.Time
}

// artifact is a file that a build created or changed.
type artifact struct {
	path string
	stamp
}

// outputs records the files below output directories. It skips unreadable files.
func (t *Terminal) outputs(ctx context.Context, dirs []string) snapshot {
	ctx, cancel := context.WithTimeout(ctx, artifactTimeout)
	defer cancel()
	s := snapshot{files: map[string]stamp{}, complete: true}
	for _, dir := range dirs {
		o := security.WalkOptions{Ignored: true, MaxDepth: maxOutputDeep, MaxEntries: maxOutputEntries}
		stats, err := t.root.Walk(ctx, dir, o, func(e *security.WalkEntry) error {
			if e.Kind != security.RegularFile {
				return nil
			}
			if info, err := e.Info(ctx); err == nil {
				s.files[e.Path()] = stamp{info.Size, info.ModTime}
			}
			return nil
		})
		s.complete = s.complete && !stats.Full && stats.Unread == 0 && ctx.Err() == nil && (err == nil || security.CodeOf(err) == security.FileNotFound)
	}
	return s
}

// artifacts returns the files below output directories that a build created or changed, the most relevant first. Where
// sources and outputs share a directory, a new source file does not count, nor does a changed file that is not built, since a user
// can have edited it meanwhile.
func (t *Terminal) artifacts(ctx context.Context, run *buildRun) []string {
	var found []artifact
	for name, now := range t.outputs(ctx, run.plan.Outputs).files {
		before, known := run.before.files[name]
		switch {
		case known && before == now,
			!known && !run.before.complete && now.time.Before(run.started),
			slices.Contains(run.plan.Outputs, run.key.path) && (known || isSource(name)) && !t.isBuilt(ctx, name):
			continue
		}
		found = append(found, artifact{name, now})
	}
	// A file near the top is more likely to be the result.
	slices.SortFunc(found, func(a, b artifact) int {
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), b.time.Compare(a.time), strings.Compare(a.path, b.path))
	})
	paths := make([]string, 0, min(len(found), maxArtifacts))
	for _, a := range found[:min(len(found), maxArtifacts)] {
		paths = append(paths, a.path)
	}
	return paths
}

// isBuilt reports whether a file is the product of a build by its name or its first bytes, and not one that people edit.
func (t *Terminal) isBuilt(ctx context.Context, name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".o", ".obj", ".a", ".lib", ".so", ".dylib", ".dll", ".exe", ".out", ".class", ".jar", ".war", ".pyc", ".pyd", ".whl", ".wasm", ".rlib", ".test", ".zip", ".gz", ".tgz":
		return true
	}
	file, err := t.root.Open(ctx, name)
	if err != nil {
		return false
	}
	defer file.Close()
	var first [4]byte
	if _, err := io.ReadFull(file, first[:]); err != nil {
		return false
	}
	switch string(first[:]) {
	case "\x7fELF", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe":
		return true
	}
	return string(first[:2]) == "MZ"
}

// isSource reports whether the name is that of a source file.
func isSource(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".go", ".mod", ".sum", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm", ".s", ".rs", ".swift", ".java", ".kt", ".py", ".rb", ".php",
		".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte", ".cs", ".fs", ".vb", ".scala", ".css", ".scss", ".html", ".sql", ".proto", ".sh",
		".md", ".txt", ".rst", ".json", ".yaml", ".yml", ".toml", ".xml", ".mk", ".cmake":
		return true
	}
	return slices.Contains([]string{"Makefile", "makefile", "GNUmakefile", "Dockerfile", "README", "LICENSE"}, path.Base(name))
}
