package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Position is a place between two characters, from 0, in UTF-16 code units.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a stretch of text; End is not part of it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a stretch of a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// LocationLink is a Location as newer servers answer it.
type LocationLink struct {
	TargetURI            string `json:"targetUri"`
	TargetRange          Range  `json:"targetRange"`
	TargetSelectionRange Range  `json:"targetSelectionRange"`
}

// Locations is the result of textDocument/definition: one Location, several, or links.
type Locations []Location

// UnmarshalJSON takes all of the forms.
func (l *Locations) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		*l = nil
		return nil
	}
	if len(data) > 0 && data[0] == '{' {
		data = append(append([]byte{'['}, data...), ']')
	}
	var all []struct {
		Location
		LocationLink
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*l = make(Locations, len(all))
	for i, one := range all {
		if (*l)[i] = one.Location; one.TargetURI != "" {
			(*l)[i] = Location{one.TargetURI, one.TargetSelectionRange}
		}
	}
	return nil
}

// TextEdit replaces a stretch of text. A snippet, which no file can hold, is an error when it is decoded.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

var errSnippet = errors.New("an edit is a snippet, which only an editor can fill in")

// UnmarshalJSON refuses snippets, in the forms of LSP 3.18 and of rust-analyzer.
func (e *TextEdit) UnmarshalJSON(data []byte) error {
	var all struct {
		Range            *Range          `json:"range"`
		NewText          *string         `json:"newText"`
		Snippet          json.RawMessage `json:"snippet"`
		InsertTextFormat int             `json:"insertTextFormat"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	if len(all.Snippet) > 0 || all.InsertTextFormat == 2 {
		return errSnippet
	}
	if all.Range == nil || all.NewText == nil {
		return errors.New("an edit lacks its range or its text")
	}
	e.Range, e.NewText = *all.Range, *all.NewText
	return nil
}

// WorkspaceEdit is a change of files.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []DocumentChange      `json:"documentChanges,omitempty"`
}

// DocumentChange changes a document or, with a Kind, a file: "create", "rename", "delete".
type DocumentChange struct {
	Kind         string                `json:"kind,omitempty"`
	TextDocument *VersionedDocument    `json:"textDocument,omitempty"`
	Edits        []TextEdit            `json:"edits,omitempty"`
	URI          string                `json:"uri,omitempty"`
	OldURI       string                `json:"oldUri,omitempty"`
	NewURI       string                `json:"newUri,omitempty"`
	Options      *FileOperationOptions `json:"options,omitempty"`
}

// FileOperationOptions define the behaviour if the file exists already or is missing.
type FileOperationOptions struct {
	Overwrite         bool `json:"overwrite,omitempty"`
	IgnoreIfExists    bool `json:"ignoreIfExists,omitempty"`
	Recursive         bool `json:"recursive,omitempty"`
	IgnoreIfNotExists bool `json:"ignoreIfNotExists,omitempty"`
}

// VersionedDocument names a document; a nil version is that of the disk.
type VersionedDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
}

// Document names a document in a request.
type Document struct {
	URI string `json:"uri"`
}

// PositionParams are parameters of requests about a position.
type PositionParams struct {
	TextDocument Document `json:"textDocument"`
	Position     Position `json:"position"`
}

// DocumentParams ask about a document.
type DocumentParams struct {
	TextDocument Document `json:"textDocument"`
}

// ReferenceParams are the parameters of textDocument/references.
type ReferenceParams struct {
	PositionParams
	Context ReferenceContext `json:"context"`
}

// ReferenceContext says whether the declaration counts as a use.
type ReferenceContext struct {
	IncludeDeclaration bool `json:"includeDeclaration"`
}

// RenameParams ask for a rename.
type RenameParams struct {
	PositionParams
	NewName string `json:"newName"`
}

// FormattingParams ask for the layout of a document, or of Range of it.
type FormattingParams struct {
	TextDocument Document          `json:"textDocument"`
	Range        *Range            `json:"range,omitempty"`
	Options      FormattingOptions `json:"options"`
}

// FormattingOptions are the formatting options that every server supports.
type FormattingOptions struct {
	TabSize      int  `json:"tabSize"`
	InsertSpaces bool `json:"insertSpaces"`
}

// Symbol is a DocumentSymbol or a SymbolInformation: the former has children, the latter a location.
type Symbol struct {
	Name           string    `json:"name"`
	Kind           int       `json:"kind"`
	ContainerName  string    `json:"containerName"`
	Location       *Location `json:"location"`
	Range          Range     `json:"range"`
	SelectionRange Range     `json:"selectionRange"`
	Children       []Symbol  `json:"children"`
}

// SymbolParams ask for the symbols of a project.
type SymbolParams struct {
	Query string `json:"query"`
}

// Hover is the result of textDocument/hover.
type Hover struct {
	Contents HoverContents `json:"contents"`
}

// HoverContents is the text of a Hover. Its forms are a MarkupContent, a MarkedString, or a list of MarkedString.
type HoverContents string

// UnmarshalJSON takes all of the forms.
func (h *HoverContents) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		parts = []json.RawMessage{data}
	}
	var texts []string
	for _, part := range parts {
		var text string
		if json.Unmarshal(part, &text) != nil {
			var marked struct {
				Language string `json:"language"`
				Value    string `json:"value"`
			}
			if err := json.Unmarshal(part, &marked); err != nil {
				return err
			}
			if text = marked.Value; marked.Language != "" {
				text = "```" + marked.Language + "\n" + text + "\n```"
			}
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	*h = HoverContents(strings.Join(texts, "\n\n"))
	return nil
}

// HierarchyItem is a CallHierarchyItem or a TypeHierarchyItem.
type HierarchyItem struct {
	Name           string          `json:"name"`
	Kind           int             `json:"kind"`
	Tags           json.RawMessage `json:"tags,omitempty"`
	Detail         string          `json:"detail,omitempty"`
	URI            string          `json:"uri"`
	Range          Range           `json:"range"`
	SelectionRange Range           `json:"selectionRange"`
	Data           json.RawMessage `json:"data,omitempty"`
}

// HierarchyParams ask for the relatives of an item.
type HierarchyParams struct {
	Item HierarchyItem `json:"item"`
}

// HierarchyCall is a CallHierarchyIncomingCall or a CallHierarchyOutgoingCall: From belongs to the former, To to the latter.
type HierarchyCall struct {
	From       *HierarchyItem `json:"from"`
	To         *HierarchyItem `json:"to"`
	FromRanges []Range        `json:"fromRanges"`
}
