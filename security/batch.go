package security

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// StepKind is the effect of a Step on its file.
type StepKind uint8

const (
	// WriteStep replaces the content of a file that exists.
	WriteStep StepKind = iota + 1
	// CreateStep creates a file and its missing directories.
	CreateStep
	// MoveStep moves a file to a path at which nothing exists.
	MoveStep
	// TrashStep moves a file into TrashDir.
	TrashStep
)

// Step is the change of one regular file in a Batch.
type Step struct {
	// Kind is the effect; it is required.
	Kind StepKind
	// Path is the path of the file.
	Path string
	// To is the new path of a MoveStep.
	To string
	// Content is the new content of a WriteStep or CreateStep.
	Content []byte
	// ExpectedSHA256 is the digest that the file must have; see CheckSHA256. STALE_FILE reports another digest. ""
	// accepts any content. A CreateStep must not have one.
	ExpectedSHA256 string
	// Act performs a WriteStep instead of the Root, for a file that an editor has open and saves itself. undo reverts
	// the effect of Act, also if Act fails; a nil undo means that nothing was changed. The error of undo names the
	// file.
	Act func(ctx context.Context) (undo func(context.Context) error, err error)
	// Unsaved reports that Act changes a document in an editor but not its file.
	Unsaved bool
}

// batchTime is the limit for all steps of a Batch, and again for their undoing.
const batchTime = 20 * time.Second

// Batch changes several files as one change: it performs all steps in order, or none. A file can have one WriteStep
// or CreateStep, followed by one MoveStep or TrashStep. name describes the change in the log and in notices.
//
// Before the first change, Batch writes the former contents to a journal in the state directory and flushes it as
// RootOptions.Durability requires. If a step fails, the steps before it are undone. If the process dies, the next
// process that opens or changes the same directories undoes the change and leaves a notice (see TakeNotices). Undoing
// never overwrites a file that another program has changed meanwhile. The error or the notice names the file, and its
// former content is in BackupDir.
//
// If the context ends before the last step begins, the steps so far are undone. A step that has begun is completed.
func (r *Root) Batch(ctx context.Context, name string, steps ...Step) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	caller := ctx
	r.recoverBatches(ctx)
	b := batch{root: r, steps: steps, ended: func() error { return contextError(caller) }}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(withoutRecovery(ctx)), batchTime)
	defer cancel()
	if len(steps) > 1 {
		record, err := r.planBatch(name, steps)
		if err != nil {
			return r.logRefusal(ctx, "batch", err)
		}
		if b.journal, err = r.writeJournal(ctx, record, steps); err != nil {
			return r.logRefusal(ctx, "batch", err)
		}
		defer b.journal.Release()
	}
	return b.run(ctx)
}

// batch is a running Batch.
type batch struct {
	root    *Root
	steps   []Step
	ended   func() error     // returns an error if the context of the caller has ended
	journal *journal.Journal // nil for a single step, which is atomic by itself
	// undos are the undo functions of Step.Act by step; nil for other steps.
	undos []func(context.Context) error
}

func (b *batch) run(ctx context.Context) error {
	b.undos = make([]func(context.Context) error, len(b.steps))
	for i := range b.steps {
		err := b.ended()
		if err == nil {
			err = b.step(ctx, i)
		}
		if err != nil {
			return b.rollBack(ctx, i, err)
		}
	}
	if b.journal != nil {
		b.journal.End()
	}
	return nil
}

// step performs step i.
func (b *batch) step(ctx context.Context, i int) (err error) {
	s := b.steps[i]
	expected := s.ExpectedSHA256
	var recorded journal.Step
	if b.journal != nil {
		recorded = b.journal.Record.Steps[i]
		expected = recorded.Old
	}
	switch {
	case s.Act != nil:
		if b.undos[i], err = s.Act(ctx); err == nil && b.journal != nil {
			err = b.observe(ctx, i)
		}
	case s.Kind == WriteStep:
		_, err = b.root.Write(ctx, s.Path, s.Content, WriteOptions{Overwrite: true, ExpectedSHA256: expected})
	case s.Kind == CreateStep:
		_, err = b.root.Write(ctx, s.Path, s.Content, WriteOptions{CreateDirs: true})
	case s.Kind == MoveStep:
		_, err = b.root.Move(ctx, s.Path, s.To, MoveOptions{})
	case s.Kind == TrashStep:
		_, err = b.root.Trash(ctx, s.Path, TrashOptions{ExpectedSHA256: expected, trashPath: recorded.To})
	default:
		err = invalid("Give a kind.", "A step of a change has no kind.")
	}
	return err
}

// observe records the present content of a file that an editor has saved, because editors may format text on saving.
func (b *batch) observe(ctx context.Context, i int) error {
	steps := b.journal.Record.Steps
	rec := &steps[i]
	now, err := b.root.inspect(ctx, rec.Root, rec.Path)
	if err != nil {
		return err
	}
	defer now.place.Close()
	rec.New = now.sum
	for n := i + 1; n < len(steps); n++ {
		if steps[n].Root == rec.Root && steps[n].Path == rec.Path {
			steps[n].Old = now.sum
		}
	}
	return nil
}

