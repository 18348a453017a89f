package editor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// ReplaceCodeArgs are the arguments of replace_code.
type ReplaceCodeArgs struct {
	// Path is a file, or with Glob a directory; relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// Pattern is a text, or with IsRegex a regular expression (RE2) in which ^ and $ stand at the ends of lines.
	Pattern string `json:"pattern"`
	// Replacement is put in its place. With IsRegex, $1 and ${name} stand for groups, $& for all and $$ for a dollar.
	Replacement string `json:"replacement" jsonschema:"description=$1 for groups of a regex"`
	IsRegex     bool   `json:"isRegex,omitempty" jsonschema:"default=false,description=RE2"`
	// Preview answers what would change, with an id for each occurrence, and writes nothing.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
	// Glob chooses files below Path, as ListArgs.Pattern of package fs does. Protected files are left out, with a note. A file that the
	// system does not let be written fails the change before anything is written; a preview leaves it out, with a note.
	// What stands only in documents that are not saved is not found.
	Glob string `json:"glob,omitempty" jsonschema:"description=Files below path\\, **/*.go"`
	// OccurrenceIDs are those of a preview of the same pattern and replacement that are to be replaced; none means all.
	OccurrenceIDs []string `json:"occurrenceIds,omitempty" jsonschema:"description=Some of a preview"`
	// ExpectedCount is how many occurrences there must be; else it is EDIT_COUNT_MISMATCH. 0 is any number.
	ExpectedCount int `json:"expectedCount,omitempty" jsonschema:"minimum=1"`
	// ExpectedSHA256 is the digest that the file must have; not with Glob.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// ReplaceCodeResult is what replace_code answers.
type ReplaceCodeResult struct {
	// ReplacementCount is how many places were replaced, or would be.
	ReplacementCount int `json:"replacementCount"`
	// AffectedLines are the lines of the file, as it was, that an occurrence begins in: of the first file, if there are several.
	AffectedLines []int `json:"affectedLines"`
	// Preview is a unified diff, of a call that has written nothing.
	Preview string `json:"preview,omitempty"`
	// Diff is that of a call that has.
	Diff  string         `json:"diff,omitempty"`
	Files []ReplacedFile `json:"files"`
	// Occurrences are those of a preview.
	Occurrences []Occurrence `json:"occurrences,omitempty"`
	// Truncated tells that not everything fits into the answer: lines, occurrences or diff.
	Truncated bool `json:"truncated,omitempty"`
	Feedback

	preview bool
	changed int      // files, also those that do not fit into Files
	leftOut []string // files that have the pattern and are not changed
}

// ReplacedFile is a file that was changed, or would be.
type ReplacedFile struct {
	Path   string `json:"path"`
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // as Change.SHA256
	Saved  bool   `json:"saved"`
	Editor string `json:"editor,omitempty"`

	p     *pending
	lines []int
	mark  string // of the ids of its occurrences
}

// Occurrence is a place that would be replaced.
type Occurrence struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
	Text string `json:"text"` // of the line
}

// replacing is one call of replace_code.
type replacing struct {
	e       *Editor
	args    ReplaceCodeArgs
	pattern *pattern
	chosen  map[string]*chosen // by path; nil for all occurrences

	t        *transaction
	files    []ReplacedFile
	found    []Occurrence
	total    int
	notes    []string
	leftOut  []string
	overflow bool
}

// ReplaceCode is replace_code. All occurrences are replaced, or none: also where they are in many files.
func (e *Editor) ReplaceCode(ctx context.Context, args ReplaceCodeArgs) (ReplaceCodeResult, error) {
	if args.Glob != "" && args.ExpectedSHA256 != "" {
		return ReplaceCodeResult{}, invalid("leave expectedSha256 out, and give occurrenceIds of a preview", "expectedSha256 and glob do not go together")
	}
	p, err := compile(args.Pattern, args.Replacement, args.IsRegex)
	if err != nil {
		return ReplaceCodeResult{}, err
	}
	for attempt := 1; ; attempt++ {
		r := &replacing{e: e, args: args, pattern: p}
		result, again, err := r.run(ctx)
		if !again || attempt == mostAttempts {
			return result, err
		}
	}
}

func (r *replacing) run(ctx context.Context) (result ReplaceCodeResult, again bool, err error) {
	if r.chosen, err = choose(r.args); err != nil {
		return result, false, err
	}
	paths, err := r.paths(ctx)
	if err != nil {
		return result, false, err
	}
	what := r.args.Path
	if r.args.Glob != "" {
		what = everything
	}
	release, err := r.e.take(ctx, what)
	if err != nil {
		return result, false, err
	}
	defer release()
	r.t = r.e.begin()
	for _, path := range paths {
		if err := r.file(ctx, path); err != nil {
			return result, false, err
		}
	}
	if err := r.check(); err != nil {
		return result, false, err
	}
	if or(r.args.Preview, true) {
		return r.answer(Feedback{Notes: append(r.t.notes(), r.notes...)}), false, nil
	}
	before, err := r.e.commit(ctx, r.t)
	if err != nil {
		return result, errStale(err), err
	}
	release()
	for i := range r.files {
		f := &r.files[i]
		f.SHA256, f.Saved, f.Editor = f.p.sha256, f.p.saved, f.p.editor()
	}
	feedback := r.e.after(ctx, before, r.t)
	feedback.Notes = append(feedback.Notes, r.notes...)
	return r.answer(feedback), false, nil
}

