package presence_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

func TestConnections_Unanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = time.Second
		c := presence.NewConnections[string, int]()
		check := func(step string, want ...int) {
			t.Helper()
			got := slices.Sorted(maps.Values(c.Unanswered(patience)))
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", step, got, want)
			}
		}
		if !c.Begin("slow", 1) || c.Begin("slow", 1) || !c.Begin("fast", 1) {
			t.Fatal("attempts do not begin once")
		}
		c.Dialed("slow", 7)
		check("at once")
		time.AfterFunc(patience/2, func() { c.Connected("fast", "session") })
		began := time.Now()
		c.Await(t.Context(), patience)
		if took := time.Since(began); took != patience {
			t.Errorf("waited for %v", took)
		}
		check("after the time", 7)
		c.Await(t.Context(), patience) // does not wait again
		if took := time.Since(began); took != patience {
			t.Errorf("waited for %v", took)
		}
		c.Failed("slow", 1, fmt.Errorf("busy: %w", presence.ErrNoAnswer), 0)
		check("after an attempt without an answer", 7)
		time.Sleep(retry)
		if !c.Begin("slow", 1) {
			t.Fatal("the next attempt is not due")
		}
		began = time.Now()
		if c.Await(t.Context(), patience); time.Since(began) != 0 {
			t.Errorf("waited for %v for an editor that is known to be silent", time.Since(began))
		}
		check("during the next attempt", 7)
		c.Connected("slow", "session")
		check("connected")
		c.Ended("slow")
		c.Begin("slow", 1)
		c.Failed("slow", 1, errors.New("version 0.6"), 0)
		check("another failure")
	})
}

// retry is the delay after the first failed attempt.
const retry = time.Second

func TestConnections_PauseWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := presence.NewConnections[string, int]()
		for range 5 {
			c.Failed("socket", 1, presence.ErrNoAnswer, 0)
		}
		if time.Sleep(2 * time.Second); !c.Begin("socket", 1) {
			t.Error("the next attempt is not due after two seconds")
		}
	})
}

func TestConnections_AwaitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := presence.NewConnections[string, int]()
		c.Begin("socket", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if c.Await(ctx, time.Minute); time.Since(began) != time.Second {
			t.Errorf("waited for %v", time.Since(began))
		}
	})
}

func TestNoAnswer(t *testing.T) {
	commands := " (kill -CONT 7 continues it, and kill 7 ends it then)"
	if runtime.GOOS == "windows" {
		commands = " (taskkill /PID 7 ends it)"
	}
	for pid, want := range map[int]string{
		0: "Ed does not answer; perhaps it is stopped or waits for a key: continue or end it",
		7: "Ed (process 7) does not answer; perhaps it is stopped or waits for a key: continue or end it" + commands,
	} {
		if err := presence.NoAnswer("Ed", pid); err.Error() != want || !errors.Is(err, presence.ErrNoAnswer) {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}

func TestMayConcern(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	unknown := runtime.GOOS != "linux"
	for name, tt := range map[string]struct {
		pid     int
		project []string
		want    bool
	}{
		"the directory":      {os.Getpid(), []string{dir}, true},
		"above":              {os.Getpid(), []string{"/none", filepath.Dir(dir)}, true},
		"below":              {os.Getpid(), []string{filepath.Join(dir, "x")}, true},
		"beside":             {os.Getpid(), []string{dir + "x"}, unknown},
		"no directory":       {os.Getpid(), nil, true},
		"no process":         {0, []string{dir + "x"}, true},
		"process of nothing": {1 << 30, []string{dir + "x"}, true},
	} {
		if got := presence.MayConcern(tt.pid, tt.project); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A process in another directory concerns a project if it has a file of it, or the swap file of one, open.
func TestMayConcern_OpenFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are known on Linux only")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "project")
	encoded := strings.ReplaceAll(project, "/", "%")
	for name, want := range map[string]bool{
		"project/a.txt":                    true,
		"project/.a.txt.swp":               true,
		"swap/" + encoded + "%a.txt.swp":   true,
		"swap/" + encoded + "%b%a.txt.swo": true,
		"swap/" + encoded + "s%a.txt.swp":  false,
		"swap/%home%a.txt.swp":             false,
		"projects/a.txt":                   false,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := presence.MayConcern(os.Getpid(), []string{project}); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
