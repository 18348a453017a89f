package editor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// ReplaceCodeArgs are the arguments of replace_code.
type ReplaceCodeArgs struct {
	// Path is a file, or a directory if Glob is set. It is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// Pattern is a text, or with IsRegex a regular expression (RE2) in which ^ and $ match at line ends.
	Pattern string `json:"pattern"`
	// Replacement replaces each occurrence. With IsRegex, $1, ${name} and $<name> are groups, $& is the complete match and $$ a dollar.
	Replacement string `json:"replacement" jsonschema:"description=$1 for groups of a regex"`
	IsRegex     bool   `json:"isRegex,omitempty" jsonschema:"default=false,description=RE2"`
	// Preview shows the change with an id for each occurrence and writes nothing. The default is true.
	Preview *bool `json:"preview,omitempty" jsonschema:"default=true,description=Writes nothing"`
	// Glob selects files below Path, as ListArgs.Pattern of package fs. Protected files are left out, with a note. A file
	// without write permission fails the change before anything is written; a preview leaves it out, with a note. Text that
	// exists only in unsaved buffers is not found.
	Glob string `json:"glob,omitempty" jsonschema:"description=Files below path\\, **/*.go"`
	// OccurrenceIDs select occurrences of a preview with the same pattern and replacement. The default is all.
	OccurrenceIDs []string `json:"occurrenceIds,omitempty" jsonschema:"description=Selected from a preview"`
	// ExpectedCount is the required number of occurrences. Another number is refused with EDIT_COUNT_MISMATCH. 0 accepts any
	// number.
	ExpectedCount int `json:"expectedCount,omitempty" jsonschema:"minimum=1"`
	// ExpectedSHA256 is the digest that the file must have. It cannot be combined with Glob.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// ReplaceCodeResult is the result of replace_code.
type ReplaceCodeResult struct {
	// ReplacementCount is the number of occurrences.
	ReplacementCount int `json:"replacementCount"`
	// AffectedLines are the lines of the first changed file in which occurrences begin, before the change.
	AffectedLines []int `json:"affectedLines"`
	// Preview is the unified diff of a preview.
	Preview string `json:"preview,omitempty"`
	// Diff is the unified diff of a written change.
	Diff  string         `json:"diff,omitempty"`
	Files []ReplacedFile `json:"files"`
	// Occurrences are the occurrences of a preview.
	Occurrences []Occurrence `json:"occurrences,omitempty"`
	// Truncated means that lines, occurrences or parts of the diff are left out.
	Truncated bool `json:"truncated,omitempty"`
	Feedback

	preview  bool
	changed  int      // number of files, including those left out of Files
	excluded []string // files with the pattern that are not changed
}

// ReplacedFile is a file of replace_code.
type ReplacedFile struct {
	Path   string `json:"path"`
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // as Change.SHA256
	Saved  bool   `json:"saved"`
	Editor string `json:"editor,omitempty"`

	p     *pendingFile
	lines []int
	tag   string // of the ids of its occurrences
}

// Occurrence is one match of the pattern.
type Occurrence struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
	Text string `json:"text"` // of the line
}

// replaceRun is one attempt of replace_code.
type replaceRun struct {
	e       *Editor
	args    ReplaceCodeArgs
	pattern *pattern
	chosen  map[string]*selectedOccurrences // by path; nil for all occurrences

	t        *transaction
	files    []ReplacedFile
	found    []Occurrence
	total    int // occurrences in all files
	notes    []string
	excluded []string // paths of files with occurrences that cannot be changed
	overflow bool
}

// ReplaceCode replaces all occurrences of a pattern, or none, in one file or several. It is the tool replace_code.
func (e *Editor) ReplaceCode(ctx context.Context, args ReplaceCodeArgs) (ReplaceCodeResult, error) {
	if args.Glob != "" && args.ExpectedSHA256 != "" {
		return ReplaceCodeResult{}, invalid("leave expectedSha256 out, and give occurrenceIds of a preview", "expectedSha256 and glob do not go together")
	}
	p, err := compile(args.Pattern, args.Replacement, args.IsRegex)
	if err != nil {
		return ReplaceCodeResult{}, err
	}
	for attempt := 1; ; attempt++ {
		r := &replaceRun{e: e, args: args, pattern: p}
		result, again, err := r.run(ctx)
		if !again || attempt == maxAttempts {
			return result, err
		}
	}
}

