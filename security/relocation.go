package security

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// fit is the relation of a journal's change to a Root.
type fit uint8

const (
	foreign fit = iota // no file of the change lies in the Root
	entire             // all files of the change lie in the Root
	partial            // some files lie in the Root; another Root can undo the change
	lost               // the directory of the change no longer exists; it may have become one of this Root
)

// located is a change with the present paths of its files.
type located struct {
	fit    fit
	record *journal.Record
	trees  []*tree // trees that the record needs in addition to the trees of the Root
}

// close closes the additional trees.
func (l *located) close() {
	for _, t := range l.trees {
		t.Close()
	}
}

// locateBatch finds the files of a change. Its directory may be one of this Root, lie below or above one, or be
// moved.
func (r *Root) locateBatch(ctx context.Context, record *journal.Record) located {
	l := located{record: &journal.Record{Name: record.Name, Started: record.Started, Roots: record.Roots, Steps: slices.Clone(record.Steps)}}
	spots := make(map[string]journalRoot)
	at := func(root string) journalRoot {
		s, known := spots[root]
		if !known {
			s = r.locateJournalRoot(root, record.Roots[root])
			if s.opened != nil {
				s.opened.index = len(r.trees) + len(l.trees)
				l.trees = append(l.trees, s.opened)
			}
			spots[root] = s
		}
		return s
	}
	inside, gone, moved := 0, 0, false
	for i := range l.record.Steps {
		s := &l.record.Steps[i]
		from, to := at(s.Root), at(s.Root)
		if s.ToRoot != "" {
			to = at(s.ToRoot)
		}
		if from.fit == lost || to.fit == lost {
			gone++
		}
		moved = moved || from.moved || to.moved
		if from.translate(&s.Root, &s.Path) && (s.ToRoot == "" || to.translate(&s.ToRoot, &s.To)) && r.admitsStep(s) {
			s.Dirs = from.translateDirs(s.Dirs)
			inside++
		}
	}
	switch {
	case inside == len(l.record.Steps):
		l.fit = entire
	case inside > 0:
		l.fit = partial
	case gone == len(l.record.Steps):
		l.fit = lost
	}
	if moved && !r.withTrees(l.trees).isAnyStepVisible(ctx, l.record) {
		l.fit = foreign // systems reuse the identity of a removed directory
	}
	return l
}

// journalRoot is the present location of a directory that a journal names.
type journalRoot struct {
	fit    fit    // entire; partial for paths below cut only; lost or foreign
	root   string // name of the tree
	cut    string // path of the tree relative to the journal's directory
	moved  bool   // recognized by its identity alone
	opened *tree  // a tree opened for the directory itself; nil if the Root has one
}

// translate changes a path of the journal into a path of the tree. It returns false if the tree does not contain it.
func (s journalRoot) translate(root, final *string) bool {
	switch s.fit {
	case entire:
		*root = s.root
		return true
	case partial:
		if !slashpath.IsBelow(*final, s.cut) {
			return false
		}
		*root, *final = s.root, strings.TrimPrefix(*final, s.cut+"/")
		return true
	}
	return false
}

// translateDirs returns the directories of a CreateStep relative to the tree.
func (s journalRoot) translateDirs(all []string) []string {
	if s.fit != partial {
		return all
	}
	var below []string
	for _, dir := range all {
		if slashpath.IsBelow(dir, s.cut) {
			below = append(below, strings.TrimPrefix(dir, s.cut+"/"))
		}
	}
	return below
}

// locateJournalRoot finds the directory of a journal. identity is "" if the journal does not record it.
func (r *Root) locateJournalRoot(root, identity string) journalRoot {
	for _, t := range r.trees {
		if t.RealName() == root || t.Name() == root {
			return journalRoot{fit: entire, root: t.RealName()}
		}
	}
	id, exists := rootfs.IdentityOf(root)
	if !exists || identity != "" && id != identity {
		for _, t := range r.trees {
			if identity != "" && t.Identity() == identity {
				return journalRoot{fit: entire, root: t.RealName(), moved: true}
			}
		}
		return journalRoot{fit: lost}
	}
	for _, t := range r.trees {
		if opened := r.openBelow(t, root, id); opened != nil {
			return journalRoot{fit: entire, root: opened.RealName(), opened: opened}
		}
	}
	for _, t := range r.trees {
		rel, err := filepath.Rel(root, t.RealName())
		if err == nil && filepath.IsLocal(rel) {
			return journalRoot{fit: partial, root: t.RealName(), cut: filepath.ToSlash(rel)}
		}
	}
	return journalRoot{}
}

