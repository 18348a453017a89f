package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// DeleteCodeArgs are the arguments of delete_code.
type DeleteCodeArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// StartLine is the first line to delete, from 1.
	StartLine int `json:"startLine" jsonschema:"minimum=1"`
	// EndLine is the last.
	EndLine int `json:"endLine" jsonschema:"minimum=1,description=Inclusive"`
	// RequireConfirmation asks the user before 100 lines or more are deleted. Where the client cannot ask, the call answers
	// CONFIRMATION_REQUIRED with a token instead.
	RequireConfirmation *bool `json:"requireConfirmation,omitempty" jsonschema:"default=true,description=For 100 lines or more"`
	// ConfirmToken is that of CONFIRMATION_REQUIRED. It serves once, for the same lines of the same content.
	ConfirmToken string `json:"confirmToken,omitempty"`
	// ExpectedFirstLine and ExpectedLastLine are what the lines at both ends hold, blanks around it aside; else the call is
	// ANCHOR_NOT_FOUND.
	ExpectedFirstLine string `json:"expectedFirstLine,omitempty" jsonschema:"description=Its text; refuses if another"`
	ExpectedLastLine  string `json:"expectedLastLine,omitempty"`
	// ExpectedSHA256 is as InsertCodeArgs.ExpectedSHA256.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// DeleteCodeResult is what delete_code answers.
type DeleteCodeResult struct {
	Change
	LinesDeleted int `json:"linesDeleted"`
	// Confirmed tells that the user, or the caller by a token, has agreed.
	Confirmed bool `json:"confirmed"`
	Feedback
}

const (
	manyLines   = 100 // from which on deleting takes consent
	maxConsents = 64
)

// consent is what a token stands for.
type consent struct {
	path, sha256 string
	start, end   int
}

// DeleteCode is delete_code.
func (e *Editor) DeleteCode(ctx context.Context, args DeleteCodeArgs) (DeleteCodeResult, error) {
	if args.StartLine < 1 || args.EndLine < args.StartLine {
		return DeleteCodeResult{}, invalid("give a startLine from 1, and an endLine that is not before it", "lines %d to %d are no range", args.StartLine, args.EndLine)
	}
	confirmed := false
	r := request{path: args.Path, expected: args.ExpectedSHA256, first: args.StartLine, last: args.EndLine}
	if args.EndLine-args.StartLine+1 >= manyLines && or(args.RequireConfirmation, true) {
		agreed, err := e.consent(ctx, r, args)
		if err != nil {
			return DeleteCodeResult{}, err
		}
		confirmed = true
		args.StartLine, args.EndLine = agreed.start, agreed.end
		r.expected, r.first, r.last = agreed.sha256, agreed.start, agreed.end
	}
	r.edits = func(d *document, moved int) ([]textfile.Edit, error) {
		span, err := deleted(d, args, moved)
		if err != nil {
			return nil, err
		}
		return []textfile.Edit{{Start: span.Start, End: span.End}}, nil
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return DeleteCodeResult{}, err
	}
	return DeleteCodeResult{p.shows(mostDiff), args.EndLine - args.StartLine + 1, confirmed, feedback}, nil
}

// deleted are the lines to delete, after the checks that need them.
func deleted(d *document, args DeleteCodeArgs, moved int) (textfile.Span, error) {
	lines := textfile.NewLines(d.text.Content)
	start, end := args.StartLine+moved, args.EndLine+moved
	if end > lines.Len() {
		return textfile.Span{}, problem(codeBadRange, fmt.Sprintf("Give lines up to %d.", lines.Len()), "%s has %s; there are no lines %d to %d", quote(d.path), count(lines.Len(), "line"), start, end)
	}
	for _, anchor := range []struct {
		line int
		text string
	}{{start, args.ExpectedFirstLine}, {end, args.ExpectedLastLine}} {
		if is := lines.Line(anchor.line); anchor.text != "" && strings.TrimSpace(is) != strings.TrimSpace(anchor.text) {
			return textfile.Span{}, problem(codeAnchorNotFound, "Read the lines around and call again with their numbers.",
				"line %d of %s is %s and not %s%s", anchor.line, quote(d.path), quote(is), quote(anchor.text), elsewhere(lines, anchor.text))
		}
	}
	return lines.Span(start, end)
}

// elsewhere tells which lines have a text.
func elsewhere(lines *textfile.Lines, text string) string {
	var where []int
	for n := 1; n <= lines.Len(); n++ {
		if strings.TrimSpace(lines.Line(n)) == strings.TrimSpace(text) {
			where = append(where, n)
		}
	}
	if len(where) == 0 {
		return ", which no line is"
	}
	return "; that is line " + listed(where)
}

// consent asks the user to agree that many lines are deleted, and answers what was agreed to. Where the user cannot be asked, a
// token stands for the caller's promise to have done that.
func (e *Editor) consent(ctx context.Context, r request, args DeleteCodeArgs) (agreed consent, err error) {
	d, err := e.write(ctx, r.path)
	if err != nil {
		return consent{}, err
	}
	p := &pending{was: d}
	var span textfile.Span
	r.edits = func(d *document, moved int) ([]textfile.Edit, error) {
		span, err = deleted(d, args, moved)
		return nil, err
	}
	if _, err := e.workOut(ctx, r, p); err != nil {
		return consent{}, err
	}
	wanted := consent{d.path, d.sha256, span.First, span.Last}
	if args.ConfirmToken != "" {
		if given, ok := e.consents.take(args.ConfirmToken); ok && given == wanted {
			return wanted, nil
		}
		return consent{}, problem(codeConfirmation, "Call again without confirmToken, and then with the token that is answered.",
			"the token is used up, or is for other lines or another content")
	}
	what := fmt.Sprintf("%d lines, %d to %d, of %s", span.Last-span.First+1, span.First, span.Last, quote(d.path))
	if mcp.Supports(ctx, mcp.CapElicitForm) {
		return wanted, mcp.Confirm(ctx, "delete", fmt.Sprintf("Delete %s? (Its sha256 begins with %s.)", what, d.sha256[:12]))
	}
	token := rand.Text()
	e.consents.put(token, wanted)
	lines := textfile.NewLines(d.text.Content)
	return consent{}, problem(codeConfirmation, "If the user wants that, call again with the same arguments and confirmToken="+token+".",
		"this deletes %s, from %s to %s", what, quote(strings.TrimSpace(lines.Line(span.First))), quote(strings.TrimSpace(lines.Line(span.Last))))
}

// TextContent is what a model reads.
func (r DeleteCodeResult) TextContent() string {
	return r.Change.text("deleted "+count(r.LinesDeleted, "line")) + r.Feedback.text()
}
