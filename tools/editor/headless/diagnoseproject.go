package headless

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// diagnoseProject starts, in work, a check of the project's files by every server. Results go to f.
func (h *Headless) diagnoseProject(ctx context.Context, f *findings, work *group.Group) {
	withoutServer := make(map[string]error)
	defer func() { h.compileWithoutServer(ctx, withoutServer, f, work) }()
	for _, c := range h.compilers {
		folders, _, err := h.filesOf(ctx, Server{Languages: c.Languages, RootMarkers: c.RootMarkers})
		if err != nil {
			f.noFiles(err)
			return
		}
		for _, paths := range folders {
			maps.Copy(withoutServer, h.filesWithoutServer(paths))
		}
	}
	for _, s := range h.o.Servers {
		folders, total, err := h.filesOf(ctx, s)
		if err != nil {
			f.noFiles(err)
			return
		}
		if total == 0 {
			continue
		}
		for _, folder := range slices.Sorted(maps.Keys(folders)) {
			paths := folders[folder]
			if s.Fallback && h.hasOther(s, folder) {
				continue
			}
			i, err := h.instance(s, folder)
			switch {
			case err != nil && s.Optional:
				continue
			case err != nil:
				maps.Copy(withoutServer, h.filesWithoutServer(paths))
				continue
			}
			f.addCovered(paths...)
			work.Go(func() { i.diagnoseFolder(ctx, paths, f) })
		}
	}
}

// noFiles records that the files of the project could not be listed.
func (f *findings) noFiles(err error) {
	f.add(fileReport{check: adapter.FileCheck{State: adapter.Unchecked}})
	f.note("the files of the project could not be listed: " + reason(err))
}

// filesWithoutServer returns the files of paths for whose language no server can be started, with the reasons.
func (h *Headless) filesWithoutServer(paths []string) map[string]error {
	withoutServer := make(map[string]error)
	problems := make(map[[2]string]error) // by directory and language
	for _, path := range paths {
		key := [2]string{filepath.Dir(path), h.project.languageOf(path)}
		err, known := problems[key]
		if !known {
			_, err = h.serversFor(path, key[1])
			problems[key] = err
		}
		if err != nil {
			withoutServer[path] = err
		}
	}
	return withoutServer
}

// filesOf returns the project files of a server's languages, newest first, grouped by the folder on which an instance works.
func (h *Headless) filesOf(ctx context.Context, s Server) (folders map[string][]string, total int, err error) {
	folders = make(map[string][]string)
	known := make(map[string]string)
	for _, dir := range h.dirs {
		paths, err := h.project.newest(ctx, dir, s.Languages)
		if err != nil {
			return nil, 0, err
		}
		for _, path := range paths {
			if top, _ := h.dirOf(path); top != dir {
				continue // belongs to an inner directory of the project
			}
			folder, ok := known[filepath.Dir(path)]
			if !ok {
				folder = h.folderOf(path, s.RootMarkers)
				known[filepath.Dir(path)] = folder
			}
			folders[folder] = append(folders[folder], path)
			total++
		}
	}
	return folders, total, nil
}

// diagnoseFolder checks all files of a folder, in the way that the server supports: published, pulled for the workspace, or file by
// file. File by file, at most Options.MaxFiles are checked.
func (i *instance) diagnoseFolder(ctx context.Context, paths []string, f *findings) {
	session, done, err := i.use(ctx)
	if err != nil {
		f.add(i.lastReports(ctx, i.h.compileInstead(ctx, paths, f), err)...)
		return
	}
	defer done()
	options, _ := session.Offers("textDocument/diagnostic")
	switch {
	case i.server.Dialect == Gopls && exists(i.folder, i.server.RootMarkers):
		err = i.settleFolder(ctx, session, paths, f)
	case i.server.Dialect != Pyright && wholeProject(options):
		err = i.pullFolder(ctx, session, options, paths, f)
	default:
		if extra := len(paths) - i.h.o.MaxFiles; extra > 0 {
			left := paths[i.h.o.MaxFiles:]
			paths = paths[:i.h.o.MaxFiles]
			f.addUnchecked(left, fmt.Sprintf("%s checked only the %d files that were changed last", i.server.Name, len(paths)), "Check it alone, with path.")
		}
		i.diagnoseFiles(ctx, paths, f)
	}
	if err != nil {
		f.add(i.lastReports(ctx, paths, err)...)
		return
	}
	i.noteAnswer(session)
}

