package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// gap is a plugin whose index does not have all files as they are now.
type gap struct {
	*documents
	reason string // continues a sentence that begins with "the index"
	// compare says that files in the index may have changed since.
	compare bool
	// err is the error of an index that does not answer; nil for an index that answers.
	err error
}

// gaps are the plugins whose index is missing, being built, empty, damaged, or could not be brought up to date.
func (s *Search) gaps() []gap {
	var all []gap
	for _, d := range s.documents {
		if g, ok := d.gap(); ok {
			all = append(all, g)
		}
	}
	return all
}

func (d *documents) gap() (g gap, ok bool) {
	status := d.Status()
	g = gap{documents: d}
	switch {
	case status.State == plugin.Failed:
		g.reason, g.compare = "could not be brought up to date", true
		if status.Error != "" {
			g.reason += " (" + truncate.Line(status.Error, 200) + ")"
		}
	case status.State == plugin.Building && status.Total > 0:
		g.reason = fmt.Sprintf("is being built (%d of %d files are read)", status.Done, status.Total)
	case status.State == plugin.Building:
		g.reason = "is being built"
	case status.State == plugin.Empty:
		g.reason = "has not been built"
	case d.damaged.Load():
		g.reason, g.compare = "was damaged and is being repaired", true
	case status.Files == 0:
		g.reason = "has no files"
	default:
		return g, false
	}
	return g, true
}

// has reports whether the index has a file as it is now.
func (g *gap) has(ctx context.Context, e *security.WalkEntry) bool {
	if g.err != nil {
		return false
	}
	known, ok, err := g.Index().Lookup(ctx, e.Path())
	if err != nil || !ok || !g.compare {
		return err == nil && ok
	}
	info, err := e.Info(ctx)
	return err == nil && info.Size == known.Size && sameTime(info.ModTime, known.ModTime)
}

// describeGaps names the missing parts.
func describeGaps(gaps []gap) string {
	var reasons []string
	for _, g := range gaps {
		reasons = append(reasons, g.reason)
	}
	return "the index " + strings.Join(reasons, ", and the index of another plugin ")
}

// widen adds the plugins whose index has failed to the gaps, and has these indexes repaired in the background.
func (s *Search) widen(gaps []gap, failed []failure) []gap {
	var all []gap
	broken := make(map[*documents]bool)
	for _, f := range failed {
		if d := f.from.of; d != nil && !broken[d] {
			broken[d] = true
			all = append(all, gap{documents: d, reason: "does not answer (" + truncate.Line(f.err.Error(), 200) + ")", err: f.err})
			s.repair(d)
		}
	}
	for _, g := range gaps {
		if !broken[g.documents] {
			all = append(all, g)
		}
	}
	return all
}

// failedGap is the error of the first gap that has one.
func failedGap(gaps []gap) error {
	for _, g := range gaps {
		if g.err != nil {
			return g.err
		}
	}
	return nil
}

// repair has a plugin look for files that its index has lost. The plugin counts as damaged while it looks; a failed look is
// repeated with the next query that fails.
func (s *Search) repair(d *documents) {
	if d.damaged.Swap(true) || s.life.Err() != nil {
		return
	}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, renewTime)
		defer cancel()
		_, err := d.Refresh(ctx, plugin.RefreshOptions{})
		d.damaged.Store(false)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a search index that does not answer was not repaired", "plugin", d.name, "error", err)
		}
	})
}
