package config_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/config"
)

// watching runs a watcher of a file until the test ends. The channel receives the content, or "error".
func watching(t *testing.T, path, known string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan string, 100)
	var log bytes.Buffer
	w := config.Watcher{
		Path: path,
		Read: func() ([]byte, error) {
			return config.Read(func() (io.ReadCloser, error) { return os.Open(path) })
		},
		Changed: func(data []byte, err error) {
			if err != nil {
				data = []byte("error")
			}
			told <- string(data)
		},
		Quiet: time.Millisecond,
		Check: time.Hour, // only events cause a check
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx, []byte(known), nil)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if log.Len() > 0 {
			t.Errorf("logged: %s", &log)
		}
	})
	return told
}

// await waits until the last that was told is want: steps between may be seen or
// not.
func await(t *testing.T, told <-chan string, want string) {
	t.Helper()
	last := "nothing"
	deadline := time.After(time.Minute)
	for last != want {
		select {
		case last = <-told:
		case <-deadline:
			t.Fatalf("told %q last, want %q", last, want)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The ways in which editors and people change a file, one after another.
func TestWatch_RealFiles(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "settings")
	path := filepath.Join(dir, "file")
	write(t, path, "first")
	told := watching(t, path, "first")

	write(t, path, "in place")
	await(t, told, "in place")

	write(t, path+".new", "replaced")
	must(t, os.Rename(path+".new", path))
	await(t, told, "replaced")

	must(t, os.Rename(path, path+"~"))
	write(t, path, "beside a backup")
	await(t, told, "beside a backup")

	must(t, os.Remove(path))
	await(t, told, "error")
	write(t, path, "there again")
	await(t, told, "there again")

	must(t, os.RemoveAll(dir))
	await(t, told, "error")
	write(t, path, "in a new directory")
	await(t, told, "in a new directory")
	write(t, path, "changed there")
	await(t, told, "changed there")

	must(t, os.Rename(dir, dir+"-away"))
	await(t, told, "error")
	must(t, os.Rename(dir+"-away", dir))
	await(t, told, "changed there")

	must(t, os.RemoveAll(filepath.Join(top, "a")))
	await(t, told, "error")
	write(t, path, "from the ground up")
	await(t, told, "from the ground up")
	write(t, path, "and changed")
	await(t, told, "and changed")
}

func TestWatch_EarlierChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "now")
	await(t, watching(t, path, "then"), "now")
}

// fake is a notifier without a system.
type fake struct {
	mu     sync.Mutex
	broken error
	opened int
	closed int
	events chan struct{}
}

func (f *fake) open() (config.Notifier, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	return f, nil
}

func (f *fake) Add(string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

func (f *fake) Remove(string) error     { return nil }
func (f *fake) Events() <-chan struct{} { return f.events }

func (f *fake) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
}

func (f *fake) breakDown(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// memory is a file without a file system.
type memory struct {
	mu    sync.Mutex
	text  string
	reads int
}

func (m *memory) read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return []byte(m.text), nil
}

func (m *memory) set(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text = text
}

// inABubble runs a watcher with the time of synctest.
func inABubble(t *testing.T, test func(t *testing.T, system *fake, file *memory, told func() string, log func() string)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		system, file := &fake{events: make(chan struct{})}, &memory{}
		var mu sync.Mutex
		var told, log bytes.Buffer
		locked := func(b *bytes.Buffer) func() string {
			return func() string {
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				defer b.Reset()
				return b.String()
			}
		}
		w := config.Watcher{
			Path: "/nowhere/file", Read: file.read,
			Changed: func(data []byte, err error) { mu.Lock(); defer mu.Unlock(); told.Write(data) },
			Log:     slog.New(slog.NewTextHandler(&log, nil)),
		}
		w.Notify(system.open)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.Run(ctx, nil, nil)
		}()
		synctest.Wait()
		test(t, system, file, locked(&told), locked(&log))
		cancel()
		<-ended
		if system.closed != system.opened {
			t.Errorf("opened %d times, closed %d times", system.opened, system.closed)
		}
	})
}

func TestWatch_ReadAfterQuiet(t *testing.T) {
	inABubble(t, func(t *testing.T, system *fake, file *memory, told, _ func() string) {
		file.set("half")
		system.events <- struct{}{}
		time.Sleep(99 * time.Millisecond)
		file.set("whole")
		system.events <- struct{}{}
		time.Sleep(99 * time.Millisecond)
		if got := told(); got != "" {
			t.Errorf("told %q before it was quiet", got)
		}
		time.Sleep(time.Millisecond)
		if got := told(); got != "whole" {
			t.Errorf("told %q", got)
		}
		// A file that changes continuously is read nevertheless.
		file.set("at last")
		for range 12 {
			system.events <- struct{}{}
			time.Sleep(90 * time.Millisecond)
		}
		if got := told(); got != "at last" {
			t.Errorf("told %q", got)
		}
		// An event without a change is none.
		time.Sleep(time.Second)
		system.events <- struct{}{}
		time.Sleep(time.Second)
		if got := told(); got != "" {
			t.Errorf("told %q again", got)
		}
	})
}

func TestWatch_PollSilentFileSystem(t *testing.T) {
	inABubble(t, func(t *testing.T, _ *fake, file *memory, told, log func() string) {
		file.set("silently")
		time.Sleep(14 * time.Second)
		if got := told(); got != "" {
			t.Errorf("told %q", got)
		}
		time.Sleep(time.Second)
		if got := told(); got != "silently" || log() != "" {
			t.Errorf("told %q", got)
		}
	})
}

func TestWatch_PollWithoutWatcher(t *testing.T) {
	inABubble(t, func(t *testing.T, system *fake, file *memory, told, log func() string) {
		system.breakDown(errors.New("no watches are left"))
		system.events <- struct{}{}
		time.Sleep(time.Second)
		file.set("polled")
		time.Sleep(2 * time.Second)
		if got := told(); got != "polled" {
			t.Errorf("told %q", got)
		}
		time.Sleep(time.Hour)
		if got := log(); strings.Count(got, "no watches are left") != 1 {
			t.Errorf("logged %q", got)
		}
		system.breakDown(nil)
		time.Sleep(2 * time.Second)
		file.set("watched")
		system.events <- struct{}{}
		time.Sleep(100 * time.Millisecond)
		if got := told(); got != "watched" {
			t.Errorf("told %q", got)
		}
		// A second failure is reported again.
		system.breakDown(errors.New("and again"))
		system.events <- struct{}{}
		time.Sleep(time.Second)
		if got := log(); !strings.Contains(got, "and again") {
			t.Errorf("logged %q", got)
		}
	})
}

func TestWatch_WatcherUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		file := &memory{text: "x"}
		told := make(chan string, 1)
		w := config.Watcher{Path: "/nowhere/file", Read: file.read, Changed: func(data []byte, _ error) { told <- string(data) }}
		w.Notify(func() (config.Notifier, error) { return nil, errors.New("no") })
		go w.Run(ctx, nil, nil)
		if got := <-told; got != "x" {
			t.Errorf("told %q", got)
		}
		file.set("y")
		start := time.Now()
		if got := <-told; got != "y" || time.Since(start) != 2*time.Second {
			t.Errorf("told %q after %v", got, time.Since(start))
		}
		cancel()
		synctest.Wait()
	})
}
