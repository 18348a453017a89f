package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// InsertCodeArgs are the arguments of insert_code.
type InsertCodeArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The file must be text, of at most
	// tools.Limits.MaxFile bytes.
	Path string `json:"path"`
	// Line is the number that the first inserted line gets, from 1. One more than the file has lines appends.
	Line int `json:"line" jsonschema:"minimum=1,description=The inserted code begins at this line"`
	// Content is whole lines. Their ends become those of the file.
	Content string `json:"content"`
	// PreserveIndent gives the lines the indentation of the code around, unless they have it.
	PreserveIndent *bool `json:"preserveIndent,omitempty" jsonschema:"default=true"`
	// AfterText stands in the line that the content goes behind: in Line-1, or else in the next line that has it, up to 20 lines
	// away.
	AfterText string `json:"afterText,omitempty" jsonschema:"description=Text of the line before; found up to 20 lines away"`
	// ExpectedSHA256 is the digest that the file must have; else it is STALE_FILE. That of a content that these tools have
	// changed since is good, too, if they have not touched the lines around: then the line is found again.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// InsertCodeResult is what insert_code answers.
type InsertCodeResult struct {
	Change
	ModifiedRange LineRange `json:"modifiedRange"`
	LinesInserted int       `json:"linesInserted"`
	Feedback
}

// LineRange is some lines, from 1, the last included.
type LineRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// InsertCode is insert_code.
func (e *Editor) InsertCode(ctx context.Context, args InsertCodeArgs) (InsertCodeResult, error) {
	if args.Line < 1 {
		return InsertCodeResult{}, invalid("count lines from 1", "there is no line %d", args.Line)
	}
	if args.Content == "" {
		return InsertCodeResult{}, invalid("give the lines to insert", "content is empty")
	}
	var first, lines int
	r := request{path: args.Path, expected: args.ExpectedSHA256}
	if args.AfterText == "" {
		r.first, r.last = max(args.Line-1, 1), args.Line
	}
	r.edits = func(d *document, moved int) ([]textfile.Edit, error) {
		line, err := insertionLine(d, args, moved)
		if err != nil {
			return nil, err
		}
		first = line
		var edit textfile.Edit
		edit, lines = insertion(d.text, line, args.Content, or(args.PreserveIndent, true))
		return []textfile.Edit{edit}, nil
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return InsertCodeResult{}, err
	}
	return InsertCodeResult{p.shows(mostDiff), LineRange{first, first + lines - 1}, lines, feedback}, nil
}

// insertionLine is the number of the line that the content goes before.
func insertionLine(d *document, args InsertCodeArgs, moved int) (int, error) {
	lines := textfile.NewLines(d.text.Content)
	if args.AfterText != "" {
		return afterAnchor(d, lines, args)
	}
	line := args.Line + moved
	if line > lines.Len()+1 {
		return 0, problem(codeBadRange, fmt.Sprintf("Give a line up to %d, which appends.", lines.Len()+1), "%s has %s; line %d cannot be inserted", quote(d.path), count(lines.Len(), "line"), line)
	}
	return line, nil
}

// anchorReach is how far from its line an anchor is looked for.
const anchorReach = 20

// afterAnchor is the line behind the one that has the anchor. The nearest one counts, if it is the only one so near.
func afterAnchor(d *document, lines *textfile.Lines, args InsertCodeArgs) (int, error) {
	near, where := args.Line-1, []int{}
	for start, end := range textfile.Matches(d.text.Content, strings.Trim(args.AfterText, "\r\n")) {
		line, _ := lines.Position(max(end-1, start))
		if n := len(where); n == 0 || where[n-1] != line {
			where = append(where, line)
		}
	}
	best, tie := 0, false
	for _, line := range where {
		switch {
		case best == 0 || distance(line, near) < distance(best, near):
			best, tie = line, false
		case distance(line, near) == distance(best, near):
			tie = true
		}
	}
	switch {
	case best == 0:
		return 0, problem(codeAnchorNotFound, "Read the lines around and give text that stands in one of them.", "%s does not have the text %s", quote(d.path), quote(args.AfterText))
	case distance(best, near) > anchorReach:
		return 0, problem(codeAnchorNotFound, fmt.Sprintf("If line %d is meant, call again with line=%d.", best, best+1),
			"the text %s is not within %d lines of line %d; it stands in line %s", quote(args.AfterText), anchorReach, near, listed(where))
	case tie:
		return 0, problem(codeAnchorNotFound, "Give a longer text, or the line behind the one that is meant.",
			"the text %s stands in lines %s, equally far from line %d", quote(args.AfterText), listed(where), near)
	}
	return best + 1, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// listed shows the first few numbers.
func listed(numbers []int) string {
	const most = 5
	var shown []string
	for _, n := range numbers[:min(len(numbers), most)] {
		shown = append(shown, number(n))
	}
	if len(numbers) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// insertion is the edit that inserts lines before a line, and how many they are.
func insertion(text *textfile.Text, line int, content string, indent bool) (textfile.Edit, int) {
	lines := textfile.NewLines(text.Content)
	at := len(text.Content)
	if line <= lines.Len() {
		span, _ := lines.Span(line, line)
		at = span.Start
	}
	content = strings.ReplaceAll(content, "\r\n", "\n")
	if indent {
		content = indented(content, indentationAt(lines, line))
	}
	unended := at > 0 && at == len(text.Content) && !strings.HasSuffix(text.Content, "\n") && !strings.HasSuffix(text.Content, "\r")
	body := strings.TrimSuffix(content, "\n")
	n := strings.Count(body, "\n") + 1
	if unended { // as the file did not end its last line before, it does not now
		content = "\n" + body
	} else {
		content = body + "\n"
	}
	return textfile.Edit{Start: at, End: at, New: fit(text, at, at, content)}, n
}

// fit gives new text the line ends of its place. A text without any line end gets LF.
func fit(text *textfile.Text, start, end int, content string) string {
	return text.Fit(start, end, content, textfile.Keep)
}

// or is the value of an optional argument.
func or(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}

// TextContent is what a model reads.
func (r InsertCodeResult) TextContent() string {
	did := fmt.Sprintf("inserted %s, now lines %d-%d", count(r.LinesInserted, "line"), r.ModifiedRange.Start, r.ModifiedRange.End)
	return r.Change.text(did) + r.Feedback.text()
}
