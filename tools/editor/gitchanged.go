package editor

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// gitChanged returns the files that git reports as changed, at most maxPaths. Filters and hooks of the repository are not run.
func (e *Editor) gitChanged(ctx context.Context, r *report) ([]projectFile, error) {
	repository, err := git.Open(ctx, e.real[0])
	if errors.Is(err, git.ErrNoGit) {
		return nil, invalid("name the paths instead", "scope changed needs git, which is not installed")
	}
	var changed []git.Entry
	if err == nil {
		_, changed, err = repository.Status(ctx, true)
	}
	if unsafe, refused := errors.AsType[*git.Unsafe](err); refused {
		return nil, invalid("name the paths instead. "+unsafe.Next, "git was not run in the project: %v", err)
	}
	incomplete := errors.Is(err, git.ErrTooMuch)
	if err != nil && !incomplete {
		return nil, invalid("name the paths instead", "git cannot list the changes of the project: %v", err)
	}
	settings, err := repository.Settings(ctx)
	if err != nil {
		return nil, invalid("name the paths instead", "git cannot list the changes of the project: %v", err)
	}
	if len(settings.Filters) > 0 {
		r.notes = append(r.notes, "files with the filter "+truncate.Line(strings.Join(settings.Filters, ", "), 200)+" may count as changed although they are not: the repository names a program for it, which is not run")
	}
	places := []projectFile{}
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
		if len(places) == maxPaths {
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
		r.notes = append(r.notes, "git reports no changed files")
	case len(places) == 0 && gone == len(changed):
		r.notes = append(r.notes, "all "+plural.Count(gone, "changed file")+" are deleted")
	}
	if left > 0 {
		r.partial = true
		r.notes = append(r.notes, "only the first "+number(maxPaths)+" changed files were checked; "+number(left)+" were left out")
	}
	if hidden > 0 {
		r.partial = true
		r.notes = append(r.notes, plural.Count(hidden, "changed file")+" cannot be checked: hidden from tools, or not a regular file")
	}
	return places, nil
}
