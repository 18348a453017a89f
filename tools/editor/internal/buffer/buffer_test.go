package buffer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
)

// described is a buffer of a session in memory.
type described buffer.Buffer

func (d described) Describe() buffer.Buffer { return buffer.Buffer(d) }

// session is an editor with one buffer.
type session struct {
	buffer  described
	err     error // of each call
	unsaved []string
}

func (s *session) Document(context.Context, string) (described, bool, error) {
	return s.buffer, s.buffer.ID != nil, s.err
}

func (s *session) Process() int { return 0 }

func (s *session) Unsaved(context.Context) ([]string, error) { return s.unsaved, s.err }

func (s *session) Change(_ context.Context, _ string, before described, text string, save bool) (described, error) {
	s.buffer = before
	s.buffer.Text, s.buffer.Dirty = text, !save
	s.buffer.Tick++
	return s.buffer, s.err
}

func at(line, column int) adapter.Position { return adapter.Position{Line: line, Column: column} }

func TestDocuments_Read(t *testing.T) {
	broken := errors.New("it is busy")
	with := func(id int, editable, dirty bool) *session {
		return &session{buffer: described{ID: id, Tick: 1, Ending: "\n", Text: strconv.Itoa(id), Editable: editable, Dirty: dirty}}
	}
	for name, tt := range map[string]struct {
		sessions []*session
		want     string // the text; empty if no document is open
		err      error
	}{
		"no session":                {nil, "", nil},
		"no buffer":                 {[]*session{{}}, "", nil},
		"the first editable":        {[]*session{with(1, false, false), with(2, true, false), with(3, true, false)}, "2", nil},
		"the first with changes":    {[]*session{with(1, true, false), with(2, true, true), with(3, true, false)}, "2", nil},
		"a failure before a buffer": {[]*session{{err: broken}, with(2, true, false)}, "2", broken},
		"a failure after changes":   {[]*session{with(1, true, true), {err: broken}}, "1", broken},
		"a failure alone":           {[]*session{{err: broken}, {}}, "", broken},
	} {
		d := buffer.NewDocuments[*session]("Pager", slog.New(slog.DiscardHandler), nil)
		doc, open, err := d.Read(t.Context(), "/f", tt.sessions)
		if doc.Text != tt.want || open != (tt.want != "") || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %v, %v", name, doc, open, err)
		}
	}
}

func TestDocuments_Read_DifferentTexts(t *testing.T) {
	with := func(text string) *session {
		return &session{buffer: described{ID: 1, Tick: 1, Ending: "\n", Text: text, Editable: true, Dirty: true}}
	}
	d := buffer.NewDocuments[*session]("Pager", slog.New(slog.DiscardHandler), nil)
	if doc, _, err := d.Read(t.Context(), "/f", []*session{with("a"), with("a")}); err != nil || doc.Text != "a" {
		t.Errorf("equal texts: %+v, %v", doc, err)
	}
	_, _, err := d.Read(t.Context(), "/f", []*session{with("a"), with("b")})
	if busy, ok := errors.AsType[*security.Error](err); !ok || busy.Code != security.FileBusy || !strings.Contains(busy.Message, "different unsaved texts") {
		t.Errorf("different texts: %v", err)
	}
}

func TestDocuments_Unsaved(t *testing.T) {
	d := buffer.NewDocuments[*session]("Pager", slog.New(slog.DiscardHandler), nil)
	busy, ended := errors.New("it is busy"), fmt.Errorf("gone: %w", adapter.ErrNotRunning)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	got, err := d.Unsaved(t.Context(), []*session{{unsaved: []string{b, "relative", a}}, {err: busy}, {err: ended}, {unsaved: []string{a}}})
	if !slices.Equal(got, []string{a, b}) || !errors.Is(err, busy) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := d.Unsaved(t.Context(), []*session{{err: ended}}); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDocuments_Edit(t *testing.T) {
	var log bytes.Buffer
	d := buffer.NewDocuments[*session]("Pager", slog.New(slog.NewTextHandler(&log, nil)), nil)
	s := &session{buffer: described{ID: 1, Tick: 3, Ending: "\n", Text: "one\n", Editable: true, Trouble: "the disk is full"}}
	edits := []adapter.TextEdit{{Range: adapter.Range{Start: at(1, 1), End: at(1, 4)}, NewText: "two"}}
	if _, err := d.Edit(t.Context(), "/f", 3, edits, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("a document that was not read: %v", err)
	}
	if _, _, err := d.Read(t.Context(), "/f", []*session{s}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit(t.Context(), "/f", 2, edits, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("another version: %v", err)
	}
	doc, err := d.Edit(t.Context(), "/f", 3, edits, false)
	if err != nil || doc.Text != "two\n" || doc.Version != 4 || !doc.Dirty || doc.SaveError != "the disk is full" {
		t.Errorf("%+v, %v", doc, err)
	}
	if !strings.Contains(log.String(), "Pager has not saved a file") || !strings.Contains(log.String(), "the disk is full") {
		t.Errorf("the log has %q", &log)
	}
	s.buffer.ID = 2
	if _, err := d.Edit(t.Context(), "/f", 4, edits, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("another buffer: %v", err)
	}
	s.buffer.ID = 1
	d.Forget(s)
	if _, err := d.Edit(t.Context(), "/f", 4, edits, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("a session that has ended: %v", err)
	}
}

func TestView_Active(t *testing.T) {
	for name, tt := range map[string]struct {
		view buffer.View
		want adapter.Active
		err  bool
	}{
		"a cursor":         {buffer.View{Path: "relative", Tick: -1, Cursor: buffer.Point{1, 2}}, adapter.Active{Cursor: at(2, 3)}, false},
		"no cursor":        {buffer.View{}, adapter.Active{}, true},
		"a negative row":   {buffer.View{Cursor: buffer.Point{-1, 0}}, adapter.Active{}, true},
		"a large column":   {buffer.View{Cursor: buffer.Point{0, 1<<30 + 1}}, adapter.Active{}, true},
		"an end too early": {buffer.View{Cursor: buffer.Point{0, 0}, Start: buffer.Point{1, 0}, Stop: buffer.Point{0, 9}}, adapter.Active{}, true},
		"no end":           {buffer.View{Cursor: buffer.Point{0, 0}, Start: buffer.Point{1, 0}}, adapter.Active{}, true},
	} {
		got, err := tt.view.Active()
		if got != tt.want || (err != nil) != tt.err {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	selected, err := buffer.View{Cursor: buffer.Point{0, 0}, Start: buffer.Point{0, 1}, Stop: buffer.Point{2, 0}}.Active()
	if want := (adapter.Range{Start: at(1, 2), End: at(3, 1)}); err != nil || selected.Selection == nil || *selected.Selection != want {
		t.Errorf("%+v, %v", selected, err)
	}
	if _, err := buffer.PointOf(at(0, 1)); err == nil || !strings.Contains(err.Error(), "both count from 1") {
		t.Errorf("line 0: %v", err)
	}
}
