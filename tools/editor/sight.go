package editor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// sight looks at the places that an adapter has answered: each file once.
type sight struct {
	e       *Editor
	known   map[string]*seenFile // by the paths that were answered
	outside int                  // places in files that are not of the project
	cut     bool                 // there were too many places
}

// seenFile is a file at which places are.
type seenFile struct {
	place  *place // nil if tools may not see it
	hidden bool   // it is in the project, and may not be seen
	read   bool
	doc    *document // nil if it cannot be read
	text   *adapter.Text
}

func (s *sight) file(ctx context.Context, path string) *seenFile {
	if f, ok := s.known[path]; ok {
		return f
	}
	if s.known == nil {
		s.known = make(map[string]*seenFile)
	}
	f := new(seenFile)
	p, err := s.e.foreign(ctx, path)
	if err == nil {
		f.place = &p
	}
	if known, ok := asSecurity(err); ok {
		f.hidden = known.Reason != security.OutsideProjectRoot && known.Reason != security.PathTraversal
	}
	s.known[path] = f
	return f
}

func (s *sight) place(ctx context.Context, path string) *place { return s.file(ctx, path).place }

// lines is the text of a file, or nil.
func (s *sight) lines(ctx context.Context, p *place) *adapter.Text {
	f := s.file(ctx, p.abs)
	if !f.read {
		f.read = true
		if doc, err := s.e.read(ctx, p.path); err == nil {
			f.doc, f.text = doc, adapter.NewText(doc.text.Content)
		}
	}
	return f.text
}

// sorted puts places in order, each once, and counts those outside.
func (s *sight) sorted(ctx context.Context, found []adapter.Location) []adapter.Location {
	s.cut = len(found) > mostLocations
	found = slices.Clone(found[:min(len(found), mostLocations)])
	for i := range found {
		found[i].Range = orderly(found[i].Range)
		if p := s.place(ctx, found[i].Path); p != nil {
			found[i].Path = p.abs
		}
	}
	slices.SortFunc(found, func(a, b adapter.Location) int {
		switch {
		case a.Path != b.Path:
			return strings.Compare(a.Path, b.Path)
		case a.Range.Start == b.Range.Start:
			return 0
		case a.Range.Start.Before(b.Range.Start):
			return -1
		}
		return 1
	})
	found = slices.CompactFunc(found, func(a, b adapter.Location) bool { return a.Path == b.Path && a.Range.Start == b.Range.Start })
	for _, l := range found {
		if s.place(ctx, l.Path) == nil {
			s.outside++
		}
	}
	return found
}

// definition shows a declaration. One outside of the project is named and not shown: it may be in a library.
func (s *sight) definition(ctx context.Context, l adapter.Location, room int) (Definition, bool) {
	d := Definition{Line: l.Range.Start.Line, Column: l.Range.Start.Column}
	f := s.file(ctx, l.Path)
	if f.place == nil {
		d.Path, d.Outside = truncate.Cut(filepath.ToSlash(l.Path), maxLine), true
		return d, !f.hidden && filepath.IsAbs(l.Path)
	}
	d.Path = f.place.path
	text := s.lines(ctx, f.place)
	if text == nil {
		return d, true
	}
	whole := l.Range
	if symbols, err := s.e.declared(ctx, s.file(ctx, f.place.abs).doc); err == nil {
		for _, symbol := range symbols { // those inside come behind those around
			if at := orderly(symbol.Selection); !l.Range.Start.Before(at.Start) && !at.End.Before(l.Range.Start) {
				whole, d.Kind = orderly(symbol.Location.Range), truncate.Cut(symbol.Kind, maxName)
			}
		}
	}
	d.StartLine, d.EndLine = min(whole.Start.Line, text.Lines()), min(whole.End.Line, text.Lines())
	var b strings.Builder
	for n := d.StartLine; n <= d.EndLine && n < d.StartLine+mostCode; n++ {
		line := truncate.Cut(text.Line(n), maxLine) + "\n"
		if b.Len()+len(line) > room && b.Len() > 0 {
			break
		}
		b.WriteString(line)
	}
	d.Code = b.String()
	return d, true
}
