package logfile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/logfile"
)

func TestMain(m *testing.M) { testleak.Main(m) }

// records are the messages and attributes in a file, without times.
func records(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, ok := r["time"].(string); !ok {
			t.Errorf("%q has no time", line)
		}
		delete(r, "time")
		all = append(all, fmt.Sprint(r))
	}
	return all
}

func wantRecords(t *testing.T, name string, want ...string) {
	t.Helper()
	if got := records(t, name); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s holds %q, want %q", filepath.Base(name), got, want)
	}
}

func opened(t *testing.T, failed func(error), p *logfile.Place) *logfile.File {
	t.Helper()
	f := logfile.NewFile(failed)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := f.Use(p); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFile_ErrorFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.log")
	log := slog.New(opened(t, nil, &logfile.Place{Name: name, Max: 1 << 20, Keep: 1}))
	log.Debug("d")
	if _, err := os.Stat(filepath.Join(dir, "a.error.log")); err == nil {
		t.Error("there is a file for errors without an error")
	}
	log.With("x", 1).WithGroup("g").Error("e", "y", 2)
	wantRecords(t, name, "map[level:DEBUG msg:d]", "map[g:map[y:2] level:ERROR msg:e x:1]")
	wantRecords(t, filepath.Join(dir, "a.error.log"), "map[g:map[y:2] level:ERROR msg:e x:1]")
}

func TestFile_Rotates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.log")
	log := slog.New(opened(t, nil, &logfile.Place{Name: name, Max: 1, Keep: 2}))
	for i := range 4 {
		log.Info(fmt.Sprint(i))
	}
	for file, want := range map[string]string{name: "3", name + ".1": "2", name + ".2": "1"} {
		wantRecords(t, file, "map[level:INFO msg:"+want+"]")
	}
}

func TestFile_UseOtherDirectory(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "1.log"), filepath.Join(t.TempDir(), "2.log")
	f := logfile.NewFile(nil)
	log := slog.New(f).With("k", "v")
	log.Info("before there is a place")
	use := func(p *logfile.Place) {
		t.Helper()
		if err := f.Use(p); err != nil {
			t.Fatal(err)
		}
	}
	use(&logfile.Place{Name: one, Max: 1 << 20})
	log.Info("a")
	use(&logfile.Place{Name: two, Max: 1 << 20})
	log.Info("b")
	if err := f.Use(&logfile.Place{Name: filepath.Join(two, "c.log")}); err == nil {
		t.Error("a place in a file was taken")
	}
	log.Info("c")
	use(nil)
	log.Info("nowhere")
	wantRecords(t, one, "map[k:v level:INFO msg:a]")
	wantRecords(t, two, "map[k:v level:INFO msg:b]", "map[k:v level:INFO msg:c]")
}

func TestFile_FailureReportedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	name := filepath.Join(dir, "a.log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var told []error
	log := slog.New(opened(t, func(err error) { told = append(told, err) }, &logfile.Place{Name: name, Max: 1 << 20}))
	log.Info("first")
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("an open file cannot be removed here: ", err)
	}
	log.Info("lost")
	log.Info("lost too")
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log.Info("there again")
	wantRecords(t, name, "map[level:INFO msg:there again]", "map[level:WARN lost:2 msg:records before the last could not be written]")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	log.Info("lost")
	if len(told) != 2 {
		t.Errorf("told %v", told)
	}
}

func TestSwitch_Handlers(t *testing.T) {
	var a, b bytes.Buffer
	handler := func(w io.Writer) slog.Handler {
		return slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
			if at.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return at
		}})
	}
	s := logfile.NewSwitch()
	plain := slog.New(s)
	derived := plain.With("k", 1).WithGroup("g").With("l", 2)
	derived.Error("nowhere")
	for _, step := range []struct {
		level slog.Level
		to    []slog.Handler
		a, b  string
	}{
		{slog.LevelInfo, []slog.Handler{handler(&a)}, "level=INFO msg=info\nlevel=INFO msg=info k=1 g.l=2 g.m=3\n", ""},
		{slog.LevelInfo, []slog.Handler{handler(&a), handler(&b)}, "level=INFO msg=info\nlevel=INFO msg=info k=1 g.l=2 g.m=3\n", "level=INFO msg=info\nlevel=INFO msg=info k=1 g.l=2 g.m=3\n"},
		{slog.LevelDebug, []slog.Handler{handler(&b)}, "", "level=INFO msg=info\nlevel=INFO msg=info k=1 g.l=2 g.m=3\nlevel=DEBUG msg=debug k=1 g.l=2\n"},
		{slog.LevelWarn, []slog.Handler{handler(&b)}, "", ""},
		{slog.LevelDebug, nil, "", ""},
	} {
		a.Reset()
		b.Reset()
		s.Set(step.level, step.to...)
		plain.Info("info")
		derived.Info("info", "m", 3)
		derived.Debug("debug")
		if a.String() != step.a || b.String() != step.b {
			t.Errorf("level %v to %d: %q and %q", step.level, len(step.to), a.String(), b.String())
		}
	}
	s.Set(slog.LevelWarn, handler(&a))
	if err := derived.Handler().Handle(context.Background(), slog.Record{Level: slog.LevelInfo}); err != nil || a.Len() > 0 {
		t.Errorf("below the level: %q, %v", a.String(), err)
	}
}

