package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const (
	// tsApplyCommand is the command by which typescript-language-server applies refactorings.
	tsApplyCommand = "_typescript.applyRefactoring"
	// tsMoveKind is the kind of a refactoring that moves declarations to a file of the caller's choice.
	tsMoveKind = "refactor.move.file"
)

// isTSRefactoring reports whether an action is a refactoring of tsserver.
func (i *instance) isTSRefactoring(a lsp.CodeAction) bool {
	return i.server.Dialect == TSServer && a.Command != nil && a.Command.Command == tsApplyCommand && len(a.Command.Arguments) == 1
}

// needsTarget reports whether an action needs the path of a file.
func (i *instance) needsTarget(a lsp.CodeAction) bool {
	return i.isTSRefactoring(a) && a.Kind == tsMoveKind
}

// tsRefactor computes the edits of a refactoring of tsserver. The command of typescript-language-server would create missing files on
// the disk; the request of tsserver only returns edits. target is the file for tsMoveKind.
func (i *instance) tsRefactor(ctx context.Context, session *lsp.Session, ref *fixRef, target string) ([]adapter.FileEdit, error) {
	var args map[string]any
	if err := json.Unmarshal(ref.action.Command.Arguments[0], &args); err != nil {
		return nil, invalidResponse(i.server.Name, "offered a refactoring that cannot be used: %v", err)
	}
	args["file"] = lsp.URI(ref.doc.Path)
	if target != "" {
		args["interactiveRefactorArguments"] = map[string]string{"targetFile": target}
	}
	var answer struct {
		Type    string
		Message string
		Body    struct {
			NotApplicableReason string
			Edits               []tsFileEdits
		}
	}
	if err := tsRequest(ctx, session, "getEditsForRefactor", args, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Type != "response":
		return nil, fmt.Errorf("asking TypeScript for a refactoring: %s", quote(answer.Message))
	case answer.Body.NotApplicableReason != "":
		return nil, fmt.Errorf("TypeScript cannot do this here: %s", quote(answer.Body.NotApplicableReason))
	}
	edit, err := i.tsWorkspaceEdit(ctx, answer.Body.Edits)
	if err != nil {
		return nil, err
	}
	return i.fileEdits(ctx, session, edit, ref.doc)
}

// tsFileEdits are the edits of one file in the protocol of tsserver.
type tsFileEdits struct {
	FileName    string
	TextChanges []struct {
		Start, End tsPosition
		NewText    string
	}
}

// tsWorkspaceEdit converts edits of tsserver. Missing files are created.
func (i *instance) tsWorkspaceEdit(ctx context.Context, files []tsFileEdits) (json.RawMessage, error) {
	p := &planner{i: i}
	var all lsp.WorkspaceEdit
	for _, file := range files {
		uri := lsp.URI(filepath.FromSlash(file.FileName))
		path, err := p.path(uri)
		if err != nil {
			return nil, err
		}
		there, err := p.exists(ctx, path)
		if err != nil {
			return nil, err
		}
		if !there {
			all.DocumentChanges = append(all.DocumentChanges, lsp.DocumentChange{Kind: "create", URI: uri})
		}
		change := lsp.DocumentChange{TextDocument: &lsp.VersionedDocument{URI: uri}}
		for _, c := range file.TextChanges {
			change.Edits = append(change.Edits, lsp.TextEdit{Range: lsp.Range{Start: c.Start.protocol(), End: c.End.protocol()}, NewText: c.NewText})
		}
		all.DocumentChanges = append(all.DocumentChanges, change)
	}
	return json.Marshal(all)
}

// tsRequest sends a request to tsserver by a command of typescript-language-server.
func tsRequest(ctx context.Context, session *lsp.Session, command string, args, answer any) error {
	name, err := json.Marshal(command)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	result, _, err := session.Execute(ctx, lsp.Command{Command: "typescript.tsserverRequest", Arguments: []json.RawMessage{name, raw}})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(result, answer); err != nil {
		return fmt.Errorf("decode the response of TypeScript to %s: %w", command, err)
	}
	return nil
}

// tsFixAllWait limits the wait for the diagnostics that the fixes of a whole file need.
const tsFixAllWait = 5 * time.Second

// tsFixAll repeats a request for actions on a whole file until typescript-language-server has the diagnostics of the file. Until then
// it leaves these actions out.
func (i *instance) tsFixAll(ctx context.Context, kinds []string, request func() ([]adapter.Refactoring, error)) ([]adapter.Refactoring, error) {
	const fixAll = "source.fixAll.ts"
	found, err := request()
	if i.server.Dialect != TSServer || len(kinds) == 0 || !lsp.OfKind(fixAll, kinds) && !lsp.OfKind("source.addMissingImports.ts", kinds) && !lsp.OfKind("source.removeUnused.ts", kinds) {
		return found, err
	}
	limited, cancel := context.WithTimeout(ctx, tsFixAllWait)
	defer cancel()
	for delay := 20 * time.Millisecond; err == nil && !hasFixAll(found) && wait.Sleep(limited, delay) == nil; delay = min(2*delay, 300*time.Millisecond) {
		found, err = request()
	}
	return found, err
}

// hasFixAll reports whether there is an action that fixes diagnostics of a whole file.
func hasFixAll(all []adapter.Refactoring) bool {
	for _, r := range all {
		if lsp.OfKind(r.Kind, []string{"source.fixAll", "source.addMissingImports", "source.removeUnused"}) {
			return true
		}
	}
	return false
}
