package editor

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// FormatArgs are the arguments of format_document.
type FormatArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// StartLine and EndLine select lines from 1, both included. Some formatters support complete files only.
	StartLine int `json:"startLine,omitempty" jsonschema:"minimum=1"`
	EndLine   int `json:"endLine,omitempty" jsonschema:"minimum=1"`
	// CheckOnly shows the change and writes nothing.
	CheckOnly bool `json:"checkOnly,omitempty" jsonschema:"default=false,description=Writes nothing"`
	// ExpectedSHA256 is the digest that the file must have. Another one is refused with STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// FormatResult is the result of format_document.
type FormatResult struct {
	Change
	// Changed means that the formatting differs from the former text.
	Changed bool `json:"changed"`
	// Formatter is the name of the adapter that formatted the file.
	Formatter string `json:"formatter"`
	CheckOnly bool   `json:"checkOnly,omitempty"`
	Feedback
}

// Format formats a file. It is the tool format_document.
func (e *Editor) Format(ctx context.Context, args FormatArgs) (FormatResult, error) {
	if args.StartLine < 0 || args.EndLine < 0 || args.EndLine > 0 && args.EndLine < args.StartLine {
		return FormatResult{}, invalid("give a startLine from 1, and an endLine that is not before it", "lines %d to %d are not a range", args.StartLine, args.EndLine)
	}
	for attempt := 1; ; attempt++ {
		result, err := e.format(ctx, args)
		if isStaleFile(err) && args.ExpectedSHA256 == "" && attempt < maxAttempts {
			continue
		}
		return result, err
	}
}

// format computes the formatted text before it takes a lock, because formatters can be slow.
func (e *Editor) format(ctx context.Context, args FormatArgs) (FormatResult, error) {
	d, err := e.openDocument(ctx, args.Path)
	if err != nil {
		return FormatResult{}, err
	}
	if err := d.checkDigest(args.ExpectedSHA256); err != nil {
		return FormatResult{}, err
	}
	part, err := d.lineRange(args.StartLine, args.EndLine)
	if err != nil {
		return FormatResult{}, err
	}
	edits, by, err := e.layOut(ctx, d, part)
	if err != nil {
		return FormatResult{}, err
	}
	r := request{path: args.Path, expected: d.sha256, dryRun: args.CheckOnly, edits: func(*document, int) ([]textfile.Edit, error) { return edits, nil }}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return FormatResult{}, err
	}
	return FormatResult{p.changeResult(maxDiff), p.changed(), by, args.CheckOnly, feedback}, nil
}

// lineRange returns the range of lines, or nil for all.
func (d *document) lineRange(first, last int) (*adapter.Range, error) {
	if first == 0 && last == 0 {
		return nil, nil
	}
	lines := textfile.NewLines(d.text.Content)
	first = max(first, 1)
	if last == 0 {
		last = lines.Len()
	}
	if last > lines.Len() {
		return nil, problem(codeBadRange, "Give lines up to "+number(lines.Len())+".", "%s has %s", quote(d.path), plural.Count(lines.Len(), "line"))
	}
	span, err := lines.Span(first, last)
	if err != nil {
		return nil, err
	}
	text := adapter.NewText(d.text.Content)
	return &adapter.Range{Start: text.Position(span.Start), End: text.Position(span.End)}, nil
}

// layOut returns the edits of the first formatter that supports the document.
func (e *Editor) layOut(ctx context.Context, d *document, part *adapter.Range) (edits []textfile.Edit, by string, err error) {
	refused := refusals{}
	for a, formatter := range adaptersWith[adapter.Formatter](e, &d.projectFile) {
		found, err := retryAdapter(ctx, e, a, computeTimeout, func(ctx context.Context) ([]adapter.TextEdit, error) {
			return formatter.Format(ctx, d.adapterDocument(), part)
		})
		switch {
		case isUnsupported(err):
			refused[a.Name()] = err
			continue
		case errors.Is(err, adapter.ErrStale):
			return nil, "", &security.Error{Code: security.StaleFile, AttemptedPath: d.path, Message: quote(d.path) + " has changed meanwhile.", Next: "Call again.", Err: err}
		case err != nil:
			return nil, "", failed(codeFormatterFailed, "laying out "+quote(d.path), err)
		}
		if edits, err = d.byteEdits(found); err != nil {
			return nil, "", failed(codeFormatterFailed, "laying out "+quote(d.path), err)
		}
		return edits, a.Name(), nil
	}
	return nil, "", missingCapability[adapter.Formatter](e, codeNoLanguageServer, "lay out "+quote(d.path), &d.projectFile, refused)
}

// TextContent returns the result as text for a model.
func (r FormatResult) TextContent() string {
	did := "laid out by " + r.Formatter
	switch {
	case !r.Changed:
		did = "was laid out already, says " + r.Formatter
	case r.CheckOnly:
		did = "dry run, nothing was written: would be laid out by " + r.Formatter
	}
	return r.Change.text(did) + r.Feedback.text()
}
