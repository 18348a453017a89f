package editor

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// FormatArgs are the arguments of format_document.
type FormatArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// StartLine and EndLine choose a part, from 1, the last included. Not every formatter can do that.
	StartLine int `json:"startLine,omitempty" jsonschema:"minimum=1"`
	EndLine   int `json:"endLine,omitempty" jsonschema:"minimum=1"`
	// CheckOnly answers what would change, and writes nothing.
	CheckOnly bool `json:"checkOnly,omitempty" jsonschema:"default=false,description=Writes nothing"`
	// ExpectedSHA256 is the digest that the file must have; else it is STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// FormatResult is what format_document answers.
type FormatResult struct {
	Change
	// Changed tells that the file was not laid out like that before.
	Changed bool `json:"changed"`
	// Formatter is the adapter that has laid it out.
	Formatter string `json:"formatter"`
	CheckOnly bool   `json:"checkOnly,omitempty"`
	Feedback
}

// Format is format_document.
func (e *Editor) Format(ctx context.Context, args FormatArgs) (FormatResult, error) {
	if args.StartLine < 0 || args.EndLine < 0 || args.EndLine > 0 && args.EndLine < args.StartLine {
		return FormatResult{}, invalid("give a startLine from 1, and an endLine that is not before it", "lines %d to %d are no range", args.StartLine, args.EndLine)
	}
	for attempt := 1; ; attempt++ {
		result, err := e.format(ctx, args)
		if errStale(err) && args.ExpectedSHA256 == "" && attempt < mostAttempts {
			continue
		}
		return result, err
	}
}

// format lays a document out. The formatter works before anything is locked: it may take its time.
func (e *Editor) format(ctx context.Context, args FormatArgs) (FormatResult, error) {
	d, err := e.read(ctx, args.Path)
	if err != nil {
		return FormatResult{}, err
	}
	if err := d.expect(args.ExpectedSHA256); err != nil {
		return FormatResult{}, err
	}
	part, err := d.part(args.StartLine, args.EndLine)
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
	return FormatResult{p.shows(mostDiff), p.changed(), by, args.CheckOnly, feedback}, nil
}

// part is the range of some lines; nil for all.
func (d *document) part(first, last int) (*adapter.Range, error) {
	if first == 0 && last == 0 {
		return nil, nil
	}
	lines := textfile.NewLines(d.text.Content)
	first = max(first, 1)
	if last == 0 {
		last = lines.Len()
	}
	if last > lines.Len() {
		return nil, problem(codeBadRange, "Give lines up to "+number(lines.Len())+".", "%s has %s", quote(d.path), count(lines.Len(), "line"))
	}
	span, err := lines.Span(first, last)
	if err != nil {
		return nil, err
	}
	text := adapter.NewText(d.text.Content)
	return &adapter.Range{Start: text.Position(span.Start), End: text.Position(span.End)}, nil
}

// layOut asks one adapter after another how a document is laid out.
func (e *Editor) layOut(ctx context.Context, d *document, part *adapter.Range) (edits []textfile.Edit, by string, err error) {
	refused := refusals{}
	for a, formatter := range able[adapter.Formatter](e, &d.place) {
		found, err := askAgain(ctx, e, a, thought, func(ctx context.Context) ([]adapter.TextEdit, error) {
			return formatter.Format(ctx, d.adapted(), part)
		})
		switch {
		case passes(err):
			refused[a.Name()] = err
			continue
		case errors.Is(err, adapter.ErrStale):
			return nil, "", &security.Error{Code: security.StaleFile, AttemptedPath: d.path, Message: quote(d.path) + " has changed meanwhile.", Next: "Call again.", Err: err}
		case err != nil:
			return nil, "", failed(codeFormatterFailed, "laying out "+quote(d.path), err)
		}
		if edits, err = d.splices(found); err != nil {
			return nil, "", failed(codeFormatterFailed, "laying out "+quote(d.path), err)
		}
		return edits, a.Name(), nil
	}
	return nil, "", missing[adapter.Formatter](e, codeNoLanguageServer, "lay out "+quote(d.path), &d.place, refused)
}

// TextContent is what a model reads.
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
