package editor

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/brief"
	"github.com/dougu-go/dougu/internal/git"
)

// gitChanged are the files that differ from what is committed.
func (e *Editor) gitChanged(ctx context.Context, r *report) ([]place, error) {
	repository, err := git.Open(ctx, e.real[0])
	if errors.Is(err, git.ErrNoGit) {
		return nil, invalid("name the paths instead", "scope changed needs git, which is not there")
	}
	var changed []git.Entry
	if err == nil {
		_, changed, err = repository.Status(ctx, true)
	}
	if unsafe, refused := errors.AsType[*git.Unsafe](err); refused {
		return nil, invalid("name the paths instead. "+unsafe.Next, "git is not asked what has changed in the project: %v", err)
	}
	if err != nil && !errors.Is(err, git.ErrTooMuch) {
		return nil, invalid("name the paths instead", "git does not tell what has changed in the project: %v", err)
	}
	settings, err := repository.Settings(ctx)
	if err != nil {
		return nil, invalid("name the paths instead", "git does not tell what has changed in the project: %v", err)
	}
	if len(settings.Filters) > 0 {
		r.notes = append(r.notes, "files with the filter "+brief.Line(strings.Join(settings.Filters, ", "), 200)+" may count as changed although they are not: the repository names a program for it, which is not run")
	}
	places := []place{}
	for _, entry := range changed {
		if entry.Index == 'D' || entry.Tree == 'D' {
			continue
		}
		p, err := e.locate(ctx, filepath.Join(repository.Top(), filepath.FromSlash(entry.Path)))
		if err != nil {
			continue // hidden from tools, or not a file
		}
		if len(places) == mostPaths {
			r.notes = append(r.notes, "only the first "+number(mostPaths)+" changed files were looked at")
			break
		}
		places = append(places, p)
	}
	if len(places) == 0 {
		r.notes = append(r.notes, "git knows of no changed files")
	}
	return places, nil
}
