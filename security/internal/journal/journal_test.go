package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
)

func newStore(t *testing.T) journal.Store {
	t.Helper()
	return journal.Store{State: t.TempDir(), Durability: rootfs.Process, Log: slog.New(slog.DiscardHandler)}
}

// newRecord returns the record of a change of one file in a project, whose former content is "old".
func newRecord(project string) *journal.Record {
	sum := sha256.Sum256([]byte("old"))
	return &journal.Record{Name: "rename", Started: time.Now().UTC(), Steps: []journal.Step{{Kind: journal.Write, Root: project, Path: "dir/file", Old: hex.EncodeToString(sum[:]), Size: 3}}}
}

func create(t *testing.T, s journal.Store, record *journal.Record) *journal.Journal {
	t.Helper()
	j, err := s.Create(record, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err })
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournal_TakenOver(t *testing.T) {
	s, project := newStore(t), t.TempDir()
	j := create(t, s, newRecord(project))
	l, err := s.List(journal.ProjectDir(project))
	if err != nil || len(l.IDs) != 1 || len(l.Notices) != 0 {
		t.Fatalf("%v, %v", l, err)
	}
	if dirs := s.Projects(); !slices.Equal(dirs, []string{journal.ProjectDir(project)}) {
		t.Errorf("the projects are %v", dirs)
	}
	other, err := s.Open(l.IDs[0])
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := other.Lock(); locked || err != nil || !other.OwnerLives() {
		t.Errorf("the journal of a living process was locked: %v, %v", locked, err)
	}
	j.Release() // as the death of the process does
	if locked, err := other.Lock(); !locked || err != nil {
		t.Fatalf("the journal of a dead process cannot be locked: %v", err)
	}
	defer other.Release()
	if err := other.Read(); err != nil || other.Record.Name != "rename" || len(other.Record.Steps) != 1 || other.Record.Steps[0].Path != "dir/file" {
		t.Fatalf("%+v, %v", other.Record, err)
	}
	if content, err := other.Content(0); err != nil || string(content) != "old" {
		t.Errorf("the former content is %q, %v", content, err)
	}
	if other.HasNotice() {
		t.Error("a new journal has a notice")
	}
	if other.MarkNotice(); !other.HasNotice() {
		t.Error("the mark is not found")
	}
	other.End()
	if err := other.Read(); !errors.Is(err, os.ErrNotExist) || other.HasNotice() {
		t.Errorf("the journal is left: %v", err)
	}
}

// TestRead_Damaged changes single bytes of a journal, and cuts it.
func TestRead_Damaged(t *testing.T) {
	s, project := newStore(t), t.TempDir()
	j := create(t, s, newRecord(project))
	defer j.Release()
	text, err := os.ReadFile(j.File())
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func([]byte) []byte{
		"empty":        func([]byte) []byte { return nil },
		"cut":          func(b []byte) []byte { return b[:len(b)-1] },
		"record":       func(b []byte) []byte { b[10] ^= 1; return b },
		"digest":       func(b []byte) []byte { b[len(b)-20] ^= 1; return b },
		"length":       func(b []byte) []byte { b[len(b)-48] = 0xff; return b },
		"magic number": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	} {
		if err := os.WriteFile(j.File(), change(bytes.Clone(text)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := j.Read(); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	text[0] ^= 1 // the former content
	if err := os.WriteFile(j.File(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := j.Read(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Content(0); !errors.Is(err, journal.ErrDamaged) || !j.Damaged {
		t.Errorf("a former content with another digest: %v", err)
	}
	kept, err := j.SetAside()
	if err != nil || !strings.HasSuffix(kept, ".damaged") {
		t.Errorf("%s, %v", kept, err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// TestRead_Steps encodes steps that no change has.
func TestRead_Steps(t *testing.T) {
	s, project := newStore(t), t.TempDir()
	good := newRecord(project).Steps[0]
	for what, change := range map[string]func(*journal.Step){
		"relative root":         func(s *journal.Step) { s.Root = "project" },
		"path outside":          func(s *journal.Step) { s.Path = "../file" },
		"the project":           func(s *journal.Step) { s.Path = "." },
		"content behind":        func(s *journal.Step) { s.Size = 4 },
		"negative offset":       func(s *journal.Step) { s.Offset = -1 },
		"directory beside":      func(s *journal.Step) { s.Kind, s.Dirs = journal.Create, []string{"other"} },
		"move to nowhere":       func(s *journal.Step) { s.Kind = journal.Move },
		"trash outside":         func(s *journal.Step) { s.Kind, s.ToRoot, s.To = journal.Trash, s.Root, "file" },
		"kind that is not made": func(s *journal.Step) { s.Kind = 9 },
	} {
		record := newRecord(project)
		record.Steps[0] = good
		change(&record.Steps[0])
		if what == "relative root" {
			record.Steps = append([]journal.Step{good}, record.Steps...)
		}
		j := create(t, s, record)
		if err := j.Read(); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		j.Release()
	}
}

func TestCreate_FailureLeavesNothing(t *testing.T) {
	s, project, failure := newStore(t), t.TempDir(), errors.New("disk failed")
	if _, err := s.Create(newRecord(project), func(io.Writer) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(filepath.Join(s.State, journal.ProjectDir(project)))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestList_Exposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories have no mode")
	}
	s, project := newStore(t), t.TempDir()
	create(t, s, newRecord(project)).Release()
	dir := filepath.Join(s.State, journal.ProjectDir(project))
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	l, err := s.List(journal.ProjectDir(project))
	exposed, ok := errors.AsType[*journal.ExposedError](err)
	if !ok || len(l.IDs) != 0 || exposed.Dir != dir || !exposed.Owned || !exposed.Journals || exposed.Error() == "" {
		t.Errorf("%v, %+v", l, err)
	}
	if _, err := s.Create(newRecord(project), func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a journal in a directory of other users: %v", err)
	}
}

func TestNotices(t *testing.T) {
	s, project := newStore(t), t.TempDir()
	j := create(t, s, newRecord(project))
	defer j.Release()
	long := strings.Repeat("é", journal.MaxNotice)
	if err := s.WriteNotice(j.Dir(), j, long); err != nil {
		t.Fatal(err)
	}
	l, err := s.List(j.Dir())
	if err != nil || len(l.Notices) != 1 {
		t.Fatalf("%v, %v", l, err)
	}
	text, ok := s.TakeNotice(l.Notices[0])
	if !ok || len(text) > journal.MaxNotice || !strings.HasPrefix(long, text) {
		t.Errorf("a notice of %d bytes, %v", len(text), ok)
	}
	if _, ok := s.TakeNotice(l.Notices[0]); ok {
		t.Error("a notice was taken twice")
	}
}

func TestEnd_LogsNothing(t *testing.T) {
	s, project := newStore(t), t.TempDir()
	var log bytes.Buffer
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	j := create(t, s, newRecord(project))
	j.End()
	j.End()
	j.Release()
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
}
