package vscode

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// ReloadTime is the time until a window that reloads has its unsaved documents again.
const ReloadTime = reloadTime

// ReadFrame reads one message into v.
func ReadFrame(data []byte, v any) error {
	return newFrames(&canned{bytes.NewReader(data)}).ReadObject(v)
}

// canned is a pipe from which data can be read.
type canned struct{ *bytes.Reader }

func (*canned) Write(p []byte) (int, error)      { return len(p), nil }
func (*canned) Close() error                     { return nil }
func (*canned) SetWriteDeadline(time.Time) error { return nil }

// Answers are the results of all parsers for one response of a window.
type Answers struct {
	Documents   []adapter.Document
	Locations   []adapter.Location
	Edits       []adapter.TextEdit
	Files       []adapter.FileEdit
	Symbols     []adapter.Symbol
	Diagnostics adapter.Diagnostics
}

// ParseAnswers parses a response with all parsers. Invalid values are missing.
func ParseAnswers(data []byte, asked string) (out Answers) {
	var in struct {
		Document    document
		Locations   []location
		Edits       []textEdit
		Files       []fileEdit
		Symbols     []symbol
		Diagnostics findings
	}
	if json.Unmarshal(data, &in) != nil {
		return out
	}
	if doc, err := in.Document.as(asked); err == nil {
		out.Documents = append(out.Documents, doc)
	}
	out.Locations, _ = fromLocations(in.Locations)
	out.Edits, _ = fromEdits(in.Edits)
	out.Files, _ = fromFileEdits(in.Files)
	out.Symbols, _ = fromSymbols(in.Symbols)
	_ = in.Diagnostics.addTo(&out.Diagnostics, []string{asked})
	return out
}
