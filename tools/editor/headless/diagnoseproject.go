package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/lsp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// diagnoseProject asks every server about the files of its languages.
func (h *Headless) diagnoseProject(ctx context.Context, f *findings, work *group.Group) {
	for _, s := range h.o.Servers {
		folders, total, err := h.filesOf(ctx, s)
		if err != nil {
			f.add(fileReport{note: "the files of the project could not be listed: " + reason(err)})
			return
		}
		if total == 0 {
			continue
		}
		if _, err := h.command(s); err != nil {
			f.add(fileReport{fresh: true, note: fmt.Sprintf("%d files were not looked at: %s", total, reason(err))})
			continue
		}
		for _, folder := range slices.Sorted(maps.Keys(folders)) {
			i, err := h.instance(s, folder)
			if err != nil {
				f.add(fileReport{fresh: true, note: reason(err)})
				break
			}
			work.Go(func() { i.diagnoseFolder(ctx, folders[folder], f) })
		}
	}
}

// filesOf answers the files of a server's languages by the folders that it needs, the newest first.
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
				continue // of a directory within
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

// diagnoseFolder asks about all files of a folder, in the way of the server.
func (i *instance) diagnoseFolder(ctx context.Context, paths []string, f *findings) {
	session, done, err := i.use(ctx)
	if err != nil {
		f.add(fileReport{note: i.whyNot(ctx, err)})
		return
	}
	defer done()
	options, _ := session.Offers("textDocument/diagnostic")
	switch {
	case i.server.Dialect == Gopls && exists(i.folder, i.server.RootMarkers):
		err = i.settleFolder(ctx, session, paths, f)
	case i.server.Dialect != Pyright && wholeProject(options):
		err = i.pullFolder(ctx, session, options, f)
	default:
		if extra := len(paths) - i.h.o.MaxFiles; extra > 0 {
			paths = paths[:i.h.o.MaxFiles]
			f.add(fileReport{fresh: true, note: fmt.Sprintf("%s looked at the %d files that were changed last; %d were left out", i.server.Name, len(paths), extra)})
		}
		i.diagnoseFiles(ctx, paths, f)
	}
	if err != nil {
		f.add(fileReport{note: i.whyNot(ctx, err)})
	}
}

func exists(dir string, names []string) bool {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// settleFolder waits for a server that publishes everything by itself.
func (i *instance) settleFolder(ctx context.Context, session *lsp.Session, paths []string, f *findings) error {
	docs, note := i.modules(ctx, paths)
	if _, err := i.bring(ctx, session, docs, false); err != nil {
		return err
	}
	err := settled(ctx, session)
	all, incomplete := session.AllPublished()
	if incomplete {
		f.add(fileReport{fresh: true, note: i.server.Name + " has found more than is kept"})
	}
	for path, p := range all {
		if i.h.inProject(path) {
			f.add(fileReport{items: i.diagnostics(path, p.Items, nil), fresh: err == nil})
		}
	}
	if err == nil && note != "" {
		f.add(fileReport{fresh: true, note: note})
	}
	return err
}

// maxModules is how many modules below the topmost one are looked at.
const maxModules = 20

// modules answers a file of every module of Go in a folder but the topmost, because gopls reads those only of which a file is
// open.
func (i *instance) modules(ctx context.Context, paths []string) (docs []adapter.Document, note string) {
	if exists(i.folder, []string{"go.work"}) {
		return nil, ""
	}
	top := make(map[string]string) // of directories
	done := map[string]bool{i.folder: true}
	for _, path := range paths {
		module := i.moduleOf(filepath.Dir(path), top)
		if done[module] || filepath.Ext(path) != ".go" {
			continue
		}
		if done[module] = true; len(docs) == maxModules {
			return docs, fmt.Sprintf("%s looked at %d modules; others were left out", i.server.Name, maxModules+1)
		}
		if doc, _, err := i.h.read(ctx, path); err == nil {
			docs = append(docs, doc)
		}
	}
	return docs, ""
}

// moduleOf answers the nearest directory with a go.mod.
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

// pullFolder asks for the diagnostics of all files at once (LSP 3.17, "Workspace Diagnostics").
func (i *instance) pullFolder(ctx context.Context, session *lsp.Session, options json.RawMessage, f *findings) error {
	if _, err := i.bring(ctx, session, nil, false); err != nil {
		return err
	}
	if err := i.indexed(ctx, session); err != nil {
		return err
	}
	var answer lsp.WorkspaceDiagnosticReport
	params := lsp.WorkspaceDiagnosticParams{Identifier: identifier(options), PreviousResultIDs: []string{}}
	if err := session.Call(ctx, "workspace/diagnostic", params, &answer); err != nil {
		return err
	}
	for _, item := range answer.Items {
		if path, err := lsp.Path(item.URI); err == nil && item.Kind != "unchanged" && i.h.inProject(path) {
			f.add(fileReport{items: i.diagnostics(path, item.Items, nil), fresh: true})
		}
	}
	return nil
}

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
