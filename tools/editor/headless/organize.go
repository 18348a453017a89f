package headless

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// organizeCommands returns the commands of a server that may organize the imports of the document in their argument. Pyright has such
// a command, but offers neither it nor a code action. The package basedpyright installs its server under both names.
func (s Server) organizeCommands() []string {
	switch program := filepath.Base(s.Command); strings.TrimSuffix(program, filepath.Ext(program)) {
	case "pyright-langserver", "basedpyright-langserver":
		return []string{"pyright.organizeimports", "basedpyright.organizeimports"}
	}
	return nil
}

// organizeByCommand returns the refactoring of organizeCommands, or nil if the kind is not requested or the server has no such command.
func (i *instance) organizeByCommand(session *lsp.Session, doc adapter.Document, kinds []string) *adapter.Refactoring {
	commands := i.server.organizeCommands()
	if len(commands) == 0 || !lsp.OfKind(organize, kinds) {
		return nil
	}
	uri, err := json.Marshal(lsp.URI(doc.Path))
	if err != nil {
		return nil
	}
	action := lsp.CodeAction{Title: "Organize imports", Kind: organize, Command: &lsp.Command{Command: commands[0], Arguments: []json.RawMessage{uri}}}
	return &adapter.Refactoring{Title: action.Title, Kind: organize, Ref: &fixRef{i, session, action, doc}}
}

// execute has a server run the command of an action and returns the requested edits.
func (i *instance) execute(ctx context.Context, session *lsp.Session, c lsp.Command) ([]json.RawMessage, error) {
	hidden := i.server.organizeCommands()
	if !slices.Contains(hidden, c.Command) {
		_, edits, err := session.Execute(ctx, c)
		return edits, err
	}
	var failures []error
	for _, c.Command = range hidden {
		_, edits, err := session.ExecuteHidden(ctx, c)
		if err == nil || ctx.Err() != nil {
			return edits, err
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}
