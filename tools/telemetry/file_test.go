package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// input returns the input tokens of all models in the file.
func input(t testing.TB, path string) (sum int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Version int
		Models  map[string]struct{ InputTokens int64 }
	}
	if err := json.Unmarshal(data, &content); err != nil || content.Version != 1 {
		t.Fatalf("%s: %v", data, err)
	}
	for _, m := range content.Models {
		sum += m.InputTokens
	}
	return sum
}

func total(t testing.TB, set *telemetry.Telemetry) int64 {
	t.Helper()
	return statistics(t, set).TotalTokensUsed.Input
}

// shut closes a set and fails the test on an error.
func shut(t testing.TB, set *telemetry.Telemetry) {
	t.Helper()
	if err := set.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestStatsFile_Restart(t *testing.T) {
	path := statsFile(t)
	for run := range int64(3) {
		set := newSet(t, telemetry.Options{StatsFile: path})
		if got := statistics(t, set); got.TotalTokensUsed.Input != 20*run || got.TotalSessions != run {
			t.Errorf("run %d begins with %+v", run, got)
		}
		use(t, set, t.Context(), "m", 20, 1, 1)
		shut(t, set)
		if got := input(t, path); got != 20*(run+1) {
			t.Errorf("run %d left %d", run, got)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// Many uses make one write, two seconds after the first.
func TestStatsFile_DelayedWrite(t *testing.T) {
	path := statsFile(t)
	synctest.Test(t, func(t *testing.T) {
		set := newSet(t, telemetry.Options{StatsFile: path})
		for range 10 {
			use(t, set, t.Context(), "m", 1, 1, 1)
			time.Sleep(190 * time.Millisecond)
			if got := input(t, path); got != 0 {
				t.Fatalf("%d tokens were written at once", got)
			}
		}
		time.Sleep(150 * time.Millisecond)
		synctest.Wait()
		if got := input(t, path); got != 10 {
			t.Errorf("after two seconds %d tokens were written", got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := input(t, path); got != 0 {
			t.Error("there was nothing to write, and it was written")
		}
		use(t, set, t.Context(), "m", 1, 1, 1)
		time.Sleep(2*time.Second + time.Millisecond)
		synctest.Wait()
		if got := input(t, path); got != 11 {
			t.Errorf("the file that was removed came back with %d tokens, want all 11", got)
		}
	})
}

// A failed write is retried, and no usage is lost.
func TestStatsFile_RetriedWrite(t *testing.T) {
	path := statsFile(t)
	var log waittest.Log
	synctest.Test(t, func(t *testing.T) {
		set, err := telemetry.New(tools.Env{Log: slog.New(slog.NewTextHandler(&log, nil))}, telemetry.Options{StatsFile: path})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o700); err != nil { // in the way
			t.Fatal(err)
		}
		use(t, set, t.Context(), "m", 5, 1, 1)
		time.Sleep(10 * time.Minute)
		use(t, set, t.Context(), "m", 6, 1, 1)
		synctest.Wait()
		if got := strings.Count(log.String(), "could not be saved"); got != 1 {
			t.Errorf("the log says %d times that it could not be saved:\n%s", got, log.String())
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if got := input(t, path); got != 11 || total(t, set) != 11 || !strings.Contains(log.String(), "could be saved again") {
			t.Errorf("%d tokens were written:\n%s", got, log.String())
		}
		shut(t, set)
	})
}

// If the last write fails, Close returns the error, and the recorder keeps the unsaved usage.
func TestClose_WriteFails(t *testing.T) {
	path := statsFile(t)
	recorder := telemetry.NewRecorder()
	set, err := telemetry.New(tools.Env{}, telemetry.Options{StatsFile: path, Recorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	use(t, set, t.Context(), "m", 5, 1, 1)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	wantParts(t, set.Close(t.Context()), "saving usage", "not a regular file")
	if err := set.Close(t.Context()); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	next := newSet(t, telemetry.Options{StatsFile: path, Recorder: recorder})
	shut(t, next)
	if got := input(t, path); got != 5 {
		t.Errorf("%d tokens were written in the end", got)
	}
}

// A damaged file is renamed and logged; the process writes its own counts to a new file.
func TestStatsFile_Damaged(t *testing.T) {
	models := make([]string, 1_002)
	for i := range models {
		models[i] = fmt.Sprintf(`"m%d":{}`, i)
	}
	for name, content := range map[string]string{
		"empty": "", "cut": `{"version":1,"ses`, "no version": `{}`, "old": `{"version":0}`, "another type": `{"version":1,"sessions":"x"}`, "list": `[]`,
		"negative sessions": `{"version":1,"sessions":-1}`, "negative tokens": `{"version":1,"models":{"a":{"inputTokens":-1}}}`, "overflow": `{"version":1,"models":{"a":{"count":9223372036854775808}}}`,
		"odd name": `{"version":1,"models":{"a\u0007":{}}}`, "no name": `{"version":1,"models":{"":{}}}`, "too many": `{"version":1,"models":{` + strings.Join(models, ",") + `}}`,
		"too large": strings.Repeat(" ", 4<<20) + "{}", "bytes": "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			path := statsFile(t)
			shut(t, newSet(t, telemetry.Options{StatsFile: path})) // makes the directory
			write(t, path, content)
			var log waittest.Log
			set, err := telemetry.New(tools.Env{Log: slog.New(slog.NewTextHandler(&log, nil))}, telemetry.Options{StatsFile: path})
			if err != nil {
				t.Fatal(err)
			}
			if kept, err := os.ReadFile(path + ".corrupt"); err != nil || string(kept) != content || !strings.Contains(log.String(), "damaged") {
				t.Errorf("set aside: %d bytes, %v; log %s", len(kept), err, log.String())
			}
			use(t, set, t.Context(), "m", 3, 1, 1)
			shut(t, set)
			if got := input(t, path); got != 3 {
				t.Errorf("%d tokens were written", got)
			}
		})
	}
}

func TestStatsFile_DamagedWhileOpen(t *testing.T) {
	path := statsFile(t)
	set := newSet(t, telemetry.Options{StatsFile: path})
	use(t, set, t.Context(), "m", 3, 1, 1)
	shut(t, set)
	set = newSet(t, telemetry.Options{StatsFile: path})
	write(t, path, "garbage")
	use(t, set, t.Context(), "m", 4, 1, 1)
	shut(t, set)
	if got := input(t, path); got != 7 {
		t.Errorf("%d tokens were written, want what was known and what is new", got)
	}
}

// A file of a later version stays unchanged.
func TestStatsFile_LaterVersion(t *testing.T) {
	path := statsFile(t)
	old := newSet(t, telemetry.Options{StatsFile: path})
	use(t, old, t.Context(), "m", 3, 1, 1)
	const later = `{"version":2,"models":["whatever"]}`
	write(t, path, later)
	_, err := telemetry.New(tools.Env{}, telemetry.Options{StatsFile: path})
	wantParts(t, err, path, "version 2")
	if err := old.Close(t.Context()); err == nil {
		t.Error("a set that could not write closed without an error")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != later {
		t.Errorf("the file is %s now (%v)", got, err)
	}
}

func TestStatsFile_InvalidPath(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	for name, path := range map[string]string{"a directory": dir, "below a file": filepath.Join(file, "usage.json")} {
		if _, err := telemetry.New(tools.Env{}, telemetry.Options{StatsFile: path}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// The wait for a lock that is not released ends with the timeout.
func TestStatsFile_LockTimeout(t *testing.T) {
	path := statsFile(t)
	synctest.Test(t, func(t *testing.T) {
		set := newSet(t, telemetry.Options{StatsFile: path})
		lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rootfs.TryLock(lock); !got || err != nil {
			t.Fatal(got, err)
		}
		began := time.Now()
		impatient, err := telemetry.New(tools.Env{}, telemetry.Options{StatsFile: path})
		if err != nil || time.Since(began) > 0 {
			t.Fatalf("reading waited %v for the lock: %v", time.Since(began), err)
		}
		use(t, impatient, t.Context(), "m", 1, 1, 1)
		wantParts(t, impatient.Close(t.Context()), "locking", "another process")
		use(t, set, t.Context(), "m", 3, 1, 1)
		time.Sleep(3 * time.Second) // it is waiting
		lock.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := input(t, path); got != 3 {
			t.Errorf("%d tokens were written after the lock was free", got)
		}
	})
}

// With several files the one of the newest set is written; after its Close the previous one is
// written.
func TestStatsFile_SeveralFiles(t *testing.T) {
	one, two := statsFile(t), statsFile(t)
	recorder := telemetry.NewRecorder()
	with := func(path string) *telemetry.Telemetry {
		return newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path})
	}
	memory := with("")
	use(t, memory, t.Context(), "m", 1, 0, 0)
	first := with(one)
	use(t, first, t.Context(), "m", 2, 0, 0)
	second := with(two)
	if got := input(t, one); got != 3 || total(t, second) != 0 {
		t.Errorf("the first file has %d, the second set tells of %d", got, total(t, second))
	}
	use(t, first, t.Context(), "m", 10, 0, 0)
	shut(t, first)
	use(t, second, t.Context(), "m", 20, 0, 0)
	third := with(one)
	if got := input(t, two); got != 30 || total(t, third) != 3 {
		t.Errorf("the second file has %d, the third set tells of %d", got, total(t, third))
	}
	use(t, third, t.Context(), "m", 100, 0, 0)
	shut(t, third)
	if got := input(t, one); got != 103 || total(t, second) != 30 {
		t.Errorf("the first file has %d, the second set tells of %d again", got, total(t, second))
	}
	use(t, second, t.Context(), "m", 200, 0, 0)
	shut(t, second)
	use(t, memory, t.Context(), "m", 1_000, 0, 0)
	if a, b := input(t, one), input(t, two); a != 103 || b != 230 || total(t, memory) != 1_230 {
		t.Errorf("in the end %d, %d and in memory %d", a, b, total(t, memory))
	}
}

// Sets of several recorders, which are as several processes, add to one file.
func TestStatsFile_SharedByRecorders(t *testing.T) {
	path := statsFile(t)
	const recorders, uses = 4, 50
	var all group.Group
	for range recorders {
		set := newSet(t, telemetry.Options{StatsFile: path})
		all.Go(func() {
			for range uses {
				if _, err := set.TrackTokenUsage(context.Background(), telemetry.TrackArgs{ModelName: "m", InputTokens: 1}); err != nil {
					t.Error(err)
				}
			}
			if err := set.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := input(t, path); got != recorders*uses {
		t.Errorf("the file tells of %d tokens, want %d", got, recorders*uses)
	}
}

const processRuns, processUses = 10, 20

// trackInThisProcess is the main function of a child process of TestStatsFile_SharedByProcesses.
func trackInThisProcess(path string) int {
	for range processRuns {
		set, err := telemetry.New(tools.Env{}, telemetry.Options{StatsFile: path})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		for range processUses {
			if _, err := set.TrackTokenUsage(context.Background(), telemetry.TrackArgs{ModelName: "m", InputTokens: 1}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		if err := set.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func TestStatsFile_SharedByProcesses(t *testing.T) {
	const processes = 3
	path := statsFile(t)
	var all group.Group
	for range processes {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), "DOUGU_TEST_STATS_FILE="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if got := input(t, path); got != processes*processRuns*processUses {
		t.Errorf("the file tells of %d tokens, want %d", got, processes*processRuns*processUses)
	}
}

// The saving goroutine ends with the last set, in any order of Close. TestMain checks that with
// goleak.
func TestClose_AnyOrder(t *testing.T) {
	path := statsFile(t)
	recorder := telemetry.NewRecorder()
	var sets []*telemetry.Telemetry
	for range 3 {
		sets = append(sets, newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path}))
	}
	use(t, sets[0], t.Context(), "m", 1, 1, 1)
	for i, at := range []int{1, 0, 2} {
		shut(t, sets[at])
		if got := input(t, path); got != int64(i/2) {
			t.Errorf("after closing %d sets the file tells of %d tokens", i+1, got)
		}
	}
}
