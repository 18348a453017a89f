package editor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// survey asks one adapter after another what is wrong, each about the files that those before it do not know.
type survey struct {
	e      *Editor
	report *report
	wait   time.Duration
	places []place // what is still to be asked for; nil for the whole project

	seen     map[string]*place // of paths that adapters have answered; nil for those that are nobody's business
	found    map[string]string // who has found what
	outside  int
	answered bool
	failure  error
	before   map[place]string // the digests of a few files
}

func (s *survey) run(ctx context.Context) error {
	whole := s.places == nil
	s.report.fresh = true
	s.identify(ctx)
	for a, d := range able[adapter.Diagnoser](s.e, nil) {
		mine := s.covered(a.State())
		if !whole && len(mine) == 0 {
			continue
		}
		found, err := s.ask(ctx, a, d, mine)
		if passes(err) {
			continue
		}
		if err != nil {
			s.failure = err
			s.report.fresh = false
			s.report.notes = append(s.report.notes, shown(err.Error()))
			continue
		}
		s.answered = true
		s.add(ctx, a.Name(), found, mine)
		// An editor may know only what it has open: then the next one is asked as well.
		if whole && found.Fresh || !whole && len(s.places) == 0 {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return failed(codeLanguageServer, "finding out what is wrong", ctx.Err())
	case !s.answered && s.failure != nil:
		return failed(codeLanguageServer, "finding out what is wrong", s.failure)
	case !s.answered:
		var p *place
		if !whole {
			p = &s.places[0]
		}
		return missing[adapter.Diagnoser](s.e, codeNoLanguageServer, "find out what is wrong", p)
	}
	for i, p := range s.places {
		if i == 5 {
			s.note("and " + count(len(s.places)-i, "file") + " more")
			break
		}
		s.note("nobody knows how to look at " + p.path)
	}
	if s.outside > 0 {
		s.note(count(s.outside, "diagnostic") + " of files that are not in the project or hidden")
	}
	return nil
}

// identify notes what a few files hold before they are looked at, so that a change of them can tell which errors it has brought.
func (s *survey) identify(ctx context.Context) {
	if len(s.places) > mostFeedback {
		return
	}
	s.before = make(map[place]string)
	for _, p := range s.places {
		if d, err := s.e.read(ctx, p.path); err == nil && (d.buffer == nil || !d.buffer.dirty) {
			s.before[p] = d.sha256
		}
	}
}

func (s *survey) note(text string) { s.report.notes = append(s.report.notes, text) }

// covered are the files that are the business of an adapter.
func (s *survey) covered(state adapter.State) []place {
	var mine []place
	for _, p := range s.places {
		if covers(state, p) {
			mine = append(mine, p)
		}
	}
	return mine
}

// ask asks an adapter. One that has no answer in time has none that is fresh.
func (s *survey) ask(ctx context.Context, a adapter.Adapter, d adapter.Diagnoser, mine []place) (adapter.Diagnostics, error) {
	var paths []string
	for _, p := range mine {
		paths = append(paths, p.abs)
	}
	return askAgain(ctx, s.e, a, s.wait, func(ctx context.Context) (adapter.Diagnostics, error) {
		found, err := d.Diagnose(ctx, paths)
		if err != nil && ctx.Err() != nil {
			return adapter.Diagnostics{Notes: []string{a.Name() + " has not answered in time; call again with a longer waitMs"}}, nil
		}
		return found, err
	})
}

// add takes what an adapter has found, and what it has looked at off the list.
func (s *survey) add(ctx context.Context, from string, found adapter.Diagnostics, mine []place) {
	r := s.report
	r.fresh = r.fresh && found.Fresh
	const most = 10
	for _, note := range found.Notes[:min(len(found.Notes), most)] {
		s.note(shown(note))
	}
	for i, d := range found.Items {
		if len(r.all) == mostItems {
			s.note(fmt.Sprintf("%d more diagnostics were left out", len(found.Items)-i))
			break
		}
		if p := s.place(ctx, d.Path); p == nil {
			s.outside++
		} else if len(mine) == 0 || slices.Contains(mine, *p) {
			s.find(*p, from, d)
		}
	}
	s.places = slices.DeleteFunc(s.places, func(p place) bool {
		done := slices.Contains(mine, p) && (found.Covered == nil || slices.Contains(found.Covered, p.abs) || slices.Contains(found.Covered, p.nominal))
		if sha256, ok := s.before[p]; ok && done && found.Fresh {
			s.e.known.put(p.abs, errorsOf(p, sha256, found.Items))
		}
		return done
	})
}

// find adds a diagnostic, unless an adapter before has found the same.
func (s *survey) find(p place, from string, d adapter.Diagnostic) {
	key := fmt.Sprintf("%s\x00%v\x00%s\x00%s", p.abs, d.Range, d.Severity, d.Message)
	if by, ok := s.found[key]; ok && by != from {
		return
	}
	if s.found == nil {
		s.found = make(map[string]string)
	}
	s.found[key] = from
	s.report.all = append(s.report.all, s.e.finding(p, from, d))
}

// place finds a file that an adapter has named; nil if tools may not see it.
func (s *survey) place(ctx context.Context, path string) *place {
	if p, ok := s.seen[path]; ok {
		return p
	}
	var found *place
	if p, err := s.e.foreign(ctx, path); err == nil {
		found = &p
	} else if hasCode(err, security.InternalError) {
		s.e.log.Debug("a diagnostic of no file", "error", err)
	}
	s.seen[path] = found
	return found
}
