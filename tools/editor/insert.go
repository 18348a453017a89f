package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// InsertCodeArgs are the arguments of insert_code.
type InsertCodeArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The file must be text, of at most
	// tools.Limits.MaxFile bytes.
	Path string `json:"path"`
	// Line is the number of the first inserted line, from 1. The number of lines plus one appends.
	Line int `json:"line" jsonschema:"minimum=1,description=The inserted code begins at this line"`
	// Content is one or more complete lines. Line ends are converted to those of the file.
	Content string `json:"content"`
	// PreserveIndent indents the lines like the code around, unless they are indented already. The default is true.
	PreserveIndent *bool `json:"preserveIndent,omitempty" jsonschema:"default=true"`
	// AfterText is text of the line after which Content is inserted: line Line-1, or the nearest line with that text, up to 20
	// lines away.
	AfterText string `json:"afterText,omitempty" jsonschema:"description=Text of the line before; found up to 20 lines away"`
	// ExpectedSHA256 is the digest of the content that Line refers to. Another content is refused with STALE_FILE, unless it
	// comes from changes by these tools outside of the lines.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// InsertCodeResult is the result of insert_code.
type InsertCodeResult struct {
	Change
	ModifiedRange LineRange `json:"modifiedRange"`
	LinesInserted int       `json:"linesInserted"`
	Feedback
}

// LineRange is a range of lines from 1, both ends included.
type LineRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// InsertCode inserts lines into a file. It is the tool insert_code.
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
		content := textfile.WithLF(args.Content)
		if boolOr(args.PreserveIndent, true) {
			content = e.reindent(d, line, content)
		}
		edit, lines = insertion(d.text, line, content)
		return []textfile.Edit{edit}, nil
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return InsertCodeResult{}, err
	}
	return InsertCodeResult{p.changeResult(maxDiff), LineRange{first, first + lines - 1}, lines, feedback}, nil
}

// insertionLine returns the line before which the content is inserted.
func insertionLine(d *document, args InsertCodeArgs, moved int) (int, error) {
	lines := textfile.NewLines(d.text.Content)
	if args.AfterText != "" {
		return afterAnchor(d, lines, args)
	}
	line := args.Line + moved
	if line > lines.Len()+1 {
		return 0, problem(codeBadRange, fmt.Sprintf("Give a line up to %d, which appends.", lines.Len()+1), "%s has %s; line %d cannot be inserted", quote(d.path), plural.Count(lines.Len(), "line"), line)
	}
	return line, nil
}

// anchorReach is the maximum distance, in lines, between AfterText and Line.
const anchorReach = 20

// afterAnchor returns the line after the nearest line with AfterText. Two lines at the same distance are an error.
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
		return 0, problem(codeAnchorNotFound, "Read the lines around and give text from one of them.", "%s does not have the text %s", quote(d.path), quote(args.AfterText))
	case distance(best, near) > anchorReach:
		return 0, problem(codeAnchorNotFound, fmt.Sprintf("If line %d is meant, call again with line=%d.", best, best+1),
			"the text %s is not within %d lines of line %d; it is in line %s", quote(args.AfterText), anchorReach, near, listNumbers(where))
	case tie:
		return 0, problem(codeAnchorNotFound, "Give a longer text, or the line behind the one that is meant.",
			"the text %s is in lines %s, equally far from line %d", quote(args.AfterText), listNumbers(where), near)
	}
	return best + 1, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// listNumbers formats the first five numbers.
func listNumbers(numbers []int) string {
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

// reindent indents code like the line before which it is inserted. The lines of string literals stay.
func (e *Editor) reindent(d *document, line int, code string) string {
	var fixed []bool
	if lang, ok := e.options.Parsers.LanguageOf(d.path, nil); ok {
		fixed = e.options.Parsers.StringLines([]byte(code), lang)
	}
	return indent.Reindent(code, indent.At(textfile.NewLines(d.text.Content), line), fixed)
}

// insertion returns the edit that inserts lines before a line, and the number of lines. content has LF line ends.
func insertion(text *textfile.Text, line int, content string) (textfile.Edit, int) {
	lines := textfile.NewLines(text.Content)
	at := len(text.Content)
	if line <= lines.Len() {
		span, _ := lines.Span(line, line)
		at = span.Start
	}
	unended := at > 0 && at == len(text.Content) && !strings.HasSuffix(text.Content, "\n") && !strings.HasSuffix(text.Content, "\r")
	body := strings.TrimSuffix(content, "\n")
	n := strings.Count(body, "\n") + 1
	if unended { // The last line of the file stays without a line end.
		content = "\n" + body
	} else {
		content = body + "\n"
	}
	return textfile.Edit{Start: at, End: at, New: fitLineEnds(text, at, at, content)}, n
}

// fitLineEnds converts line ends to those of the text around. A text without line ends gets LF.
func fitLineEnds(text *textfile.Text, start, end int, content string) string {
	return text.Fit(start, end, content, textfile.Keep)
}

// boolOr returns an optional argument or its default.
func boolOr(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}

// TextContent returns the result as text for a model.
func (r InsertCodeResult) TextContent() string {
	did := fmt.Sprintf("inserted %s, now lines %d-%d", plural.Count(r.LinesInserted, "line"), r.ModifiedRange.Start, r.ModifiedRange.End)
	return r.Change.text(did) + r.Feedback.text()
}
