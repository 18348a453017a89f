package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

const (
	maxMoved     = 1_000_000 // limit of the entries in a directory that is moved or deleted
	maxMoveDepth = 256       // limit of its levels; the check holds one open directory per level
)

// checkLeaving checks that an entry may be moved or deleted. It does not check the content of a directory; see
// checkContent. done is the participle for messages, such as "moved".
func (r *Root) checkLeaving(ctx context.Context, s *lockedPath, done string) error {
	switch {
	case s.place.Info == nil:
		var step error
		if len(s.place.Missing) > 0 {
			step = &rootfs.StepError{Dir: s.place.Dir(), Name: s.place.Missing[0], Err: fs.ErrNotExist}
		}
		return r.notFound(s.target, step)
	case s.place.Name == "." || s.place.Info.IsDir() && r.holdsDir(s.tree, s.place.Path):
		return invalid("Choose something in the project.", "%s is the project directory itself or holds one; it cannot be %s.", quote(s.given), done)
	}
	if err := r.checkHardLinks(s); err != nil {
		return err
	}
	return r.checkSaved(ctx, s, done)
}

// checkHardLinks refuses a hard link of a blocked or protected file: at another path the rules might not recognize
// it.
func (r *Root) checkHardLinks(s *lockedPath) error {
	info := s.place.Info
	if !info.Mode().IsRegular() || !hasHardLinks(s.place) {
		return nil
	}
	dir := path.Dir(s.place.Path)
	if ids := s.tree.links.Find(r.protected, dir); ids.Hold(info) {
		return protectedFile(s.given)
	}
	if ids := s.tree.links.Find(r.blocked, dir); ids.Hold(info) {
		return blocked(s.given)
	}
	return nil
}

// hasHardLinks reports whether a file has more than one name.
func hasHardLinks(p *rootfs.Place) bool {
	if runtime.GOOS != "windows" {
		return rootfs.Links(nil, p.Info) > 1
	}
	f, info, err := p.Open()
	if err != nil {
		return false
	}
	defer f.Close()
	return rootfs.Links(f, info) > 1
}

// checkContent checks that the content of a directory may be moved or deleted, and returns the number of entries. to
// is the new final path of the directory. It is "" for the trash, where the rules apply to the old path. An entry
// that is no directory has no content.
func (r *Root) checkContent(ctx context.Context, s *lockedPath, to string) (int, error) {
	if !s.place.Info.IsDir() {
		return 0, nil
	}
	dir, err := s.place.OpenDir()
	if err != nil {
		return 0, r.explain(s.target, err)
	}
	defer dir.Close()
	v := contentCheck{root: r, source: s, ctx: ctx, from: rulePath(s.place.Path), to: to}
	parent := path.Dir(s.place.Path)
	for _, rules := range []pattern.List{r.blocked, r.protected} {
		v.ids = append(v.ids, s.tree.links.Find(rules, parent)...)
	}
	v.ids = slices.DeleteFunc(v.ids, func(id fs.FileInfo) bool { return runtime.GOOS != "windows" && rootfs.Links(nil, id) < 2 })
	err = v.visit(dir, "", 1)
	return v.entries, err
}

// contentCheck is the check of the content of one directory.
type contentCheck struct {
	root   *Root
	source *lockedPath
	ctx    context.Context
	// from and to are the old and the new path by which the rules apply.
	from, to string
	ids      hardlink.Identities // files with several hard links that a rule matches
	entries  int
}

// visit checks a directory. rel is its path relative to the checked directory.
func (v *contentCheck) visit(dir *rootfs.Dir, rel string, depth int) error {
	from, to := pattern.Fold(path.Join(v.from, rel)), pattern.Fold(path.Join(v.to, rel))
	for {
		if err := contextError(v.ctx); err != nil {
			return err
		}
		entries, err := dir.Next(512)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return v.explain(rel, err)
		}
		for _, e := range entries {
			below := slashpath.Join(rel, e.Name)
			if err := v.check(from, to, pattern.Fold(e.Name), below); err != nil {
				return err
			}
			if err := v.enter(dir, e, below, depth); err != nil {
				return err
			}
		}
	}
}

// enter counts an entry, checks its hard links, and visits it if it is a directory.
func (v *contentCheck) enter(dir *rootfs.Dir, e rootfs.Entry, rel string, depth int) error {
	if v.entries++; v.entries > maxMoved {
		return v.tooLargeError("more than 1,000,000 entries")
	}
	switch {
	case e.Type.IsRegular() && len(v.ids) > 0:
		if info, err := dir.Lstat(e.Name); err == nil && v.ids.Hold(info) {
			return v.containsError("another name of something that is hidden or write-protected", ProtectedFile)
		}
	case e.Type.IsDir() && depth >= maxMoveDepth:
		return v.tooLargeError("more than 256 levels of directories")
	case e.Type.IsDir():
		child, err := dir.OpenDir(e.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return v.explain(rel, err)
		}
		defer child.Close()
		return v.visit(child, rel, depth+1)
	}
	return nil
}

// check applies the rules to the old and the new path of an entry. Its error does not name blocked files. from, to
// and name are folded.
func (v *contentCheck) check(from, to, name, rel string) error {
	blocked, protected := v.root.blocked, v.root.protected
	switch {
	case blocked.MatchEntry(from, name):
		return v.containsError("something that is hidden from tools", BlockedPattern)
	case protected.MatchEntry(from, name):
		return v.containsError(quote(rel)+", which is write-protected", ProtectedFile)
	case v.to == "":
		return nil
	case blocked.MatchEntry(to, name):
		return v.containsError(quote(rel)+", which would be hidden from tools at its new place", BlockedPattern)
	case protected.MatchEntry(to, name):
		return v.containsError(quote(rel)+", which would be write-protected at its new place", ProtectedFile)
	}
	return nil
}

func (v *contentCheck) containsError(entry string, reason Reason) error {
	return refuse(PermissionDenied, reason, v.source.given, quote(v.source.given)+" holds "+entry+"; it was not changed.",
		"Choose the other entries in it one by one, or ask the user to do it.")
}

func (v *contentCheck) tooLargeError(excess string) error {
	e := problem(FileTooLarge, v.source.given, nil, "%s holds %s.", quote(v.source.given), excess)
	e.Next = "Choose a directory in it."
	return e
}

// explain turns an error about a directory below the checked one into an *Error.
func (v *contentCheck) explain(rel string, err error) error {
	t := v.source.target
	t.rel = path.Join(v.source.place.Path, rel)
	t.given = v.source.tree.location(t.rel).Path
	return v.root.explain(t, err)
}
