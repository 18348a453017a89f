//go:build linux || darwin

package security_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
)

// TestMain runs this program as a child process if a test has set its environment.
func TestMain(m *testing.M) {
	switch os.Getenv("DOUGU_TEST_CHILD") {
	case "overwrite":
		overwriteForever()
	case "increment":
		incrementOften()
	case "die":
		dieInBatch()
	case "batch":
		batchForever()
	}
	os.Exit(m.Run())
}

func child(t *testing.T, role, dir, state string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DOUGU_TEST_CHILD="+role, "DOUGU_TEST_DIR="+dir, "DOUGU_TEST_STATE="+state)
	cmd.Stderr = os.Stderr
	return cmd
}

// childRoot opens the Root of a child process.
func childRoot() *security.Root {
	r, err := security.OpenRoot(security.RootOptions{
		Dirs: []string{os.Getenv("DOUGU_TEST_DIR")}, StateDir: os.Getenv("DOUGU_TEST_STATE"), RemovedInState: os.Getenv("DOUGU_TEST_REMOVED") != "", Durability: security.Process, LockWait: time.Minute,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return r
}

// The two contents of the file in the kill test: long enough that a kill can hit the middle of one.
var versions = []string{strings.Repeat("old version\n", 20_000), strings.Repeat("NEW VERSION\n", 30_000)}

func overwriteForever() {
	r := childRoot()
	for i := 0; ; i++ {
		if _, err := r.Write(context.Background(), "sub/file", []byte(versions[i%2]), security.WriteOptions{Overwrite: true, Backup: true}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if i == 0 { // there is a backup
			fmt.Println("ready")
		}
	}
}

func incrementOften() {
	r := childRoot()
	for range 200 {
		if _, err := r.Update(context.Background(), "counter", security.UpdateOptions{Create: true}, func(old []byte, info security.FileInfo) ([]byte, error) {
			if len(old) == 0 {
				old = []byte("0")
			}
			return increment(old, info)
		}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

// TestWrite_KilledWriter kills a process 200 times while it overwrites a file, each time at another moment.
func TestWrite_KilledWriter(t *testing.T) {
	dir, state := layout(t, map[string]string{"sub/file": versions[0]}), t.TempDir()
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	left := 0
	for range rounds {
		cmd := child(t, "overwrite", dir, state)
		waittest.KillOnceReady(t, cmd, rand.N(5*time.Millisecond))

		if content := onDisk(t, dir, "sub", "file"); content != versions[0] && content != versions[1] {
			t.Fatalf("the file is torn: %d bytes", len(content))
		}
		left += len(temporaryFiles(t, dir))
		r, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if found := temporaryFiles(t, dir); len(found) > 0 {
			t.Fatalf("not swept: %v", found)
		}
		if locks, err := os.ReadDir(state); err != nil || len(locks) > 0 {
			t.Fatalf("locks of the dead are left: %v, %v", locks, err)
		}
	}
	if left == 0 && rounds >= 200 {
		t.Error("no kill hit a write: the test shows nothing")
	}
	for _, backup := range backups(t, dir) {
		if content := onDisk(t, backup); content != versions[0] && content != versions[1] {
			t.Errorf("a backup is torn: %d bytes", len(content))
		}
	}
}

func temporaryFiles(t *testing.T, dir string) []string {
	t.Helper()
	return find(t, dir, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".dougu-tmp-") })
}

func backups(t *testing.T, dir string) []string {
	t.Helper()
	return find(t, filepath.Join(dir, ".dougu-backup", "files"), func(string) bool { return true })
}

func find(t *testing.T, dir string, want func(string) bool) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && want(path) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestUpdate_TwoProcesses lets two processes increment one counter 200 times each.
func TestUpdate_TwoProcesses(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	commands := []*exec.Cmd{child(t, "increment", dir, state), child(t, "increment", dir, state)}
	for _, cmd := range commands {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got := onDisk(t, dir, "counter"); got != "400" {
		t.Errorf("counted to %s, want 400", got)
	}
}

// TestSweep_OtherProjects keeps the files of a dead writer of another project, and the files of a running writer.
func TestSweep_OtherProjects(t *testing.T) {
	dir, elsewhere, state := t.TempDir(), t.TempDir(), t.TempDir()
	real, err := filepath.EvalSymlinks(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	const stale = ".dougu-tmp-0123456789abcdef0123456789abcdef"
	for name, content := range map[string]string{
		filepath.Join(elsewhere, stale):    "",
		filepath.Join(dir, stale):          "",
		filepath.Join(state, "other.lock"): fmt.Sprintf(`{"root":%q,"dirs":["."]}`, real),
		filepath.Join(state, "early.lock"): "",
		filepath.Join(state, "torn.lock"):  `{"root":"/`,
		filepath.Join(state, "evil.lock"):  fmt.Sprintf(`{"root":%q,"dirs":["../../x"]}`, dir),
		filepath.Join(state, "unrelated"):  "",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := quick
	o.StateDir = state
	r := open(t, o, dir)
	if found := temporaryFiles(t, elsewhere); len(found) != 1 {
		t.Error("a file of another project was swept")
	}
	if found := temporaryFiles(t, dir); len(found) != 1 {
		t.Error("a directory was swept that no lock names")
	}
	names, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, name := range names {
		left = append(left, name.Name())
	}
	if got := strings.Join(left, " "); got != "evil.lock other.lock unrelated" {
		t.Errorf("left in the state directory: %s", got)
	}

	// While a write is under way, another Root is opened: it must not take the temporary file away.
	_, err = r.WriteFrom(t.Context(), "file", io.MultiReader(strings.NewReader("begin "), readerFunc(func([]byte) (int, error) {
		if found := temporaryFiles(t, dir); len(found) != 2 {
			t.Errorf("temporary files: %v", found)
		}
		open(t, o, dir)
		return 0, io.EOF
	})), security.WriteOptions{})
	if err != nil || onDisk(t, dir, "file") != "begin " {
		t.Errorf("%v; the file holds %q", err, onDisk(t, dir, "file"))
	}
	if !bytes.Equal([]byte(onDisk(t, dir, stale)), nil) {
		t.Error("the stale file changed")
	}
}
