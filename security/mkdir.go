package security

import (
	"context"
	"errors"
	"io/fs"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// MakeDirResult tells what MakeDir did.
type MakeDirResult struct {
	Location
	Created bool // there was no directory before
}

// MakeDir makes a directory, and those on the way to it if parents is true. A directory that is there already is left as it is.
// Links are followed, and the rules apply to where they lead.
func (r *Root) MakeDir(ctx context.Context, name string, parents bool) (MakeDirResult, error) {
	return r.makeDir(ctx, name, parents, 0o777)
}

// makeDir is MakeDir for directories with a mode, before the umask.
func (r *Root) makeDir(ctx context.Context, name string, parents bool, perm fs.FileMode) (MakeDirResult, error) {
	s := spot{follow: true, admit: r.admitChange}
	var got held
	defer func() { s.close(); got.release() }()
	var result MakeDirResult
	d := deed{operation: "mkdir", params: auditParams{Path: shorten(name)}}
	d.begin = func() (err error) {
		if s.target, err = r.locateChange(name, s.admit); err != nil {
			return err
		}
		if got, err = r.settle(ctx, &s); err != nil {
			return err
		}
		result = MakeDirResult{Location: s.location(), Created: s.place.Info == nil}
		d.idle, d.params = !result.Created, auditParams{Path: result.Path}
		return r.checkNewDir(&s, parents)
	}
	d.commit = func() error {
		err := s.place.MakeParents(perm, r.durability)
		if err == nil {
			err = s.place.Mkdir(perm, r.durability)
		}
		if errors.Is(err, fs.ErrExist) && s.place.Refresh() == nil && s.place.Info != nil && s.place.Info.IsDir() {
			result.Created, err = false, nil // by somebody else just now
		}
		if err != nil {
			err = r.explain(s.target, err)
		}
		return err
	}
	if err := r.perform(ctx, &d); err != nil {
		return MakeDirResult{}, err
	}
	return result, nil
}

func (r *Root) checkNewDir(s *spot, parents bool) error {
	switch {
	case len(s.place.Missing) > 0 && !parents:
		return r.notFound(s.target, &rootfs.StepError{Dir: s.place.Dir(), Name: s.place.Missing[0], Err: fs.ErrNotExist})
	case s.place.Info != nil && !s.place.Info.IsDir():
		return problem(AlreadyExists, s.given, fs.ErrExist, "%s exists already, and is no directory.", quote(s.given))
	}
	return nil
}
