package segment_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// writeForever is the directory in which TestWriteForever writes, in a process that
// TestWriter_Kill kills.
const writeForever = "DOUGU_TEST_SEGMENT_DIR"

const crashFiles = 6

// TestWriteForever commits one version after the other and prints the number of each.
// TestWriter_Kill runs it in a child process.
func TestWriteForever(t *testing.T) {
	dir := os.Getenv(writeForever)
	if dir == "" {
		return // only TestWriter_Kill sets the variable
	}
	ix := open(t, dir, segment.Options{})
	version := crashVersion(t, ix, "at the start")
	for n := version + 1; ; n++ {
		var files []index.File
		for i := range crashFiles {
			files = append(files, sample(fmt.Sprintf("%d.go", i), fmt.Sprintf("common version%d", n)))
			files[i].Version = strconv.Itoa(n)
		}
		commit(t, ix, index.WriteOptions{Replace: n%5 == 0}, files...)
		fmt.Println("committed", n)
	}
}

// crashVersion returns the version of the files. It fails the test unless all files have
// the same version and are found.
func crashVersion(t *testing.T, ix index.Index, when string) int {
	t.Helper()
	a := mustAsk(t, ix)
	if len(a.Files) == 0 {
		return 0
	}
	version := a.Files[0].Version
	for _, k := range a.Files {
		if k.Version != version {
			t.Fatalf("%s there are files of versions %s and %s", when, k.Version, version)
		}
	}
	found, err := ix.Search(t.Context(), index.Query{Terms: []index.Term{{Words: []string{"version" + version}}}})
	if err != nil || len(a.Files) != crashFiles || len(found.Candidates) != crashFiles || len(a.Candidates) != crashFiles || len(a.Similar.Candidates) != crashFiles {
		t.Fatalf("%s there are %d files, %d are found by words, %d by trigrams, %d by prints (%v)", when, len(a.Files), len(found.Candidates), len(a.Candidates), len(a.Similar.Candidates), err)
	}
	n, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWriter_Kill kills a writing process and checks that its last commit exists.
func TestWriter_Kill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		committed := runAndKill(t, dir, random.IntN(12)+1, time.Duration(random.IntN(20_000))*time.Microsecond)
		ix := open(t, dir, segment.Options{Memory: int64(round % 2)})
		when := fmt.Sprintf("in round %d", round)
		if got := crashVersion(t, ix, when); got < committed {
			t.Fatalf("%s version %d is there, and %d was committed", when, got, committed)
		}
		if err := ix.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// runAndKill runs TestWriteForever, kills it some time after a number of commits, and
// returns the last version that it printed.
func runAndKill(t *testing.T, dir string, commits int, after time.Duration) (last int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestWriteForever$", "-test.timeout", "60s")
	cmd.Env = append(os.Environ(), writeForever+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var timer *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		number, ok := strings.CutPrefix(lines.Text(), "committed ")
		if !ok {
			t.Errorf("the process says %q", lines.Text())
			continue
		}
		last, _ = strconv.Atoi(number)
		if commits--; commits == 0 {
			timer = time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	if timer != nil {
		timer.Stop()
	}
	_ = cmd.Wait() // returns an error, because the process was killed
	return last
}
