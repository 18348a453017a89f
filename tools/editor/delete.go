package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// DeleteCodeArgs are the arguments of delete_code.
type DeleteCodeArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// StartLine is the first line to delete, from 1.
	StartLine int `json:"startLine" jsonschema:"minimum=1"`
	// EndLine is the last line to delete, from 1.
	EndLine int `json:"endLine" jsonschema:"minimum=1,description=Inclusive"`
	// RequireConfirmation asks the user before 100 lines or more are deleted. The default is true. If the client cannot ask,
	// the call fails with CONFIRMATION_REQUIRED and a token.
	RequireConfirmation *bool `json:"requireConfirmation,omitempty" jsonschema:"default=true,description=For 100 lines or more"`
	// ConfirmToken is the token of CONFIRMATION_REQUIRED. It is valid once, for the same lines of the same content.
	ConfirmToken string `json:"confirmToken,omitempty"`
	// ExpectedFirstLine and ExpectedLastLine are the texts of the first and the last line. Surrounding white space is ignored.
	// Other text is refused with ANCHOR_NOT_FOUND.
	ExpectedFirstLine string `json:"expectedFirstLine,omitempty" jsonschema:"description=Its text; refuses if it differs"`
	ExpectedLastLine  string `json:"expectedLastLine,omitempty"`
	// ExpectedSHA256 is the digest of the content that the line numbers refer to; see InsertCodeArgs.ExpectedSHA256.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// DeleteCodeResult is the result of delete_code.
type DeleteCodeResult struct {
	Change
	LinesDeleted int `json:"linesDeleted"`
	// Confirmed means that the user confirmed, or that the caller sent a token.
	Confirmed bool `json:"confirmed"`
	Feedback
}

const (
	manyLines   = 100 // lines from which a deletion needs consent
	maxConsents = 64
)

// consent is the deletion that a token or an answer of the user permits.
type consent struct {
	path, sha256 string
	start, end   int
}

// DeleteCode deletes lines of a file. It is the tool delete_code.
func (e *Editor) DeleteCode(ctx context.Context, args DeleteCodeArgs) (DeleteCodeResult, error) {
	if args.StartLine < 1 || args.EndLine < args.StartLine {
		return DeleteCodeResult{}, invalid("give a startLine from 1, and an endLine of at least startLine", "lines %d to %d are not a range", args.StartLine, args.EndLine)
	}
	confirmed := false
	r := request{path: args.Path, expected: args.ExpectedSHA256, first: args.StartLine, last: args.EndLine}
	if args.EndLine-args.StartLine+1 >= manyLines && boolOr(args.RequireConfirmation, true) {
		agreed, err := e.consent(ctx, r, args)
		if err != nil {
			return DeleteCodeResult{}, err
		}
		confirmed = true
		args.StartLine, args.EndLine = agreed.start, agreed.end
		r.expected, r.first, r.last = agreed.sha256, agreed.start, agreed.end
	}
	r.edits = func(d *document, moved int) ([]textfile.Edit, error) {
		span, err := linesToDelete(d, args, moved)
		if err != nil {
			return nil, err
		}
		return []textfile.Edit{{Start: span.Start, End: span.End}}, nil
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return DeleteCodeResult{}, err
	}
	return DeleteCodeResult{p.changeResult(maxDiff), args.EndLine - args.StartLine + 1, confirmed, feedback}, nil
}

// linesToDelete returns the span to delete after it has compared the expected lines.
func linesToDelete(d *document, args DeleteCodeArgs, moved int) (textfile.Span, error) {
	lines := textfile.NewLines(d.text.Content)
	start, end := args.StartLine+moved, args.EndLine+moved
	if end > lines.Len() {
		return textfile.Span{}, problem(codeBadRange, fmt.Sprintf("Give lines up to %d.", lines.Len()), "%s has %s; there are no lines %d to %d", quote(d.path), plural.Count(lines.Len(), "line"), start, end)
	}
	for _, anchor := range []struct {
		line int
		text string
	}{{start, args.ExpectedFirstLine}, {end, args.ExpectedLastLine}} {
		if is := lines.Line(anchor.line); anchor.text != "" && strings.TrimSpace(is) != strings.TrimSpace(anchor.text) {
			return textfile.Span{}, problem(codeAnchorNotFound, "Read the lines around and call again with the right line numbers.",
				"line %d of %s is %s, not %s%s", anchor.line, quote(d.path), quote(is), quote(anchor.text), describeMatches(lines, anchor.text))
		}
	}
	return lines.Span(start, end)
}

// describeMatches returns the line numbers of a text, as the end of an error message.
func describeMatches(lines *textfile.Lines, text string) string {
	var where []int
	for n := 1; n <= lines.Len(); n++ {
		if strings.TrimSpace(lines.Line(n)) == strings.TrimSpace(text) {
			where = append(where, n)
		}
	}
	if len(where) == 0 {
		return "; no line has that text"
	}
	return "; that text is in line " + listNumbers(where)
}

// consent asks the user to confirm a large deletion and returns the confirmed lines. If the client cannot ask, it returns an
// error with a token. The caller repeats the call with the token once the user has agreed.
func (e *Editor) consent(ctx context.Context, r request, args DeleteCodeArgs) (agreed consent, err error) {
	d, err := e.openForWrite(ctx, r.path)
	if err != nil {
		return consent{}, err
	}
	p := &pendingFile{original: d}
	var span textfile.Span
	r.edits = func(d *document, moved int) ([]textfile.Edit, error) {
		span, err = linesToDelete(d, args, moved)
		return nil, err
	}
	if _, err := e.computeEdits(ctx, r, p); err != nil {
		return consent{}, err
	}
	wanted := consent{d.path, d.sha256, span.First, span.Last}
	if args.ConfirmToken != "" {
		if given, ok := e.consents.pop(args.ConfirmToken); ok && given == wanted {
			return wanted, nil
		}
		return consent{}, problem(codeConfirmation, "Call again without confirmToken to get a new token, and then with that token.",
			"the token was used already, or belongs to other lines or another content")
	}
	what := fmt.Sprintf("%d lines, %d to %d, of %s", span.Last-span.First+1, span.First, span.Last, quote(d.path))
	if mcp.Supports(ctx, mcp.CapElicitForm) {
		return wanted, mcp.Confirm(ctx, "delete", fmt.Sprintf("Delete %s? (Its sha256 begins with %s.)", what, d.sha256[:12]))
	}
	token := rand.Text()
	e.consents.put(token, wanted)
	lines := textfile.NewLines(d.text.Content)
	return consent{}, problem(codeConfirmation, "If the user agrees, call again with the same arguments and confirmToken="+token+".",
		"this deletes %s, from %s to %s", what, quote(strings.TrimSpace(lines.Line(span.First))), quote(strings.TrimSpace(lines.Line(span.Last))))
}

// TextContent returns the result as text for a model.
func (r DeleteCodeResult) TextContent() string {
	return r.Change.text("deleted "+plural.Count(r.LinesDeleted, "line")) + r.Feedback.text()
}
