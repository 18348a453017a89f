package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxFileEdits is the number of files that one workspace edit may change.
const maxFileEdits = 5_000

// planner converts a WorkspaceEdit of a server into file edits. It tracks the state of each file through the operations so far.
type planner struct {
	i       *instance
	version func(path string) int // version of the open document at the server; 0 if the server reads the file itself
	given   adapter.Document      // document of the request, possibly unsaved
	steps   []*step               // one for each file, in order of first use
}

// step is the planned change of one file.
type step struct {
	edit     adapter.FileEdit
	now      string // path of the file after the operations so far
	old, new string // text before and after
	read     bool   // whether old and new are set
}

// fileEdits converts a WorkspaceEdit. It is an error if a file is outside the project, an edit does not fit its file, or an
// operation concerns a directory. given is the document of the request.
func (i *instance) fileEdits(ctx context.Context, session *lsp.Session, raw json.RawMessage, given adapter.Document) ([]adapter.FileEdit, error) {
	return i.planEdits(ctx, session.Version, raw, given)
}

// planEdits is fileEdits with the versions of open documents as a function.
func (i *instance) planEdits(ctx context.Context, version func(path string) int, raw json.RawMessage, given adapter.Document) ([]adapter.FileEdit, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var edit lsp.WorkspaceEdit
	if err := json.Unmarshal(raw, &edit); err != nil {
		return nil, invalidResponse(i.server.Name, "answered a change that cannot be used: %v", err)
	}
	if len(edit.DocumentChanges) > maxFileEdits || len(edit.Changes) > maxFileEdits {
		return nil, invalidResponse(i.server.Name, "wants to change more than %d files", maxFileEdits)
	}
	p := &planner{i: i, version: version, given: given}
	if len(edit.DocumentChanges) == 0 {
		for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			if err := p.change(ctx, uri, nil, edit.Changes[uri]); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range edit.DocumentChanges {
		if err := p.apply(ctx, c); err != nil {
			return nil, err
		}
	}
	return p.plan(), nil
}

// apply adds one operation to the plan.
func (p *planner) apply(ctx context.Context, c lsp.DocumentChange) error {
	overwrite := c.Options != nil && c.Options.Overwrite
	switch c.Kind {
	case "":
		if c.TextDocument == nil {
			return invalidResponse(p.i.server.Name, "answered a change of no file")
		}
		return p.change(ctx, c.TextDocument.URI, c.TextDocument.Version, c.Edits)
	case "create":
		path, err := p.path(c.URI)
		if err != nil {
			return err
		}
		there, err := p.exists(ctx, path)
		if err != nil || there && c.Options != nil && c.Options.IgnoreIfExists && !overwrite {
			return err
		}
		if there {
			return invalidResponse(p.i.server.Name, "wants to create %s, which exists", quote(path))
		}
		p.steps = append(p.steps, &step{edit: adapter.FileEdit{Op: adapter.CreateFile, Path: path}, now: path, read: true})
		return nil
	case "rename":
		return p.rename(ctx, c.OldURI, c.NewURI)
	case "delete":
		path, err := p.path(c.URI)
		if err != nil {
			return err
		}
		there, err := p.exists(ctx, path)
		if err != nil || !there && c.Options != nil && c.Options.IgnoreIfNotExists {
			return err
		}
		s := p.stepOf(path)
		if s != nil && s.edit.Op != adapter.ChangeFile || !there {
			return invalidResponse(p.i.server.Name, "wants to delete %s, which does not exist", quote(path))
		}
		if s == nil {
			s = &step{}
			p.steps = append(p.steps, s)
		}
		*s = step{edit: adapter.FileEdit{Op: adapter.DeleteFile, Path: path}}
		return nil
	}
	return invalidResponse(p.i.server.Name, "wants to %q a file", c.Kind)
}

// rename adds the rename of a file to the plan.
func (p *planner) rename(ctx context.Context, oldURI, newURI string) error {
	from, err := p.path(oldURI)
	if err != nil {
		return err
	}
	to, err := p.path(newURI)
	if err != nil {
		return err
	}
	there, err := p.exists(ctx, to)
	if err != nil {
		return err
	}
	if there {
		return invalidResponse(p.i.server.Name, "wants to move %s to %s, which exists", quote(from), quote(to))
	}
	if there, err = p.exists(ctx, from); err != nil {
		return err
	}
	s := p.stepOf(from)
	if s == nil && !there {
		return invalidResponse(p.i.server.Name, "wants to move %s, which does not exist", quote(from))
	}
	if s == nil {
		s = &step{edit: adapter.FileEdit{Path: from}}
		p.steps = append(p.steps, s)
	}
	s.now = to
	if s.edit.Op == adapter.CreateFile {
		s.edit.Path = to
	} else {
		s.edit.Op, s.edit.NewPath = adapter.RenameFile, to
	}
	return nil
}

// change applies edits to the text of a file. Earlier operations may have changed the text.
func (p *planner) change(ctx context.Context, uri string, version *int, edits []lsp.TextEdit) error {
	path, err := p.path(uri)
	if err != nil {
		return err
	}
	s := p.stepOf(path)
	if s == nil && p.isGone(path) {
		return invalidResponse(p.i.server.Name, "wants to change %s, which it has moved or deleted", quote(path))
	}
	if s == nil {
		s = &step{edit: adapter.FileEdit{Path: path}, now: path}
		p.steps = append(p.steps, s)
	}
	if !s.read {
		if err := p.read(ctx, s, version); err != nil {
			return err
		}
	}
	exact, err := textEdits(s.new, edits)
	if err == nil {
		s.new, err = adapter.Apply(s.new, exact)
	}
	if err != nil {
		return invalidResponse(p.i.server.Name, "wants to change %s where it cannot: %v", quote(path), err)
	}
	if int64(len(s.new)) > 2*p.i.h.o.MaxFile {
		return invalidResponse(p.i.server.Name, "wants to make %s larger than %d bytes", quote(path), 2*p.i.h.o.MaxFile)
	}
	return nil
}

// read sets the text of a step, and checks that the edits are for the same version of it.
func (p *planner) read(ctx context.Context, s *step, version *int) error {
	doc := p.given
	if doc.Path != s.edit.Path {
		var err error
		if doc, _, err = p.i.h.read(ctx, s.edit.Path); err != nil {
			return fmt.Errorf("%s wants to change %s: %w", p.i.server.Name, quote(s.edit.Path), err)
		}
	}
	if open := p.version(s.edit.Path); version != nil && open > 0 && *version != open {
		return fmt.Errorf("%s returned a change of another version of %s: %w", p.i.server.Name, quote(s.edit.Path), adapter.ErrStale)
	}
	s.old, s.new, s.read = doc.Text, doc.Text, true
	s.edit.Version = doc.Version
	return nil
}

// stepOf returns the step of the file that has this path after the operations so far, or nil.
func (p *planner) stepOf(path string) *step {
	for _, s := range p.steps {
		if s.now == path && s.edit.Op != adapter.DeleteFile {
			return s
		}
	}
	return nil
}

// isGone reports whether a step has moved or deleted the file with this path.
func (p *planner) isGone(path string) bool {
	return slices.ContainsFunc(p.steps, func(s *step) bool { return s.edit.Path == path && s.now != path })
}

// path returns the path of a URI. A path outside the project is an error.
func (p *planner) path(uri string) (string, error) {
	path, err := lsp.Path(uri)
	if err != nil {
		return "", invalidResponse(p.i.server.Name, "wants to change a URI that is no file: %v", err)
	}
	if !p.i.h.inProject(path) || slices.Contains(p.i.h.dirs, path) {
		return "", invalidResponse(p.i.server.Name, "wants to change %s, which is no file of the project", quote(path))
	}
	return path, nil
}

// exists reports whether a file exists after the operations so far. A directory is an error.
func (p *planner) exists(ctx context.Context, path string) (bool, error) {
	if p.stepOf(path) != nil {
		return true, nil
	}
	if p.isGone(path) {
		return false, nil
	}
	info, err := p.i.h.root.Lstat(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Kind != security.RegularFile:
		return false, invalidResponse(p.i.server.Name, "wants to do something with %s, which is a %s", quote(path), info.Kind)
	}
	return true, nil
}

// plan returns the edits of all steps. A renamed file is edited first and then moved.
func (p *planner) plan() []adapter.FileEdit {
	var all []adapter.FileEdit
	for _, s := range p.steps {
		e := s.edit
		edits := difference(s.old, s.new)
		switch e.Op {
		case adapter.ChangeFile:
			if e.Edits = edits; len(edits) == 0 {
				continue
			}
		case adapter.CreateFile:
			e.Edits = edits
		case adapter.RenameFile:
			if len(edits) > 0 {
				all = append(all, adapter.FileEdit{Path: e.Path, Edits: edits, Version: e.Version})
			}
			if e.NewPath == e.Path {
				continue
			}
		}
		all = append(all, e)
	}
	return all
}
