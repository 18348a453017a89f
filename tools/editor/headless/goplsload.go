package headless

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// goplsPackages is the command of gopls that lists the packages that it has loaded. gopls has it since version 0.17.
const goplsPackages = "gopls.packages"

// loadedPackages is the result of goplsPackages.
type loadedPackages struct {
	Packages []struct{ Path, ForTest, ModulePath string }
	Module   map[string]struct{ GoMod string } // by module path
}

// loadedDirs returns the directories whose packages gopls has loaded. gopls publishes no diagnostics for a package without
// errors, and none for a package that the go command could not list. known is false if gopls is too old for the question.
func loadedDirs(ctx context.Context, session *lsp.Session, dirs []string) (loaded map[string]bool, known bool, err error) {
	if !session.OffersCommand(goplsPackages) {
		return nil, false, nil
	}
	args := struct {
		Files     []string
		Recursive bool
		Mode      int
	}{Files: make([]string, len(dirs))}
	for n, dir := range dirs {
		args.Files[n] = lsp.URI(dir)
	}
	arg, err := json.Marshal(args)
	if err != nil {
		return nil, false, err
	}
	result, _, err := session.Execute(ctx, lsp.Command{Command: goplsPackages, Arguments: []json.RawMessage{arg}})
	if err != nil {
		return nil, false, err
	}
	var answer loadedPackages
	if err := json.Unmarshal(result, &answer); err != nil {
		return nil, false, invalidResponse("gopls", "listed its packages in an unknown form")
	}
	return answer.dirs(), true, nil
}

// dirs returns the directories of the packages.
func (l loadedPackages) dirs() map[string]bool {
	dirs := make(map[string]bool, len(l.Packages))
	for _, p := range l.Packages {
		goMod, err := lsp.Path(l.Module[p.ModulePath].GoMod)
		if err != nil {
			continue
		}
		path := p.Path
		if p.ForTest != "" { // the path of an external test package ends in _test
			path = p.ForTest
		}
		if rel, ok := strings.CutPrefix(path, p.ModulePath); ok && (rel == "" || rel[0] == '/') {
			dirs[filepath.Join(filepath.Dir(goMod), filepath.FromSlash(rel))] = true
		}
	}
	return dirs
}

// goDirs returns the directories of the Go files of paths, sorted.
func goDirs(paths []string) []string {
	var dirs []string
	for _, path := range paths {
		if filepath.Ext(path) == ".go" {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// notLoaded returns the reason why gopls has no package for a Go file: an error in a go.mod or go.work above it, if there is one. next
// is then the step that helps, otherwise empty.
func (i *instance) notLoaded(session *lsp.Session, path string) (reason, next string) {
	const errorSeverity = 1 // LSP 3.17, DiagnosticSeverity
	reason = "gopls has not loaded its package"
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, name := range []string{"go.mod", "go.work"} {
			file := filepath.Join(dir, name)
			published, _ := session.Published(file)
			if slices.ContainsFunc(published.Items, func(d lsp.Diagnostic) bool { return d.Severity == errorSeverity }) {
				return reason + ", because " + name + " has an error", "Correct " + i.relative(file) + ", and call again."
			}
		}
		if dir == i.folder || dir == filepath.Dir(dir) {
			return reason, ""
		}
	}
}

// relative returns a path relative to the folder of the instance.
func (i *instance) relative(path string) string {
	if rel, err := filepath.Rel(i.folder, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// isNotLoaded reports whether gopls refuses a request because it has no package for the file.
func isNotLoaded(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no package metadata for file")
}

// notLoadedReport returns the report on a Go file without a loaded package, after gopls was asked about this file alone.
func (i *instance) notLoadedReport(session *lsp.Session, path string) fileReport {
	reason, next := i.notLoaded(session, path)
	return fileReport{check: adapter.FileCheck{Path: path, State: adapter.Unchecked, Reason: reason, Next: cmp.Or(next, "Check that go build finds its package.")}}
}