// TestSwitch_ConcurrentReplacement checks that replacing handlers and files loses no concurrent record.
func TestSwitch_ConcurrentReplacement(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, func(err error) { t.Error(err) }, &logfile.Place{Name: filepath.Join(dir, "a.log"), Max: 1000, Keep: 1000})
	s := logfile.NewSwitch()
	s.Set(slog.LevelInfo, f)
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			log := slog.New(s).With("writer", i)
			for j := range 100 {
				log.Info(fmt.Sprintf("<%d-%d>", i, j))
			}
		})
	}
	for i := range 20 {
		s.Set(slog.LevelDebug-slog.Level(i), f)
		if err := f.Use(&logfile.Place{Name: filepath.Join(dir, fmt.Sprint(i%3, ".log")), Max: 1000, Keep: 1000}); err != nil {
			t.Error(err)
		}
	}
	writers.Wait()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for i := range 4 {
		for j := range 100 {
			if !strings.Contains(all.String(), fmt.Sprintf(`"\u003c%d-%d\u003e"`, i, j)) && !strings.Contains(all.String(), fmt.Sprintf("<%d-%d>", i, j)) {
				t.Errorf("record %d of writer %d is lost", j, i)
			}
		}
	}
}

func TestBelow(t *testing.T) {
	top := t.TempDir()
	dir, err := logfile.OpenBelow(top, filepath.Join(".program", "logs"))
	if err != nil {
		t.Fatal(err)
	}
	f := opened(t, nil, &logfile.Place{Name: "a.log", Dir: dir, Max: 1 << 20})
	slog.New(f).Info("x")
	wantRecords(t, filepath.Join(top, ".program", "logs", "a.log"), "map[level:INFO msg:x]")
	if ignored, err := os.ReadFile(filepath.Join(top, ".program", "logs", ".gitignore")); err != nil || string(ignored) != "*\n" {
		t.Errorf("what git ignores: %q, %v", ignored, err)
	}
	again, err := logfile.OpenBelow(top, ".program/logs/")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestBelow_Links checks that a link in the files of a project does not redirect the log.
func TestBelow_Links(t *testing.T) {
	top, outside := t.TempDir(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(top, "real", "logs"), 0o700))
	if err := os.Symlink(outside, filepath.Join(top, "out")); err != nil {
		t.Skip("no links here: ", err)
	}
	must(os.Symlink("real", filepath.Join(top, "in")))
	must(os.Symlink(filepath.Join("..", "..", "real", "main.go"), filepath.Join(top, "real", "logs", "a.log")))
	must(os.WriteFile(filepath.Join(top, "file"), nil, 0o600))
	for _, path := range []string{"out", "out/x", "in", "in/logs", "file", "file/x", "..", "../x", "real/../../x"} {
		if dir, err := logfile.OpenBelow(top, path); err == nil {
			t.Errorf("%s was opened: %v", path, dir.Close())
		}
	}
	if _, err := logfile.OpenBelow(filepath.Join(top, "none"), "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("below a directory that does not exist: %v", err)
	}
	dir, err := logfile.OpenBelow(top, "real/logs")
	must(err)
	defer dir.Close()
	if err := logfile.NewFile(nil).Use(&logfile.Place{Name: "a.log", Dir: dir, Max: 1}); err == nil {
		t.Error("a log that is a link was opened")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside there is %v, %v", entries, err)
	}
}
