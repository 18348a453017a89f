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
	// Edits are applied in order, each to the result of the previous one: all or none.
	Edits []TextEdit `json:"edits" jsonschema:"minItems=1"`
	// DryRun returns the result of the edits and writes nothing. It respects the rules of the Root. It does not detect a file
	// that the file system does not let the server write.
	DryRun bool `json:"dryRun,omitempty"`
	// ExpectedSHA256 is the digest of the last read or write. If the file has another digest, the call fails with STALE_FILE
	// and writes nothing.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// TextEdit is one edit of EditArgs.
//
// The search for OldText goes in steps: exact bytes; without line ends; without trailing blanks; without indentation; without
// escapes such as \n and \"; without the kind of quotes, dashes and spaces; without line numbers. The first step with a match
// decides. Several matches are EDIT_AMBIGUOUS. No match is EDIT_NO_MATCH, with the most similar text. NewText gets the same
// transformation of indentation, escapes and line numbers as OldText. Lines that OldText and NewText share stay unchanged.
type TextEdit struct {
	// OldText is the present text. It is empty only for an empty file, which NewText replaces.
	OldText string `json:"oldText"`
	// NewText is the replacement. Its line ends become those of the surrounding lines.
	NewText string `json:"newText"`
	// ReplaceAll replaces every match of OldText.
	ReplaceAll bool `json:"replaceAll,omitempty"`
	// ExpectedCount is the required number of matches; all are replaced. 0 is one, or any number with ReplaceAll.
	ExpectedCount int `json:"expectedCount,omitempty" jsonschema:"minimum=1"`
	// NearLine selects the match at or nearest to a line. Lines are counted before all edits.
	NearLine int `json:"nearLine,omitempty" jsonschema:"minimum=1,description=Picks one of several places"`
}

// EditResult is the result of edit_file.
type EditResult struct {
	Path   string `json:"path"`   // as ReadResult.Path
	Size   int64  `json:"size"`   // bytes of the file after the call
	SHA256 string `json:"sha256"` // digest after the call; after a dry run that of the present file
	// Applied has one entry for each edit.
	Applied []AppliedEdit `json:"applied"`
	// MatchedBy lists the distinct values of AppliedEdit.MatchedBy.
	MatchedBy []string `json:"matchedBy"`
	// Diff is the unified diff of the file in UTF-8, truncated to 8 KiB.
	Diff   string `json:"diff"`
	DryRun bool   `json:"dryRun,omitempty"` // nothing was written
	InEditor

	ignored []string // ignored differences of each edit, in words
}

// AppliedEdit describes the matches of one edit.
type AppliedEdit struct {
	Line  int `json:"line"`  // line of the first match, after all edits
	Count int `json:"count"` // number of matches
	// MatchedBy is the step of the search: exact, line-ends, trailing-space, indentation, escapes, punctuation or line-numbers,
	// or several joined by a plus sign.
	MatchedBy string `json:"matchedBy"`
}

// Edit implements edit_file.
func (f *Files) Edit(ctx context.Context, args EditArgs) (EditResult, error) {
	e := editing{files: f, args: args}
	done, err := e.run(ctx)
	if err != nil {
		err = withNextStep(err, security.FileNotFound, func(old string) string { return old + " To make a file, call write_file." })
		err = withNextStep(err, security.FileTooLarge, f.adviseTooLarge)
		return EditResult{}, wrapPath("editing", args.Path, err)
	}
	if e.known && !args.DryRun && !done.Altered {
		f.ledger.Record(ctx, done.Path, done.SHA256)
	}
	return e.result(done), nil
}

// adviseTooLarge returns the advice for a file that is too large to edit. Advice about the edits themselves is kept.
func (f *Files) adviseTooLarge(old string) string {
	if old == adviseLessText {
		return old
	}
	return "edit_file takes files of at most " + number(f.limits.MaxFile) + " bytes. read_file shows parts of it; to change it, ask the user to split it."
}

// editing is the state of one edit_file call.
type editing struct {
	files *Files
	args  EditArgs

	was   *textfile.Text // present content
	plan  *edit.Result   // matches and changes of the edits
	known bool           // the caller knew the complete file
}

// maxEditAttempts is the most attempts if another program changes the file at the same time.
const maxEditAttempts = 3

// run edits the file. Reading, matching and writing happen under the lock of the file.
func (e *editing) run(ctx context.Context) (security.WriteResult, error) {
	o := security.UpdateOptions{MaxSize: e.files.limits.MaxFile, ExpectedSHA256: e.args.ExpectedSHA256, DryRun: e.args.DryRun}
	for attempt := 1; ; attempt++ {
		done, err := e.files.root.Update(ctx, e.args.Path, o, func(old []byte, info security.FileInfo) ([]byte, error) {
			seen, _ := e.files.ledger.Seen(ctx, info.Path)
			e.known = seen != "" && seen == digestOf(old)
			return e.change(old)
		})
		switch {
		case o.DryRun && isFileSystemDenial(err):
			return e.dryRunReadOnly(ctx)
		case security.CodeOf(err) == security.StaleFile && o.ExpectedSHA256 == "" && attempt < maxEditAttempts:
			continue
		}
		return done, err
	}
}

// isFileSystemDenial reports whether the file system denies a change that the rules of the Root allow.
func isFileSystemDenial(err error) bool {
	denied, ok := errors.AsType[*security.Error](err)
	return ok && (denied.Code == security.PermissionDenied || denied.Code == security.ReadOnly) && denied.Reason == ""
}

// dryRunReadOnly is the dry run for a file that can be read but not written.
func (e *editing) dryRunReadOnly(ctx context.Context) (security.WriteResult, error) {
	old, info, err := e.files.root.ReadFile(ctx, e.args.Path, e.files.limits.MaxFile)
	if err != nil {
		return security.WriteResult{}, err
	}
	is := digestOf(old)
	if same, err := security.CheckSHA256(is, e.args.ExpectedSHA256); err != nil {
		return security.WriteResult{}, err
	} else if !same {
		return security.WriteResult{}, errStaleFile(e.args.Path, is, e.args.ExpectedSHA256)
	}
	_, err = e.change(old)
	return security.WriteResult{Location: info.Location, SHA256: is, Size: int64(len(old))}, err
}

// change returns the bytes of the file after the edits.
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
		err = resultTooLarge(int64(len(raw)), e.files.limits.MaxFile)
	}
	return raw, err
}

// edits converts the edits for package tools/internal/edit. The decoded content has no byte-order mark, so a mark in the
// arguments is removed.
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

// result builds the result from the write and the plan.
func (e *editing) result(done security.WriteResult) EditResult {
	r := EditResult{Path: done.Path, Size: done.Size, SHA256: done.SHA256, MatchedBy: []string{}, DryRun: e.args.DryRun, InEditor: inEditor(done)}
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
	budget := min(e.files.budget(0, r.Path), maxDiffBytes)
	r.Diff = textdiff.Edits(r.Path, r.Path, e.was.Content, edits, textdiff.Options{MaxBytes: budget})
	return r
}

// maxDiffBytes is the most bytes of the diff in an answer.
const maxDiffBytes = 8 << 10