func (r *replaceRun) run(ctx context.Context) (result ReplaceCodeResult, again bool, err error) {
	if r.chosen, err = parseOccurrenceIDs(r.args); err != nil {
		return result, false, err
	}
	paths, err := r.paths(ctx)
	if err != nil {
		return result, false, err
	}
	what := r.args.Path
	if r.args.Glob != "" {
		what = allFiles
	}
	release, err := r.e.lockFile(ctx, what)
	if err != nil {
		return result, false, err
	}
	defer release()
	r.t = r.e.newTransaction()
	for _, path := range paths {
		if err := r.file(ctx, path); err != nil {
			return result, false, err
		}
	}
	if err := r.check(); err != nil {
		return result, false, err
	}
	if boolOr(r.args.Preview, true) {
		return r.buildResult(Feedback{Notes: append(r.t.notes(), r.notes...)}), false, nil
	}
	before, err := r.e.commit(ctx, r.t)
	if err != nil {
		return result, isStaleFile(err), err
	}
	release()
	for i := range r.files {
		f := &r.files[i]
		f.SHA256, f.Saved, f.Editor = f.p.sha256, f.p.saved, f.p.editor()
	}
	feedback := r.e.checkAfter(ctx, before, r.t)
	feedback.Notes = append(feedback.Notes, r.notes...)
	return r.buildResult(feedback), false, nil
}

// file computes the change of one file, or excludes it.
func (r *replaceRun) file(ctx context.Context, path string) error {
	p, err := r.t.load(ctx, path)
	if err != nil {
		if r.isExcluded(err) {
			r.excluded = append(r.excluded, path)
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
	if p.edits != nil { // already loaded by another path
		return nil
	}
	if err := p.original.checkDigest(r.args.ExpectedSHA256); err != nil {
		return err
	}
	if err := r.pattern.checkCost(p.path, p.original.text); err != nil {
		return err
	}
	found, full := r.pattern.find(p.original.text, maxOccurrences-r.total)
	if full {
		return invalid("make the pattern more exact, or choose fewer files", "the pattern occurs more than %d times", maxOccurrences)
	}
	return r.addOccurrences(p, found)
}

// isExcluded reports whether an error excludes a file of a glob. Protected and deleted files are excluded. A file without write
// permission is excluded from previews only.
func (r *replaceRun) isExcluded(err error) bool {
	if r.args.Glob == "" || r.chosen != nil {
		return false
	}
	e, _ := errors.AsType[*security.Error](err)
	switch {
	case hasCode(err, security.FileNotFound, security.FileTooLarge):
		return true
	case hasCode(err, security.PermissionDenied, security.ReadOnly):
		return e != nil && e.Reason != "" || boolOr(r.args.Preview, true)
	}
	return false
}

// addOccurrences adds the selected occurrences of a file.
func (r *replaceRun) addOccurrences(p *pendingFile, found []textfile.Edit) error {
	mark := r.versionTag(p.original)
	chosen, err := r.chosen[p.path].check(p.path, mark, len(found))
	if err != nil {
		return err
	}
	lines := textfile.NewLines(p.original.text.Content)
	file := ReplacedFile{Path: p.path, SHA256: p.sha256, Saved: p.original.buffer == nil || !p.original.buffer.dirty, Editor: p.editor(), p: p, tag: mark}
	var edits []textfile.Edit
	for i, edit := range found {
		if r.chosen != nil && !chosen[i+1] {
			continue
		}
		line, _ := lines.Position(edit.Start)
		edits, file.lines = append(edits, edit), append(file.lines, line)
		r.found = append(r.found, Occurrence{fmt.Sprintf("%s:%d@%s", p.path, i+1, mark), line, truncateLine(strings.TrimSpace(lines.Line(line)))})
	}
	file.Count = len(edits)
	r.total += len(edits)
	r.files = append(r.files, file)
	return p.edit(edits, r.e.limits.MaxFile)
}

// truncateLine limits a line of an answer to 200 bytes.
func truncateLine(line string) string {
	const most = 200
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// versionTag binds occurrence ids to content, pattern and replacement.
func (r *replaceRun) versionTag(d *document) string {
	return digest([]byte(strings.Join([]string{d.sha256, fmt.Sprint(r.args.IsRegex), r.args.Pattern, r.args.Replacement}, "\x00")))[:12]
}

// check compares the number of occurrences with the expected one.
func (r *replaceRun) check() error {
	where := quote(r.args.Path)
	if r.args.Glob != "" {
		where = quote(r.args.Glob) + " below " + where
	}
	switch {
	case r.total == 0 && len(r.excluded) > 0:
		return problem(codeNoMatch, "Choose other files; these cannot be changed.", "the pattern %s occurs in %s only in files that cannot be changed: %s", quote(r.args.Pattern), where, listSome(r.excluded))
	case r.total == 0:
		return problem(codeNoMatch, "Read the file and take the pattern from it; case, blanks and line ends within a line count.", "the pattern %s does not occur in %s", quote(r.args.Pattern), where)
	case r.args.ExpectedCount > 0 && r.args.ExpectedCount != r.total:
		return problem(codeCountMismatch, "Preview it, and give the ids of the occurrences that you mean.", "the pattern %s occurs %s in %s, not %d", quote(r.args.Pattern), plural.Count(r.total, "time"), where, r.args.ExpectedCount)
	}
	return nil
}
