//go:build unix

package vscode_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

// hasCode reports whether an error has a code of package security.
func hasCode(err error, code security.Code) bool {
	known, ok := errors.AsType[*security.Error](err)
	return ok && known.Code == code
}

func TestDocument_UnsavedInTwoWindows(t *testing.T) {
	const same, different = `{"document":{"text":"a","version":2,"dirty":true}}`, `{"document":{"text":"b","version":3,"dirty":true}}`
	for name, c := range map[string]struct {
		second  string
		refused bool
	}{
		"the same text":  {same, false},
		"different text": {different, true},
		"saved text":     {`{"document":{"text":"b","version":3}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := rendezvous(t)
			(&fake{dir: dir, name: "first", folders: []string{"/project"}, answers: answers{"document": raw(same)}}).open(t)
			(&fake{dir: dir, name: "second", folders: []string{"/project"}, answers: answers{"document": raw(c.second)}}).open(t)
			v := connected(t, vscode.Options{Dir: dir})
			soon(t, "both windows are found", func() bool { return strings.HasSuffix(v.State().Detail, "2 windows") })
			doc, open, err := v.Document(t.Context(), file)
			if c.refused {
				if open || !hasCode(err, security.FileBusy) {
					t.Errorf("open %v, %v", open, err)
				}
				return
			}
			if err != nil || !open || doc.Text != "a" {
				t.Errorf("%+v, open %v, %v", doc, open, err)
			}
		})
	}
}

func TestDocument_OutsideOfFolders(t *testing.T) {
	const outside = "/elsewhere/notes.txt"
	v, f := one(t, answers{
		"unsaved":  raw(`{"paths":["` + outside + `","relative","/project/a.txt"]}`),
		"document": raw(`{"document":{"text":"a","version":2,"dirty":true}}`),
	})
	if _, _, err := v.Document(t.Context(), outside); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("before it is known: %v", err)
	}
	paths, err := v.Unsaved(t.Context())
	if want := []string{outside, "/project/a.txt"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("got %q, %v; want %q", paths, err, want)
	}
	if folders, want := v.State().Folders, []string{outside, "/project"}; !slices.Equal(folders, want) {
		t.Errorf("got %q, want %q", folders, want)
	}
	if doc, open, err := v.Document(t.Context(), outside); err != nil || !open || doc.Text != "a" {
		t.Errorf("%+v, open %v, %v", doc, open, err)
	}
	f.tell("window", map[string]any{"folders": []string{"/project"}})
	soon(t, "the document is saved", func() bool { return slices.Equal(v.State().Folders, []string{"/project"}) })
}

func TestUnsaved_WindowReloads(t *testing.T) {
	v, f := one(t, answers{"document": raw(`{"document":{"text":"a","version":2,"dirty":true}}`)})
	const outside = "/elsewhere/notes.txt"
	f.tell("window", map[string]any{"folders": []string{"/project"}, "unsaved": []string{file, outside}})
	soon(t, "the unsaved documents are known", func() bool { return slices.Contains(v.State().Folders, outside) })
	f.close()
	if _, _, err := v.Document(t.Context(), file); !hasCode(err, security.FileBusy) {
		t.Errorf("the document of the closing window: %v", err)
	}
	soon(t, "the window has gone", func() bool { return strings.Contains(v.State().Detail, "reloading") })
	if _, _, err := v.Document(t.Context(), file); !hasCode(err, security.FileBusy) {
		t.Errorf("the lost document: %v", err)
	}
	if paths, err := v.Unsaved(t.Context()); err != nil || !slices.Equal(paths, []string{outside, file}) {
		t.Errorf("%q, %v", paths, err)
	}
	if s := v.State(); !s.Running || !slices.Contains(s.Folders, file) {
		t.Errorf("%+v", s)
	}
	if _, _, err := v.Document(t.Context(), "/project/other.txt"); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("another document: %v", err)
	}

	// The window is there again, at first without the document.
	again := (&fake{dir: f.dir, name: "again", folders: []string{"/project"}, answers: answers{
		"document": raw(`{}`), "unsaved": raw(`{"paths":[]}`),
	}}).open(t)
	soon(t, "the window is found again", func() bool { return strings.HasSuffix(v.State().Detail, "1 window") })
	if _, _, err := v.Document(t.Context(), file); !hasCode(err, security.FileBusy) {
		t.Errorf("the document of the new window: %v", err)
	}
	again.tell("window", map[string]any{"folders": []string{"/project"}, "unsaved": []string{file}})
	soon(t, "the document is restored", func() bool {
		_, open, err := v.Document(t.Context(), file)
		return err == nil && !open
	})
}

// A window of another project can have a file of this project open.
func TestUnsaved_WindowOfOtherProject(t *testing.T) {
	const inside, secret = "/work/project/a.txt", "/work/secret/b.txt"
	dir := rendezvous(t)
	f := (&fake{dir: dir, folders: []string{"/work/secret"}, answers: answers{
		"unsaved":  raw(`{"paths":["` + inside + `","` + secret + `"]}`),
		"document": raw(`{"document":{"text":"a","version":2,"dirty":true}}`),
	}}).open(t)
	v := vscode.New(vscode.Options{Dir: dir, Root: "/work/project"})
	defer v.Close(context.Background())
	if paths, err := v.Unsaved(t.Context()); err != nil || !slices.Contains(paths, inside) {
		t.Errorf("%q, %v", paths, err)
	}
	if doc, open, err := v.Document(t.Context(), inside); err != nil || !open || doc.Text != "a" {
		t.Errorf("%+v, open %v, %v", doc, open, err)
	}
	if s := v.State(); s.Running {
		t.Errorf("the project is open: %+v", s)
	}
	f.close()
	soon(t, "the window has gone", func() bool { return strings.Contains(v.State().Detail, "reloading") })
	if paths, err := v.Unsaved(t.Context()); err != nil || !slices.Equal(paths, []string{inside}) {
		t.Errorf("after its end: %q, %v", paths, err)
	}
}

// A window that does not answer makes the result incomplete if it may have files of the project.
func TestUnsaved_WindowDoesNotAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		folder string
		want   bool
	}{"of the project": {"/project", true}, "of another project": {"/other", false}} {
		t.Run(name, func(t *testing.T) {
			dir := rendezvous(t)
			release := make(chan struct{})
			defer close(release)
			hang := func(json.RawMessage) (any, error) { <-release; return nil, nil }
			(&fake{dir: dir, name: "silent", folders: []string{tt.folder}, answers: answers{"unsaved": hang, "document": hang}}).open(t)
			(&fake{dir: dir, name: "clean", folders: []string{"/project"}, answers: answers{
				"unsaved":  raw(`{"paths":["` + file + `"]}`),
				"document": raw(`{"document":{"text":"a","version":2,"dirty":true}}`),
			}}).open(t)
			v := vscode.New(vscode.Options{Dir: dir, Root: "/project"})
			defer v.Close(context.Background())
			paths, err := v.Unsaved(t.Context())
			if !slices.Equal(paths, []string{file}) || (err != nil) != tt.want || tt.want && !strings.Contains(err.Error(), "does not answer") {
				t.Errorf("%q, %v", paths, err)
			}
			doc, open, err := v.Document(t.Context(), file)
			if !open || doc.Text != "a" || (err != nil) != tt.want {
				t.Errorf("%+v, %v, %v", doc, open, err)
			}
		})
	}
}

// Beyond the limit, each document may have unsaved text.
func TestUnsaved_TooManyDocuments(t *testing.T) {
	v, f := one(t, answers{"document": raw(`{}`)})
	var paths []string
	for i := range 1001 {
		paths = append(paths, "/project/"+strconv.Itoa(i))
	}
	reported, err := json.Marshal(map[string]any{"paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	f.answers["unsaved"] = raw(string(reported))
	if got, err := v.Unsaved(t.Context()); len(got) != 1000 || err == nil || !strings.Contains(err.Error(), "more than 1000") {
		t.Errorf("%d paths, %v", len(got), err)
	}
	f.close()
	soon(t, "the window has gone", func() bool { return strings.Contains(v.State().Detail, "reloading") })
	if _, _, err := v.Document(t.Context(), "/project/other.txt"); !hasCode(err, security.FileBusy) {
		t.Errorf("a document that was not reported: %v", err)
	}
	if got, err := v.Unsaved(t.Context()); len(got) != 1000 || err == nil {
		t.Errorf("%d paths, %v", len(got), err)
	}
	if s := v.State(); !s.Running || len(s.Folders) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestState_OtherMachines(t *testing.T) {
	for name, c := range map[string]struct {
		change func(map[string]any)
		want   string
	}{
		"the home directory is shared": {func(about map[string]any) { about["host"] = "box.example" }, "box.example"},
		"a remote folder": {func(about map[string]any) {
			about["folders"], about["foreign"] = []string{}, []string{"vscode-remote://ssh-remote+box/home/me/project"}
		}, "ssh-remote+box"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := rendezvous(t)
			f := &fake{dir: dir, folders: []string{"/project"}, t: t, name: "window"}
			f.describe(c.change)
			v := vscode.New(vscode.Options{Dir: dir, Root: "/project"})
			defer v.Close(t.Context())
			soon(t, "the state says so", func() bool { return strings.Contains(v.State().Detail, c.want) })
			if s := v.State(); s.Running || !strings.Contains(s.Start, "machine") {
				t.Errorf("%+v", s)
			}
			if err := v.Open(t.Context(), file, nil, false); !errors.Is(err, adapter.ErrNotRunning) {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) != 1 {
				t.Errorf("the description was removed: %q", left)
			}
		})
	}
}

func TestState_FurtherDirectories(t *testing.T) {
	dir := rendezvous(t)
	for _, folder := range []string{"/project", "/second/part", "/third"} {
		(&fake{dir: dir, name: filepath.Base(folder), folders: []string{folder}}).open(t)
	}
	v := connected(t, vscode.Options{Dir: dir, Root: "/project", Dirs: []string{"/second"}})
	soon(t, "two windows are found", func() bool { return strings.HasSuffix(v.State().Detail, "2 windows") })
	if folders, want := v.State().Folders, []string{"/project", "/second/part"}; !slices.Equal(folders, want) {
		t.Errorf("got %q, want %q", folders, want)
	}
}
