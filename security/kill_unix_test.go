//go:build linux || darwin

package security_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
)

// The two states of the project in the kill test: files with their contents, large enough that a kill can hit the middle.
func killStates() [2]map[string]string {
	var states [2]map[string]string
	for i, letter := range []string{"old ", "NEW "} {
		states[i] = make(map[string]string)
		for n := range 10 {
			states[i][fmt.Sprintf("f%d", n)] = strings.Repeat(letter, 500+n+100*i)
		}
	}
	states[0]["here"], states[1]["sub/there"] = "old moved", "NEW moved"
	states[0]["gone"], states[1]["made"] = "removed", "created"
	return states
}

// batchForever changes the project from one state into the other and back, and replaces a file by moving another over it.
func batchForever() {
	r, ctx := childRoot(), context.Background()
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	states := killStates()
	content, _, err := r.ReadFile(ctx, "f0", 1<<20)
	must(err)
	now := 0
	if string(content) != states[0]["f0"] {
		now = 1
	}
	fmt.Println("ready")
	for ; ; now = 1 - now {
		next := states[1-now]
		var steps []security.Step
		for n := range 10 {
			name := fmt.Sprintf("f%d", n)
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: name, Content: []byte(next[name])})
		}
		if now == 0 {
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: "made", Content: []byte("created")},
				security.Step{Kind: security.WriteStep, Path: "here", Content: []byte("NEW moved")},
				security.Step{Kind: security.MoveStep, Path: "here", To: "sub/there"}, security.Step{Kind: security.TrashStep, Path: "gone"})
		} else {
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: "gone", Content: []byte("removed")},
				security.Step{Kind: security.WriteStep, Path: "sub/there", Content: []byte("old moved")},
				security.Step{Kind: security.MoveStep, Path: "sub/there", To: "here"}, security.Step{Kind: security.TrashStep, Path: "made"})
		}
		must(r.Batch(ctx, "test", steps...))
		if _, err := r.Stat(ctx, "over/x"); err == nil {
			_, err := r.Move(ctx, "over/x", "over/y", security.MoveOptions{Overwrite: true})
			must(err)
		}
		_, err := r.Write(ctx, "over/y", []byte("2"), security.WriteOptions{Overwrite: true})
		must(err)
		_, err = r.Write(ctx, "over/x", []byte("1"), security.WriteOptions{Overwrite: true})
		must(err)
	}
}

// TestBatch_Killed kills a process at random moments of batches. After the next start the project is in one of its
// two states.
func TestBatch_Killed(t *testing.T) {
	killBatches(t)
}

// TestBatch_KilledRemovedInState is TestBatch_Killed with a trash in the state directory, which a Root without that option
// finds as well.
func TestBatch_KilledRemovedInState(t *testing.T) {
	t.Setenv("DOUGU_TEST_REMOVED", "1")
	killBatches(t)
}

func killBatches(t *testing.T) {
	states := killStates()
	files := map[string]string{"sub/": "", "over/x": "1", "over/y": "2"}
	maps.Copy(files, states[0])
	dir, state := layout(t, files), t.TempDir()
	rounds := 500
	if testing.Short() {
		rounds = 30
	}
	torn, told := 0, 0
	for round := range rounds {
		cmd := child(t, "batch", dir, state)
		waittest.KillOnceReady(t, cmd, rand.N(12*time.Millisecond))

		before := wholeState(t, dir, states)
		r, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state, Durability: security.Process})
		if err != nil {
			t.Fatal(err)
		}
		notices := r.TakeNotices()
		r.Close()
		if after := wholeState(t, dir, states); after != "" {
			t.Fatalf("round %d: %s; told %q", round, after, notices)
		}
		if before != "" {
			torn++
			if len(notices) != 1 {
				t.Fatalf("round %d: %s, and told %q", round, before, notices)
			}
		}
		told += len(notices)
		for _, notice := range notices {
			if strings.Contains(notice, "except") || strings.Contains(notice, "damaged") {
				t.Fatalf("round %d: told %q", round, notice)
			}
		}
		if left := journals(t, state); len(left) > 0 {
			t.Fatalf("left in the state directory: %v", left)
		}
		if left := temporaryFiles(t, dir); len(left) > 0 {
			t.Fatalf("not swept: %v", left)
		}
	}
	t.Logf("%d of %d kills left a half-done project, %d were told", torn, rounds, told)
	if torn == 0 && rounds >= 500 {
		t.Error("no kill hit a change: the test shows nothing")
	}
}

// wholeState returns the difference from both states of the project, or "" if it is in one of them.
func wholeState(t *testing.T, dir string, states [2]map[string]string) string {
	t.Helper()
	got, over := make(map[string]string), make(map[string]string)
	for name, content := range projectFiles(t, dir) {
		_, content, _ = strings.Cut(content, " ")
		switch {
		case strings.HasSuffix(name, "/") || strings.HasPrefix(filepath.Base(name), ".dougu-tmp-"):
		case strings.HasPrefix(name, "over/"):
			over[name] = content
		default:
			got[name] = content
		}
	}
	if !maps.Equal(got, states[0]) && !maps.Equal(got, states[1]) {
		return fmt.Sprintf("a mixture:%s\nand%s", differences(states[0], got), differences(states[1], got))
	}
	if over["over/y"] == "" {
		return "the file that was to be replaced is gone"
	}
	return ""
}
