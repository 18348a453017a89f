package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Diagnostic is an error, a warning or a hint at a range of a file.
type Diagnostic struct {
	// ID identifies the diagnostic for get_quick_fixes. It is stable for the same file, range and message.
	ID       string        `json:"id,omitempty"`
	File     string        `json:"file"` // as Change.Path
	Range    adapter.Range `json:"range"`
	Severity string        `json:"severity"` // error, warning, info or hint
	Message  string        `json:"message"`
	Code     string        `json:"code,omitempty"`
	Source   string        `json:"source,omitempty"`
}

// DiagnosticRef names a diagnostic by its id, or contains the diagnostic as get_diagnostics returned it.
type DiagnosticRef struct {
	ID         string
	Diagnostic *Diagnostic
}

// UnmarshalJSON reads an id (a string) or a diagnostic (an object).
func (r *DiagnosticRef) UnmarshalJSON(raw []byte) error {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &r.ID)
	}
	r.Diagnostic = new(Diagnostic)
	return json.Unmarshal(raw, r.Diagnostic)
}

// MarshalJSON writes the diagnostic if there is one, otherwise the id.
func (r DiagnosticRef) MarshalJSON() ([]byte, error) {
	if r.Diagnostic != nil {
		return json.Marshal(r.Diagnostic)
	}
	return json.Marshal(r.ID)
}

const (
	maxFound   = 4096
	maxItems   = 10_000 // diagnostics of one call
	maxMessage = 1000   // bytes
	maxName    = 100    // bytes of a code, a source or a title
)

// foundDiagnostic is a diagnostic of an adapter, kept for get_quick_fixes.
type foundDiagnostic struct {
	adapter string
	item    adapter.Diagnostic
}

// newDiagnostic converts a diagnostic of an adapter and stores it under its ID.
func (e *Editor) newDiagnostic(p projectFile, from string, d adapter.Diagnostic) Diagnostic {
	d.Range = normalizeRange(d.Range)
	out := Diagnostic{File: p.path, Range: d.Range, Severity: string(severityOf(d.Severity)),
		Message: truncate.Cut(d.Message, maxMessage), Code: truncate.Cut(d.Code, maxName), Source: truncate.Cut(d.Source, maxName)}
	out.ID = digest(fmt.Appendf(nil, "%s\x00%v\x00%s\x00%s\x00%s\x00%s", p.path, d.Range, d.Severity, d.Code, d.Source, d.Message))[:12]
	d.Path = p.abs
	e.found.put(out.ID, foundDiagnostic{from, d})
	return out
}

// normalizeRange returns a valid range: positions from 1, and an end that is not before the start.
func normalizeRange(r adapter.Range) adapter.Range {
	for _, p := range []*adapter.Position{&r.Start, &r.End} {
		p.Line, p.Column = max(p.Line, 1), max(p.Column, 1)
	}
	if r.End.Before(r.Start) {
		r.End = r.Start
	}
	return r
}

func severityOf(s adapter.Severity) adapter.Severity {
	switch s {
	case adapter.Error, adapter.Warning, adapter.Hint:
		return s
	}
	return adapter.Info
}

// severities are all severities, the most severe first.
var severities = []adapter.Severity{adapter.Error, adapter.Warning, adapter.Info, adapter.Hint}

// key identifies the diagnostic without its position.
func (d *Diagnostic) key() string {
	return strings.Join([]string{d.File, d.Severity, d.Source, d.Code, d.Message}, "\x00")
}

// line returns the diagnostic as one line of text.
func (d *Diagnostic) line(withFile bool) string {
	var b strings.Builder
	if withFile {
		b.WriteString(d.File + ":")
	}
	fmt.Fprintf(&b, "%d:%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Severity)
	if d.Code != "" {
		b.WriteString(" " + d.Code)
	}
	b.WriteString(" " + strings.ReplaceAll(d.Message, "\n", " "))
	if d.Source != "" {
		b.WriteString(" (" + d.Source + ")")
	}
	if d.ID != "" {
		b.WriteString(" #" + d.ID)
	}
	return b.String()
}

// resolveDiagnostic returns the diagnostic of a reference. from is the adapter that found it, or "".
func (e *Editor) resolveDiagnostic(ctx context.Context, r DiagnosticRef) (d adapter.Diagnostic, from string, err error) {
	id := r.ID
	if r.Diagnostic != nil {
		id = r.Diagnostic.ID
	}
	if found, ok := e.found.get(strings.TrimPrefix(id, "#")); ok {
		return found.item, found.adapter, nil
	}
	given := r.Diagnostic
	if given == nil || given.File == "" {
		return d, "", invalid("give a diagnostic, or its id, as get_diagnostics returned it", "the diagnostic %s is unknown", quote(id))
	}
	if given.Range.Start.Line < 1 {
		return d, "", invalid("give the range, as get_diagnostics returned it", "the diagnostic has no range")
	}
	p, err := e.locate(ctx, given.File)
	if err != nil {
		return d, "", err
	}
	return adapter.Diagnostic{Path: p.abs, Range: normalizeRange(given.Range), Severity: severityOf(adapter.Severity(given.Severity)),
		Message: given.Message, Code: given.Code, Source: given.Source}, "", nil
}
