package fs

import (
	"context"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/edit"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// EditArgs are the arguments of edit_file.
type EditArgs struct {
	// Path is relative to the project root, or absolute and inside the project. The file must be text, of at most
	// tools.Limits.MaxFile bytes.
	Path string `json:"path"`
	// Edits are made in order, each to the result of those before: all of them or none.
	Edits []TextEdit `json:"edits" jsonschema:"minItems=1"`
	// DryRun answers what the edits would do, and writes nothing. It is refused where writing would be against the rules,
	// but the file system may deny it.
	DryRun bool `json:"dryRun,omitempty"`
	// ExpectedSHA256 is the digest that the file must still have, as the last read or write told it; else it is STALE_FILE
	// and nothing is written.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// TextEdit is one edit of EditArgs.
//
// OldText is looked for byte for byte; if it is nowhere, ignoring line ends, then blanks at the ends of lines, then indentation,
// then escapes such as \n and \", then the kind of quotes, dashes and spaces, and at last without line numbers in front of its
// lines. The first way that finds anything decides: at several places the edit is EDIT_AMBIGUOUS, and nothing is guessed. At none it is
// EDIT_NO_MATCH, which shows what is nearest. NewText is indented, unescaped and stripped of line numbers as OldText
// must be to be found, and what was ignored stays as it is in lines that both share.
type TextEdit struct {
	// OldText is what stands in the file. It is empty only if the file is empty, all of which NewText becomes then.
	OldText string `json:"oldText"`
	// NewText is what is to stand there. Its line ends become those of the lines around.
	NewText string `json:"newText"`
	// ReplaceAll changes every place that OldText is at.
	ReplaceAll bool `json:"replaceAll,omitempty"`
	// ExpectedCount is how many places there must be; all of them are changed. 0 is one, or any number with ReplaceAll.
	ExpectedCount int `json:"expectedCount,omitempty" jsonschema:"minimum=1"`
	// NearLine chooses among several places the one that it is in or near, by the lines of the file before all edits.
	NearLine int `json:"nearLine,omitempty" jsonschema:"minimum=1,description=Picks one of several places"`
}

// EditResult is what edit_file answers.
type EditResult struct {
	Path   string `json:"path"`   // as ReadResult.Path
	Size   int64  `json:"size"`   // of the file now, in bytes; a dry run does not change it
	SHA256 string `json:"sha256"` // of the file now; a dry run does not change it
	// Applied has an entry for each edit.
	Applied []AppliedEdit `json:"applied"`
	// MatchedBy lists each way in which places were found, see AppliedEdit.MatchedBy, once.
	MatchedBy []string `json:"matchedBy"`
	// Diff is the unified diff of the file, in UTF-8; of a large one the beginning, and what was cut says so.
	Diff   string `json:"diff"`
	DryRun bool   `json:"dryRun,omitempty"`

	ignored []string // by each edit, in words
}

// AppliedEdit tells what became of an edit.
type AppliedEdit struct {
	Line  int `json:"line"`  // of the first place, in the file after all edits
	Count int `json:"count"` // the places
	// MatchedBy is exact, line-ends, trailing-space, indentation, escapes, punctuation or line-numbers: what was ignored to
	// find the place. Several are joined by a plus sign.
	MatchedBy string `json:"matchedBy"`
}

// Edit is edit_file.
func (f *Files) Edit(ctx context.Context, args EditArgs) (EditResult, error) {
	e := editing{files: f, args: args}
	done, err := e.run(ctx)
	if err != nil {
		err = advise(err, security.FileNotFound, func(old string) string { return old + " To make a file, call write_file." })
		err = advise(err, security.FileTooLarge, f.editLess)
		return EditResult{}, about("editing", args.Path, err)
	}
	if e.known && !args.DryRun {
		f.ledger.Saw(ctx, done.Path, done.SHA256)
	}
	return e.result(done), nil
}

func (f *Files) editLess(string) string {
	return "edit_file takes files of at most " + number(f.limits.MaxFile) + " bytes. Change this one with a program that edits streams, or ask the user to split it."
}

// editing is one call of edit_file.
type editing struct {
	files *Files
	args  EditArgs

	was   *textfile.Text
	plan  *edit.Result
	known bool // the caller knew all of the file, so it still does
}

// mostAttempts is how often a file is edited anew that another program changes at the same time.
const mostAttempts = 3

// run edits the file. Reading, finding the places and writing happen under its lock.
func (e *editing) run(ctx context.Context) (security.WriteResult, error) {
	o := security.UpdateOptions{MaxSize: e.files.limits.MaxFile, ExpectedSHA256: e.args.ExpectedSHA256, DryRun: e.args.DryRun}
	for attempt := 1; ; attempt++ {
		done, err := e.files.root.Update(ctx, e.args.Path, o, func(old []byte, info security.FileInfo) ([]byte, error) {
			seen, _ := e.files.ledger.Seen(ctx, info.Path)
			e.known = seen != "" && seen == digestOf(old)
			return e.change(old)
		})
		switch {
		case o.DryRun && deniedByDisk(err):
			return e.rehearse(ctx)
		case security.CodeOf(err) == security.StaleFile && o.ExpectedSHA256 == "" && attempt < mostAttempts:
			continue
		}
		return done, err
	}
}

// deniedByDisk tells whether no rule forbids a change, but the file system does.
func deniedByDisk(err error) bool {
	denied, ok := errors.AsType[*security.Error](err)
	return ok && (denied.Code == security.PermissionDenied || denied.Code == security.ReadOnly) && denied.Reason == ""
}

// rehearse is a dry run of a file that can be read but not written.
func (e *editing) rehearse(ctx context.Context) (security.WriteResult, error) {
	old, info, err := e.files.root.ReadFile(ctx, e.args.Path, e.files.limits.MaxFile)
	if err != nil {
		return security.WriteResult{}, err
	}
	is := digestOf(old)
	if expected := e.args.ExpectedSHA256; expected != "" && !strings.EqualFold(expected, is) {
		return security.WriteResult{}, changedSince(e.args.Path, is, expected)
	}
	_, err = e.change(old)
	return security.WriteResult{Location: info.Location, SHA256: is, Size: int64(len(old))}, err
}

// change answers the bytes of the file with the edits made.
func (e *editing) change(old []byte) ([]byte, error) {
	var err error
	if e.was, err = textfile.Decode(old, textfile.Auto); err != nil {
		return nil, notEditable(err)
	}
	if e.plan, err = edit.Plan(e.was.Content, e.edits()); err != nil {
		return nil, err
	}
	changes := make([]textfile.Edit, len(e.plan.Changes))
	for i, c := range e.plan.Changes {
		changes[i] = textfile.Edit(c)
	}
	raw, err := e.was.Apply(changes...)
	if err == nil && int64(len(raw)) > e.files.limits.MaxFile {
		err = tooLargeThen(int64(len(raw)), e.files.limits.MaxFile)
	}
	return raw, err
}

// edits are the edits as tools/internal/edit has them. The content has no byte-order mark, which a model may have seen.
func (e *editing) edits() []edit.Edit {
	edits := make([]edit.Edit, len(e.args.Edits))
	for i, given := range e.args.Edits {
		edits[i] = edit.Edit{Old: given.OldText, New: given.NewText,
			ReplaceAll: given.ReplaceAll, ExpectedCount: given.ExpectedCount, NearLine: given.NearLine}
		if e.was.BOM && strings.HasPrefix(given.OldText, byteOrderMark) {
			edits[i].Old = strings.TrimPrefix(given.OldText, byteOrderMark)
			edits[i].New = strings.TrimPrefix(given.NewText, byteOrderMark)
		}
	}
	return edits
}

// result tells what was done, or would be.
func (e *editing) result(done security.WriteResult) EditResult {
	r := EditResult{Path: done.Path, Size: done.Size, SHA256: done.SHA256, MatchedBy: []string{}, DryRun: e.args.DryRun}
	seen := make(map[edit.Step]bool)
	for _, a := range e.plan.Applied {
		r.Applied = append(r.Applied, AppliedEdit{a.Line, a.Count, a.By.String()})
		r.ignored = append(r.ignored, a.By.Ignored())
		if !seen[a.By] {
			seen[a.By] = true
			r.MatchedBy = append(r.MatchedBy, a.By.String())
		}
	}
	edits := make([]textdiff.Edit, len(e.plan.Changes))
	for i, c := range e.plan.Changes {
		edits[i] = textdiff.Edit(c)
	}
	budget := min(e.files.budget(0, r.Path), mostDiff)
	r.Diff = textdiff.Edits(r.Path, r.Path, e.was.Content, edits, textdiff.Options{MaxBytes: budget})
	return r
}

// mostDiff bounds the diff of an answer, in bytes: it is there to be looked over.
const mostDiff = 8 << 10