func exists(dir string, names []string) bool {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// settleFolder collects the diagnostics that gopls publishes for all files of a folder.
func (i *instance) settleFolder(ctx context.Context, session *lsp.Session, paths []string, f *findings) error {
	defer i.reportProgress(ctx, session)()
	docs, skipped := i.modules(ctx, paths)
	if _, err := i.syncDocuments(ctx, session, docs, false); err != nil {
		return err
	}
	err := awaitSettled(ctx, session)
	all, incomplete := session.AllPublished()
	if incomplete {
		f.note(i.server.Name + " found more diagnostics than are kept")
		f.add(fileReport{check: adapter.FileCheck{State: adapter.Stale}})
	}
	note := ""
	if err != nil {
		note, _ = i.failureReason(ctx, err)
	}
	for path, p := range all {
		if i.h.inProject(path) {
			f.add(fileReport{i.diagnostics(path, p.Items, nil), i.checked(path, err == nil, note)})
		}
	}
	if err != nil {
		return err
	}
	loaded, known, err := loadedDirs(ctx, session, goDirs(paths))
	if err != nil {
		return err
	}
	for _, path := range paths {
		reason, next := "", ""
		if _, published := all[path]; !published {
			reason = i.exclusionReason(ctx, path)
		}
		if reason == "" && filepath.Ext(path) == ".go" && !loaded[filepath.Dir(path)] {
			if reason, next = i.notLoaded(session, path); next == "" && !known {
				reason = "" // an older gopls does not list its packages
			}
		}
		switch {
		case skipped[path]:
			f.addUnchecked([]string{path}, fmt.Sprintf("%s checked only %d modules", i.server.Name, maxModules+1), "Check it alone, with path.")
		case reason != "":
			f.addUnchecked([]string{path}, reason, cmp.Or(next, "Check it alone, with path."))
		default:
			f.add(fileReport{check: i.checked(path, true, "")})
		}
	}
	return nil
}

// exclusionReason returns the reason why a file belongs to no package that is built on this machine. It is empty if the file is built.
func (i *instance) exclusionReason(ctx context.Context, path string) string {
	rel, err := filepath.Rel(i.folder, filepath.Dir(path))
	if err != nil || filepath.Ext(path) != ".go" {
		return ""
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "testdata" || part == "vendor" || part != "." && (strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")) {
			return "the go command ignores directories named " + part
		}
	}
	c := build.Default
	c.OpenFile = func(path string) (io.ReadCloser, error) {
		data, _, err := i.h.root.ReadFile(ctx, path, i.h.o.MaxFile)
		return io.NopCloser(bytes.NewReader(data)), err
	}
	if ok, err := c.MatchFile(filepath.Dir(path), filepath.Base(path)); err == nil && !ok {
		return "its name or build constraints exclude it on " + c.GOOS + "/" + c.GOARCH
	}
	return ""
}

// maxModules is the number of Go modules below the topmost one that are checked.
const maxModules = 20

// modules returns one file of every Go module in a folder except the topmost module: gopls reads a module only if one of its files
// is open. skipped are the files of modules over maxModules.
func (i *instance) modules(ctx context.Context, paths []string) (docs []adapter.Document, skipped map[string]bool) {
	skipped = make(map[string]bool)
	if exists(i.folder, []string{"go.work"}) {
		return nil, skipped
	}
	top := make(map[string]string) // of directories
	done := map[string]bool{i.folder: true}
	for _, path := range paths {
		module := i.moduleOf(filepath.Dir(path), top)
		switch {
		case done[module] || filepath.Ext(path) != ".go":
			continue
		case len(docs) == maxModules:
			skipped[path] = true
			continue
		}
		done[module] = true
		if doc, _, err := i.h.read(ctx, path); err == nil {
			docs = append(docs, doc)
		}
	}
	return docs, skipped
}

// moduleOf returns the nearest directory with a go.mod, at most i.folder. known caches results.
func (i *instance) moduleOf(dir string, known map[string]string) string {
	if module, ok := known[dir]; ok {
		return module
	}
	module := dir
	if dir != i.folder && dir != filepath.Dir(dir) && !exists(dir, []string{"go.mod"}) {
		module = i.moduleOf(filepath.Dir(dir), known)
	}
	known[dir] = module
	return module
}

// pullFolder requests the diagnostics of all files with one request (LSP 3.17, "Workspace Diagnostics").
func (i *instance) pullFolder(ctx context.Context, session *lsp.Session, options json.RawMessage, paths []string, f *findings) error {
	defer i.reportProgress(ctx, session)()
	if _, err := i.syncDocuments(ctx, session, nil, false); err != nil {
		return err
	}
	if err := i.awaitIndex(ctx, session); err != nil {
		return err
	}
	var answer lsp.WorkspaceDiagnosticReport
	params := lsp.WorkspaceDiagnosticParams{Identifier: identifier(options), PreviousResultIDs: []string{}}
	if err := session.Call(ctx, "workspace/diagnostic", params, &answer); err != nil {
		return err
	}
	told := make(map[string]bool)
	for _, item := range answer.Items {
		if path, err := lsp.Path(item.URI); err == nil && item.Kind != "unchanged" && i.h.inProject(path) {
			told[path] = true
			f.add(fileReport{i.diagnostics(path, item.Items, nil), i.checked(path, true, "")})
		}
	}
	f.addUnchecked(slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return told[path] }), i.server.Name+" has not reported on it", "Check it alone, with path.")
	return nil
}

// pullOptions are the server's options for textDocument/diagnostic (LSP 3.17, DiagnosticOptions).
type pullOptions struct {
	Identifier           string `json:"identifier"`
	WorkspaceDiagnostics bool   `json:"workspaceDiagnostics"`
}

func readPullOptions(raw json.RawMessage) (o pullOptions) {
	if json.Unmarshal(raw, &o) != nil {
		return pullOptions{}
	}
	return o
}

func identifier(raw json.RawMessage) string { return readPullOptions(raw).Identifier }

func wholeProject(raw json.RawMessage) bool { return readPullOptions(raw).WorkspaceDiagnostics }
