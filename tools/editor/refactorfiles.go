package editor

import (
	"context"
	"errors"
	iofs "io/fs"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

const (
	maxRefactoredFiles = 200              // files of a glob that apply_refactoring looks at
	refactorFilesTime  = 25 * time.Second // for the files of a glob
)

// filesRefactoring is a refactoring of the files of a glob while it is computed.
type filesRefactoring struct {
	e    *Editor
	args ApplyRefactoringArgs
	kind string

	found    *offeredRefactoring
	edits    []adapter.FileEdit
	clean    int      // files without a change
	skipped  []string // paths that cannot be changed, with reasons
	noServer []string // paths without a language server
}

// refactorFiles computes a refactoring of the files of a glob. Kinds for a part of a file are refused.
func (e *Editor) refactorFiles(ctx context.Context, args ApplyRefactoringArgs, kind string) (*offeredRefactoring, error) {
	if !isSource(kind) {
		return nil, invalid("give a kind for whole files, such as source.organizeImports or source.fixAll, or leave glob out", "the kind %s is not for whole files", quote(kind))
	}
	if args.StartLine > 0 || args.Target != "" || args.Name != "" {
		return nil, invalid("leave startLine, target and name out", "a refactoring of whole files changes all of their text")
	}
	paths, err := e.globFiles(ctx, args.Path, args.Glob)
	if err != nil {
		return nil, err
	}
	r := &filesRefactoring{e: e, args: args, kind: kind}
	r.found = &offeredRefactoring{refactoring: adapter.Refactoring{Title: kind + " in the files of " + args.Glob, Kind: kind}, digests: make(map[string]string), shown: &previewedEdits{}, files: true}
	end := time.Now().Add(refactorFilesTime)
	for n, path := range paths {
		if time.Now().After(end) {
			r.found.notes = append(r.found.notes, plural.Count(len(paths)-n, "file")+" from "+path+" on were not looked at; call again for them with a narrower glob")
			break
		}
		mcp.Progress(ctx, float64(n), float64(len(paths)), "working out the changes")
		if err := r.file(ctx, path); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// finish returns the refactoring with its notes.
func (r *filesRefactoring) finish() (*offeredRefactoring, error) {
	o := r.found
	if o.Adapter == nil && len(r.noServer) > 0 {
		return nil, problem(codeNoLanguageServer, "Choose files of a language that has a language server.", "no language server does %s for these files: %s", quote(r.kind), someOf(r.noServer))
	}
	o.shown.edits = r.edits
	if r.clean > 0 {
		o.notes = append(o.notes, plural.Count(r.clean, "file")+" had nothing to change")
	}
	if len(r.noServer) > 0 {
		o.notes = append(o.notes, "no language server does this for "+someOf(r.noServer))
	}
	if len(r.skipped) > 0 {
		o.notes = append(o.notes, "not changed: "+someOf(r.skipped))
	}
	return o, nil
}

// file adds the edits of one file.
func (r *filesRefactoring) file(ctx context.Context, path string) error {
	doc, err := r.e.openDocument(ctx, path)
	if err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		r.skip(path, err)
		return nil
	}
	if doc.buffer != nil && doc.buffer.dirty {
		r.skipped = append(r.skipped, path+" (unsaved in "+doc.editor()+")")
		return nil
	}
	if len(doc.differingEditors) > 0 {
		r.skipped = append(r.skipped, path+" (other content in "+strings.Join(doc.differingEditors, ", ")+")")
		return nil
	}
	o, err := r.e.chooseRefactoring(ctx, doc, ApplyRefactoringArgs{Path: path, Title: r.args.Title}, r.kind)
	if err == nil {
		var edits []adapter.FileEdit
		if edits, err = o.compute(ctx); err == nil {
			r.add(doc, o, edits)
			return nil
		}
	}
	tool, _ := errors.AsType[*mcp.ToolError](err)
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case tool != nil && tool.Code == codeNoRefactoring:
		r.clean++
	case tool != nil && tool.Code == codeNoLanguageServer:
		r.noServer = append(r.noServer, path)
		return nil
	default:
		r.skip(path, err)
	}
	return nil
}

func (r *filesRefactoring) skip(path string, err error) {
	r.skipped = append(r.skipped, path+" ("+truncateText(err.Error())+")")
}

// add adds the edits of a document. Edits of other files are refused, because two documents could change the same file.
func (r *filesRefactoring) add(doc *document, o *offeredRefactoring, edits []adapter.FileEdit) {
	if r.found.Adapter == nil {
		r.found.Adapter = o.Adapter
	}
	if len(edits) == 0 {
		r.clean++
		return
	}
	for _, edit := range edits {
		if edit.Op != adapter.ChangeFile || edit.Path != doc.abs {
			r.skipped = append(r.skipped, doc.path+" (it would change other files, too)")
			return
		}
	}
	r.found.digests[doc.abs] = doc.sha256
	r.edits = append(r.edits, edits...)
}

// someOf lists the first texts.
func someOf(all []string) string {
	const most = 10
	if len(all) > most {
		return strings.Join(all[:most], ", ") + " and " + plural.Count(len(all)-most, "more file")
	}
	return strings.Join(all, ", ")
}

// globFiles returns the files of a glob below a directory, without ignored files.
func (e *Editor) globFiles(ctx context.Context, dir, pattern string) ([]string, error) {
	start, err := e.root.Stat(ctx, dir)
	if err != nil {
		return nil, err
	}
	wanted, err := glob.Compile(pattern, start.Path)
	if err != nil {
		return nil, badPattern(err)
	}
	var paths []string
	o := security.WalkOptions{Hidden: wanted.Hidden(), Skip: func(rel string, kind security.Kind) bool {
		return kind == security.Directory && (rel == "node_modules" || strings.HasSuffix(rel, "/node_modules"))
	}}
	_, err = e.root.Walk(ctx, start.Path, o, func(entry *security.WalkEntry) error {
		if entry.Kind == security.RegularFile && wanted.Match(entry.Name, entry.Rel()) {
			if paths = append(paths, entry.Path()); len(paths) > maxRefactoredFiles {
				return iofs.SkipAll
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(paths) > maxRefactoredFiles:
		return nil, invalid("choose fewer files by path and glob", "more than %d files match %s", maxRefactoredFiles, quote(pattern))
	case len(paths) == 0:
		return nil, invalid("correct path or glob", "no file below %s matches %s", quote(start.Path), quote(pattern))
	}
	return paths, nil
}