// openBelow opens a journal's directory inside tree t as a separate tree. It returns nil if tools may not change
// files there or if a link leads there.
func (r *Root) openBelow(t *tree, root, identity string) *tree {
	rel, ok := t.Rel(root)
	if !ok || r.admitChange(target{given: rel, tree: t, rel: rel}, rel) != nil {
		return nil
	}
	dir, err := t.OpenDir(rel)
	if err != nil {
		return nil
	}
	defer dir.Close()
	if dir.Path != rel {
		return nil
	}
	opened, err := rootfs.Open(root)
	if err != nil {
		return nil
	}
	if opened.RealName() != root || opened.Identity() != identity {
		opened.Close()
		return nil
	}
	below := newTree(opened, 0)
	r.attachRemoved(below)
	return below
}

// admitsStep reports whether the rules of the trees above allow the step: a pattern may match the path from there.
func (r *Root) admitsStep(s *journal.Step) bool {
	allows := func(root, final string) bool {
		if from, ok := trash.Original(final); ok {
			final = from
		}
		for _, t := range r.trees {
			rel, ok := t.Rel(filepath.Join(root, filepath.FromSlash(final)))
			if ok && t.RealName() != root && r.admitChange(target{given: rel, tree: t, rel: rel}, rel) != nil {
				return false
			}
		}
		return true
	}
	return allows(s.Root, s.Path) && (s.ToRoot == "" || allows(s.ToRoot, s.To))
}

// withTrees returns a Root with additional trees for the undoing of a change.
func (r *Root) withTrees(trees []*tree) *Root {
	if len(trees) == 0 {
		return r
	}
	return &Root{
		trees: append(slices.Clone(r.trees), trees...), blocked: r.blocked, protected: r.protected, readOnly: r.readOnly,
		durability: r.durability, removed: r.removed, keepsRemoved: r.keepsRemoved, locks: pathlock.Locks{Dir: r.locks.Dir, Wait: r.locks.Wait}, audit: r.audit, log: r.log, documents: r.documents,
	}
}

// isHalfMade reports whether some of the first files show the change, but the last one does not.
func (r *Root) isHalfMade(ctx context.Context, record *journal.Record) bool {
	return !r.isMade(ctx, record) && r.isAnyStepVisible(ctx, record)
}

// isAnyStepVisible reports whether one of the first 20 steps is visible in its file.
func (r *Root) isAnyStepVisible(ctx context.Context, record *journal.Record) bool {
	const most = 20 // the first steps were made first
	for i := range record.Steps[:min(most, len(record.Steps))] {
		if r.isStepVisible(ctx, &record.Steps[i]) {
			return true
		}
	}
	return false
}

// matchesMovedProject reports whether a tree of this Root looks like the missing directory of a change: some of its
// files show the change.
func (r *Root) matchesMovedProject(ctx context.Context, record *journal.Record) bool {
	root := record.Steps[0].Root
	for _, t := range r.trees {
		moved := &journal.Record{Steps: slices.Clone(record.Steps)}
		for i := range moved.Steps {
			s := &moved.Steps[i]
			if s.Root != root || s.ToRoot != "" && s.ToRoot != root {
				return false // of several directories
			}
			if s.Root = t.RealName(); s.ToRoot != "" {
				s.ToRoot = s.Root
			}
		}
		if r.isHalfMade(ctx, moved) {
			return true
		}
	}
	return false
}

// isStepVisible reports whether the file of a step has the content or path that the step gives it.
func (r *Root) isStepVisible(ctx context.Context, s *journal.Step) bool {
	root, final, want := s.Root, s.Path, s.New
	if s.Kind == journal.Move || s.Kind == journal.Trash {
		root, final, want = s.ToRoot, s.To, s.Old
	}
	if s.Unsaved || want == "" || s.Kind == journal.Write && s.Old == s.New {
		return false
	}
	now, err := r.inspect(ctx, root, final)
	if err != nil {
		return false
	}
	now.place.Close()
	return now.sum == want
}

// rootsOf returns the quoted directories of a change, joined with "and".
func rootsOf(record *journal.Record) string {
	var all []string
	for _, s := range record.Steps {
		for _, root := range []string{s.Root, s.ToRoot} {
			if root != "" && !slices.Contains(all, quote(root)) {
				all = append(all, quote(root))
			}
		}
	}
	return strings.Join(all, " and ")
}

// identities returns the identities of the directories of a change by name.
func (r *Root) identities(record *journal.Record) map[string]string {
	all := make(map[string]string)
	for _, s := range record.Steps {
		for _, t := range r.trees {
			if name := t.RealName(); name == s.Root || name == s.ToRoot {
				all[name] = t.Identity()
			}
		}
	}
	return all
}

// journalDirs returns the directories of journals in a state directory, the ones of this Root first.
func (r *Root) journalDirs(state string) []string {
	own := r.ownJournals()
	for _, dir := range r.journals(state).Projects() {
		if !slices.Contains(own, dir) {
			own = append(own, dir)
		}
	}
	return own
}

// ownJournals returns the directories, relative to a state directory, of changes that begin in one of the trees.
func (r *Root) ownJournals() []string {
	all := make([]string, len(r.trees))
	for i, t := range r.trees {
		all[i] = journal.ProjectDir(t.RealName())
	}
	return all
}