// file works out the change of one file, or leaves it out.
func (r *replacing) file(ctx context.Context, path string) error {
	p, err := r.t.load(ctx, path)
	if err != nil {
		if r.leavesOut(err) {
			r.leftOut = append(r.leftOut, path)
			r.notes = append(r.notes, fmt.Sprintf("not changed: %s (%s)", path, security.CodeOf(err)))
			return nil
		}
		if e, ok := errors.AsType[*security.Error](err); ok && r.args.Glob != "" && hasCode(err, security.PermissionDenied, security.ReadOnly) {
			named := *e
			named.Next = "No file was changed. To change the others, narrow the glob, or give the occurrenceIds of a preview, which leaves this file out."
			return &named
		}
		if hasCode(err, security.IsDirectory) {
			return invalid("Give glob, such as **/*.go, to choose files below it.", "%s is a directory", quote(path))
		}
		return err
	}
	if p.edits != nil { // by another name already
		return nil
	}
	if err := p.was.expect(r.args.ExpectedSHA256); err != nil {
		return err
	}
	if err := r.pattern.affordable(p.path, p.was.text); err != nil {
		return err
	}
	found, full := r.pattern.find(p.was.text, maxOccurrences-r.total)
	if full {
		return invalid("make the pattern more exact, or choose fewer files", "the pattern occurs more than %d times", maxOccurrences)
	}
	return r.take(p, found)
}

// leavesOut reports whether a file that a glob has chosen is left out for an error. A file that rules protect, or that is gone by now, is
// no part of the change; one that the system does not let be written is, so that only a preview leaves it out.
func (r *replacing) leavesOut(err error) bool {
	if r.args.Glob == "" || r.chosen != nil {
		return false
	}
	e, _ := errors.AsType[*security.Error](err)
	switch {
	case hasCode(err, security.FileNotFound, security.FileTooLarge):
		return true
	case hasCode(err, security.PermissionDenied, security.ReadOnly):
		return e != nil && e.Reason != "" || or(r.args.Preview, true)
	}
	return false
}

// take adds the occurrences of a file, or those of them that are chosen.
func (r *replacing) take(p *pending, found []textfile.Edit) error {
	mark := r.mark(p.was)
	chosen, err := r.chosen[p.path].of(p.path, mark, len(found))
	if err != nil {
		return err
	}
	lines := textfile.NewLines(p.was.text.Content)
	file := ReplacedFile{Path: p.path, SHA256: p.sha256, Saved: p.was.buffer == nil || !p.was.buffer.dirty, Editor: p.editor(), p: p, mark: mark}
	var edits []textfile.Edit
	for i, edit := range found {
		if r.chosen != nil && !chosen[i+1] {
			continue
		}
		line, _ := lines.Position(edit.Start)
		edits, file.lines = append(edits, edit), append(file.lines, line)
		r.found = append(r.found, Occurrence{fmt.Sprintf("%s:%d@%s", p.path, i+1, mark), line, clip(strings.TrimSpace(lines.Line(line)))})
	}
	file.Count = len(edits)
	r.total += len(edits)
	r.files = append(r.files, file)
	return p.edit(edits, r.e.limits.MaxFile)
}

// clip bounds a line that is shown.
func clip(line string) string {
	const most = 200
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// mark binds ids to the content, and to what is to be done with it.
func (r *replacing) mark(d *document) string {
	return digest([]byte(strings.Join([]string{d.sha256, fmt.Sprint(r.args.IsRegex), r.args.Pattern, r.args.Replacement}, "\x00")))[:12]
}

// check refuses what was not found as expected.
func (r *replacing) check() error {
	where := quote(r.args.Path)
	if r.args.Glob != "" {
		where = quote(r.args.Glob) + " below " + where
	}
	switch {
	case r.total == 0 && len(r.leftOut) > 0:
		return problem(codeNoMatch, "Choose other files; these cannot be changed.", "the pattern %s occurs in %s only in files that cannot be changed: %s", quote(r.args.Pattern), where, someOf(r.leftOut))
	case r.total == 0:
		return problem(codeNoMatch, "Read the file and take the pattern from it; case, blanks and line ends within a line count.", "the pattern %s does not occur in %s", quote(r.args.Pattern), where)
	case r.args.ExpectedCount > 0 && r.args.ExpectedCount != r.total:
		return problem(codeCountMismatch, "Preview it, and give the ids of the occurrences that you mean.", "the pattern %s occurs %s in %s, not %d", quote(r.args.Pattern), count(r.total, "time"), where, r.args.ExpectedCount)
	}
	return nil
}
