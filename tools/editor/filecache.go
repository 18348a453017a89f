package editor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/symbols"
)

// fileCache resolves the locations of an adapter's answer. Each file is resolved and read once.
type fileCache struct {
	e       *Editor
	known   map[string]*cachedFile // by the path in the answer
	outside int                    // number of locations in files outside of the project
	cut     bool                   // the answer had too many locations
}

// cachedFile is a file of a location.
type cachedFile struct {
	place  *projectFile // nil if tools may not read it
	hidden bool         // the file is in the project, but tools may not read it
	read   bool
	doc    *document // nil if it cannot be read
	text   *adapter.Text
	parsed bool
	source *symbols.File // nil if no parser reads the file
}

func (s *fileCache) file(ctx context.Context, path string) *cachedFile {
	if f, ok := s.known[path]; ok {
		return f
	}
	if s.known == nil {
		s.known = make(map[string]*cachedFile)
	}
	f := new(cachedFile)
	p, err := s.e.locateAdapterPath(ctx, path)
	if err == nil {
		f.place = &p
	}
	if known, ok := securityError(err); ok {
		f.hidden = known.Reason != security.OutsideProjectRoot && known.Reason != security.PathTraversal
	}
	s.known[path] = f
	return f
}

func (s *fileCache) place(ctx context.Context, path string) *projectFile {
	return s.file(ctx, path).place
}

// lines returns the text of a file, or nil.
func (s *fileCache) lines(ctx context.Context, p *projectFile) *adapter.Text {
	f := s.file(ctx, p.abs)
	if !f.read {
		f.read = true
		if doc, err := s.e.openDocument(ctx, p.path); err == nil {
			f.doc, f.text = doc, adapter.NewText(doc.text.Content)
		}
	}
	return f.text
}

// symbols returns the declarations of a file by the parsers, or nil.
func (s *fileCache) symbols(ctx context.Context, p *projectFile) *symbols.File {
	f := s.file(ctx, p.abs)
	if s.lines(ctx, p); !f.parsed && f.doc != nil {
		f.parsed = true
		f.source, _ = s.e.parseDocument(ctx, f.doc)
	}
	return f.source
}

// sorted returns the locations sorted and without duplicates, and counts those outside of the project.
func (s *fileCache) sorted(ctx context.Context, found []adapter.Location) []adapter.Location {
	s.cut = len(found) > maxLocations
	found = slices.Clone(found[:min(len(found), maxLocations)])
	for i := range found {
		found[i].Range = normalizeRange(found[i].Range)
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

// definition returns a declaration with its code. The code of files outside of the project is not read.
func (s *fileCache) definition(ctx context.Context, l adapter.Location, room int) (Definition, bool) {
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
	if symbols, err := s.e.documentSymbols(ctx, s.file(ctx, f.place.abs).doc); err == nil {
		for _, symbol := range symbols { // Inner symbols follow outer symbols.
			if at := normalizeRange(symbol.Selection); !l.Range.Start.Before(at.Start) && !at.End.Before(l.Range.Start) {
				whole, d.Kind = normalizeRange(symbol.Location.Range), truncate.Cut(symbol.Kind, maxName)
			}
		}
	}
	d.StartLine, d.EndLine = min(whole.Start.Line, text.Lines()), min(whole.End.Line, text.Lines())
	var b strings.Builder
	for n := d.StartLine; n <= d.EndLine && n < d.StartLine+maxCodeLines; n++ {
		line := truncate.Cut(text.Line(n), maxLine) + "\n"
		if b.Len()+len(line) > room && b.Len() > 0 {
			break
		}
		b.WriteString(line)
	}
	d.Code = b.String()
	return d, true
}
