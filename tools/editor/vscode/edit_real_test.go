//go:build linux

package vscode_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func documents(s *session) {
	notes := s.path("notes.txt")
	if _, open, err := s.vscode.Document(s.Context(), notes); err != nil || open {
		s.Fatalf("before it is shown: open %v, %v", open, err)
	}
	if _, ok, err := s.vscode.Active(s.Context()); err != nil || ok {
		s.Fatalf("nothing is shown: %v, %v", ok, err)
	}
	s.show("notes.txt", ptr(at(2, 3)))
	active, ok, err := s.vscode.Active(s.Context())
	if want := (adapter.Active{Path: notes, Version: 1, Cursor: at(2, 3)}); err != nil || !ok || active != want {
		s.Fatalf("%+v, %v, %v", active, ok, err)
	}
	doc := s.document("notes.txt")
	if doc.Text != "one\ntwo\nthree\n" || doc.Language != "plaintext" || doc.Dirty {
		s.Errorf("%+v", doc)
	}
	begin := time.Now()
	after := s.edit(doc, between(1, 1, 1, 4), "𝟙", true)
	s.Logf("edited and saved in %s", time.Since(begin).Round(time.Millisecond))
	if after.Text != "𝟙\ntwo\nthree\n" || after.Dirty || s.onDisk("notes.txt").Text != after.Text {
		s.Errorf("%+v", after)
	}
	if _, err := s.vscode.Edit(s.Context(), notes, doc.Version, nil, false); !errors.Is(err, adapter.ErrStale) {
		s.Errorf("an old version: %v", err)
	}
	after = s.edit(after, between(1, 1, 1, 3), "one", false) // two code units
	if after.Text != "one\ntwo\nthree\n" || !after.Dirty {
		s.Errorf("%+v", after)
	}
	if _, _, err := s.vscode.Document(s.Context(), "/etc/passwd"); !errors.Is(err, adapter.ErrNotRunning) {
		s.Errorf("outside: %v", err)
	}
}

func typing(s *session) {
	s.show("notes.txt", ptr(at(3, 6)))
	before := s.document("notes.txt")
	s.page.write(" typed by the user")
	eventually(s.T, 10*time.Second, func() error {
		if !strings.Contains(s.document("notes.txt").Text, "three typed by the user") {
			return errors.New(s.document("notes.txt").Text)
		}
		return nil
	})
	if _, err := s.vscode.Edit(s.Context(), before.Path, before.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "lost"}}, true); !errors.Is(err, adapter.ErrStale) {
		s.Errorf("over what was typed: %v", err)
	}
	doc := s.document("notes.txt")
	if !doc.Dirty || strings.Contains(s.onDisk("notes.txt").Text, "typed") {
		s.Errorf("%+v", doc)
	}
	both, err := s.vscode.Edit(s.Context(), doc.Path, doc.Version, []adapter.TextEdit{
		{Range: between(1, 1, 1, 4), NewText: "ONE"}, {Range: between(2, 1, 2, 4), NewText: "TWO"},
	}, false)
	if err != nil || both.Text != "ONE\nTWO\nthree typed by the user\n" {
		s.Fatalf("%+v, %v", both, err)
	}
	s.page.press("KeyZ", 90, control) // one step
	eventually(s.T, 10*time.Second, func() error {
		if got := s.document("notes.txt").Text; got != "one\ntwo\nthree typed by the user\n" {
			return errors.New(got)
		}
		return nil
	})
	s.edit(s.document("notes.txt"), between(1, 1, 1, 1), "", true)
	racing(s)
}

// racing lets the user and the tools write into a document at the same time: each edit is made or refused, and nothing is lost.
func racing(s *session) {
	const rounds = 40
	s.show("notes.txt", ptr(at(3, 1)))
	made := 0
	for round := range rounds {
		doc := s.document("notes.txt")
		result := make(chan error, 1)
		go func() {
			_, err := s.vscode.Edit(context.Background(), doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "#"}}, false)
			result <- err
		}()
		var err error
		if round%4 == 0 { // in this order for once
			err = <-result
			s.page.write("@")
		} else {
			s.page.write("@")
			err = <-result
		}
		switch {
		case err == nil:
			made++
		case !errors.Is(err, adapter.ErrStale):
			s.Fatal(err)
		}
	}
	s.Logf("%d of %d edits were in time", made, rounds)
	if made == 0 {
		s.Error("no edit was made")
	}
	begin := time.Now()
	s.edit(s.document("notes.txt"), between(1, 1, 1, 1), "", true)
	s.Logf("read, edited and saved in %s", time.Since(begin).Round(time.Millisecond))
	eventually(s.T, 10*time.Second, func() error {
		got := s.document("notes.txt").Text
		if want := strings.Repeat("#", made) + "one\ntwo\n" + strings.Repeat("@", rounds) + "three typed by the user\n"; got != want {
			return errors.New(got)
		}
		return nil
	})
}
