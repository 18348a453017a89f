package vscode

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

const (
	maxLine    = 1<<31 - 2 // limit of lines and columns
	maxItems   = 10_000    // limit of a list in a result
	maxEdits   = 100_000   // limit of the edits of a file
	maxMessage = 4000      // limit of the message of a diagnostic, in bytes
	maxName    = 200       // limit of a code, title or symbol, in bytes
)

// position is a position in the protocol of the extension: line and column count from 0, columns in UTF-16 code units.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type location struct {
	Path  string `json:"path"`
	Range span   `json:"range"`
}

// known names a document and the content that the caller expects: Version of an open document, or SHA256 of the text.
type known struct {
	Path    string `json:"path"`
	Version int    `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

// knownAs returns the known of a document: its version, or the digest of its text. Line ends are hashed as LF, because VS Code may
// have changed them.
func knownAs(doc adapter.Document) known {
	if doc.Version > 0 {
		return known{Path: doc.Path, Version: doc.Version}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(doc.Text, "\r\n", "\n"), "\r", "\n")
	sum := sha256.Sum256([]byte(text))
	return known{Path: doc.Path, SHA256: hex.EncodeToString(sum[:])}
}

func toPosition(p adapter.Position) (position, error) {
	if p.Line < 1 || p.Column < 1 || p.Line > maxLine || p.Column > maxLine {
		return position{}, fmt.Errorf("there is no line %d, column %d: both count from 1", p.Line, p.Column)
	}
	return position{p.Line - 1, p.Column - 1}, nil
}

func toSpan(r adapter.Range) (span, error) {
	start, err := toPosition(r.Start)
	if err != nil {
		return span{}, err
	}
	end, err := toPosition(r.End)
	if err == nil && r.End.Before(r.Start) {
		err = fmt.Errorf("a range ends at line %d, column %d, before it begins", r.End.Line, r.End.Column)
	}
	return span{start, end}, err
}

func toEdits(edits []adapter.TextEdit) ([]textEdit, error) {
	if len(edits) > maxEdits {
		return nil, fmt.Errorf("%d edits are more than %d", len(edits), maxEdits)
	}
	out := make([]textEdit, len(edits))
	for i, e := range edits {
		r, err := toSpan(e.Range)
		if err != nil {
			return nil, err
		}
		out[i] = textEdit{r, e.NewText}
	}
	return out, nil
}

var errPosition = errors.New("VS Code returned an invalid position")

func fromPosition(p position) (adapter.Position, error) {
	if p.Line < 0 || p.Character < 0 || p.Line > maxLine || p.Character > maxLine {
		return adapter.Position{}, errPosition
	}
	return adapter.Position{Line: p.Line + 1, Column: p.Character + 1}, nil
}

func fromSpan(s span) (adapter.Range, error) {
	start, err := fromPosition(s.Start)
	if err != nil {
		return adapter.Range{}, err
	}
	end, err := fromPosition(s.End)
	if err == nil && end.Before(start) {
		err = errPosition
	}
	return adapter.Range{Start: start, End: end}, err
}

func fromEdits(edits []textEdit) ([]adapter.TextEdit, error) {
	if len(edits) > maxEdits {
		return nil, fmt.Errorf("VS Code returned more than %d edits", maxEdits)
	}
	out := make([]adapter.TextEdit, len(edits))
	for i, e := range edits {
		r, err := fromSpan(e.Range)
		if err != nil {
			return nil, err
		}
		out[i] = adapter.TextEdit{Range: r, NewText: e.NewText}
	}
	return out, nil
}

// fromPath checks and cleans a path from a window.
func fromPath(path string) (string, error) {
	if !presence.IsPath(path) {
		return "", fmt.Errorf("VS Code returned %.100q, which is not an absolute path", path)
	}
	return filepath.Clean(path), nil
}

func fromLocation(l location) (adapter.Location, error) {
	path, err := fromPath(l.Path)
	if err != nil {
		return adapter.Location{}, err
	}
	r, err := fromSpan(l.Range)
	return adapter.Location{Path: path, Range: r}, err
}

func fromLocations(all []location) ([]adapter.Location, error) {
	out := make([]adapter.Location, 0, min(len(all), maxItems))
	for _, l := range all {
		if len(out) == maxItems {
			break
		}
		known, err := fromLocation(l)
		if err != nil {
			return nil, err
		}
		out = append(out, known)
	}
	return out, nil
}

// fileEdit is an edit of a file in the protocol of the extension. Op is a key of operations.
type fileEdit struct {
	Op      string     `json:"op"`
	Path    string     `json:"path"`
	NewPath string     `json:"newPath"`
	Edits   []textEdit `json:"edits"`
	Version int        `json:"version"`
}

// operations has the operations of a fileEdit by name.
var operations = map[string]adapter.FileOp{
	"change": adapter.ChangeFile, "create": adapter.CreateFile, "rename": adapter.RenameFile, "delete": adapter.DeleteFile,
}

func fromFileEdits(all []fileEdit) ([]adapter.FileEdit, error) {
	if len(all) > maxItems {
		return nil, fmt.Errorf("VS Code returned changes of more than %d files", maxItems)
	}
	out := make([]adapter.FileEdit, 0, len(all))
	for _, e := range all {
		op, ok := operations[e.Op]
		if !ok {
			return nil, fmt.Errorf("VS Code returned an unknown change, %.50q", e.Op)
		}
		path, err := fromPath(e.Path)
		if err != nil {
			return nil, err
		}
		edit := adapter.FileEdit{Op: op, Path: path, Version: max(e.Version, 0)}
		if op == adapter.RenameFile {
			if edit.NewPath, err = fromPath(e.NewPath); err != nil {
				return nil, err
			}
		}
		if edit.Edits, err = fromEdits(e.Edits); err != nil {
			return nil, err
		}
		out = append(out, edit)
	}
	return out, nil
}