// rollBack undoes the steps from last to the first. cause is the error of step last.
func (b *batch) rollBack(ctx context.Context, last int, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTime)
	defer cancel()
	var left []string
	again := false
	for i := last; i >= 0; i-- {
		var remains string
		var err error
		switch {
		case b.undos[i] != nil:
			if err = b.undos[i](ctx); err != nil {
				remains, err = err.Error(), nil
			}
		case b.journal == nil || b.steps[i].Act != nil:
		case i == last && !b.root.isStepVisible(ctx, &b.journal.Record.Steps[i]):
			// The failed step has changed nothing in its file. It may have created directories.
			if s := &b.journal.Record.Steps[i]; s.Kind == journal.Create {
				b.root.removeDirs(s)
			}
		default:
			remains, err = b.root.undoStep(ctx, b.journal, i)
		}
		if err != nil {
			remains, again = b.steps[i].Path+": "+err.Error(), true
		}
		if remains != "" {
			left = append(left, remains)
		}
	}
	if b.journal != nil && !again {
		b.journal.End()
	}
	if len(left) == 0 {
		return cause
	}
	slices.Reverse(left)
	b.root.log.ErrorContext(ctx, "a change was not made, and could not be taken back as a whole", "cause", cause, "left", left)
	return &Error{Code: InternalError, Err: cause, Next: "Look at these files, and put them right.",
		Message: punctuation.Clause(cause.Error()) + "; the changes before that could not all be undone: " + enumerate(left)}
}

// enumerate joins the first five texts.
func enumerate(all []string) string {
	const most = 5
	if len(all) > most {
		all = append(slices.Clone(all[:most]), "…")
	}
	return strings.Join(all, "; ")
}

// planBatch locates the files of all steps. It changes nothing.
func (r *Root) planBatch(name string, steps []Step) (*journal.Record, error) {
	if len(steps) > journal.MaxSteps {
		return nil, invalid("Change fewer files at once.", "A change of more than %d files is not made.", journal.MaxSteps)
	}
	record := &journal.Record{Name: shorten(name), Started: time.Now().UTC(), Steps: make([]journal.Step, len(steps))}
	p := planner{root: r, seen: make(map[string][]plannedFile)}
	for i := range steps {
		if err := p.plan(&steps[i], &record.Steps[i]); err != nil {
			return nil, err
		}
	}
	return record, nil
}

// planner turns steps into journal records and detects files that are named twice.
type planner struct {
	root *Root
	seen map[string][]plannedFile // by lock key; names that differ only in case have the same key
}

// plannedFile is a file of an earlier step.
type plannedFile struct {
	path string
	info fs.FileInfo // nil for a new file
	kind StepKind
}

// kindOf returns the kind of the last step that changes a file, or 0.
func (p *planner) kindOf(key, path string, info fs.FileInfo) StepKind {
	for _, f := range slices.Backward(p.seen[key]) {
		if f.path == path || f.info != nil && info != nil && os.SameFile(f.info, info) {
			return f.kind
		}
	}
	return 0
}

func (p *planner) plan(s *Step, rec *journal.Step) error {
	var err error
	if rec.Old, err = checkDigest(s.ExpectedSHA256); err != nil {
		return err
	}
	rec.Kind, rec.Unsaved = journal.Kind(s.Kind), s.Unsaved
	leaves := s.Kind == MoveStep || s.Kind == TrashStep
	at := lockedPath{follow: !leaves, admit: p.root.admitChange}
	if leaves {
		at.admit = p.root.admitLeaving
	}
	if err := p.find(&at, s.Path); err != nil {
		return err
	}
	defer at.close()
	rec.Root, rec.Path = at.tree.RealName(), at.place.Path
	key := pathlock.Key(rec.Root, rec.Path)
	switch before := p.kindOf(key, rec.Path, at.place.Info); {
	case before != 0 && !(leaves && (before == WriteStep || before == CreateStep)):
		return duplicatePathError(s.Path)
	case s.Kind == CreateStep:
		if at.place.Info != nil {
			return problem(AlreadyExists, s.Path, fs.ErrExist, "%s exists already.", quote(s.Path))
		}
		dir := at.place.Dir()
		for _, name := range at.place.Missing {
			dir = slashpath.Join(dir, name)
			rec.Dirs = append(rec.Dirs, dir)
		}
	case before != CreateStep:
		if at.place.Info == nil {
			return p.root.notFound(at.target, nil)
		}
		if !at.place.Info.Mode().IsRegular() {
			return problem(IsDirectory, s.Path, nil, "%s is a %s, and not a file.", quote(s.Path), kindOf(at.place.Info.Mode()))
		}
	}
	p.seen[key] = append(p.seen[key], plannedFile{rec.Path, at.place.Info, s.Kind})
	switch s.Kind {
	case TrashStep:
		rec.ToRoot, rec.To = rec.Root, trashPath(at.target, rec.Path)
	case MoveStep:
		to := lockedPath{admit: p.root.admitChange}
		if err := p.find(&to, s.To); err != nil {
			return err
		}
		defer to.close()
		rec.ToRoot, rec.To = to.tree.RealName(), to.place.Path
		if toKey := pathlock.Key(rec.ToRoot, rec.To); toKey != key && p.kindOf(toKey, rec.To, to.place.Info) != 0 {
			return duplicatePathError(s.To)
		}
	}
	return nil
}

func (p *planner) find(s *lockedPath, name string) (err error) {
	if s.target, err = p.root.locateChange(name, s.admit); err != nil {
		return err
	}
	return s.find(p.root)
}

func duplicatePathError(name string) error {
	return invalid("Make the changes one after another.", "%s is named twice by one change.", quote(name))
}

// isFinal reports whether a later attempt will fail with the same error.
func isFinal(err error) bool {
	switch CodeOf(err) {
	case StaleFile, FileNotFound, PermissionDenied, NotRegularFile, NotDirectory, IsDirectory, AlreadyExists, FileTooLarge, InvalidParams, ReadOnly:
		return true
	}
	return errors.Is(err, fs.ErrNotExist)
}
