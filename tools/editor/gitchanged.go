package editor

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/git"
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
	incomplete := errors.Is(err, git.ErrTooMuch)
	if err != nil && !incomplete {
		return nil, invalid("name the paths instead", "git does not tell what has changed in the project: %v", err)
	}
	settings, err := repository.Settings(ctx)
	if err != nil {
		return nil, invalid("name the paths instead", "git does not tell what has changed in the project: %v", err)
	}
	if len(settings.Filters) > 0 {
		r.notes = append(r.notes, "files with the filter "+truncate.Line(strings.Join(settings.Filters, ", "), 200)+" may count as changed although they are not: the repository names a program for it, which is not run")
	}
	places := []place{}
	hidden, left, gone := 0, 0, 0
	for _, entry := range changed {
		if entry.Index == 'D' || entry.Tree == 'D' {
			gone++
			continue
		}
		p, err := e.locate(ctx, filepath.Join(repository.Top(), filepath.FromSlash(entry.Path)))
		if err != nil {
			hidden++ // from tools, or not a file
			continue
		}
		if len(places) == mostPaths {
			left++
			continue
		}
		places = append(places, p)
	}
	switch {
	case incomplete:
		r.partial = true
		r.notes = append(r.notes, "git has found more changed files than it lists")
	case len(changed) == 0:
		r.notes = append(r.notes, "git knows of no changed files")
	case len(places) == 0 && gone == len(changed):
		r.notes = append(r.notes, "all "+count(gone, "changed file")+" are deleted")
	}
	if left > 0 {
		r.partial = true
		r.notes = append(r.notes, "only the first "+number(mostPaths)+" changed files were looked at; "+number(left)+" were left out")
	}
	if hidden > 0 {
		r.partial = true
		r.notes = append(r.notes, count(hidden, "changed file")+" cannot be looked at: hidden from tools, or not a regular file")
	}
	return places, nil
}
