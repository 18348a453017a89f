package index_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// crash runs in a child process. It analyzes a directory and exits at one step of a
// save, as if it were killed.
func crash(dir string) {
	at, err := strconv.Atoi(os.Getenv("DOUGU_INDEX_CRASH_AT"))
	if err != nil {
		panic(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: os.Getenv("DOUGU_INDEX_STATE")})
	if err != nil {
		panic(err)
	}
	store, err := index.NewJSONStore(root, index.JSONOptions{})
	if err != nil {
		panic(err)
	}
	steps := make(chan int, 1)
	steps <- 0
	store.Crash(func(step string) {
		n := <-steps
		if n == at {
			fmt.Print("died at ", step)
			os.Exit(3)
		}
		steps <- n + 1
	})
	x, err := index.Open(context.Background(), root, index.Options{Parsers: source.NewParsers(toy{}), Store: store})
	if err != nil {
		panic(err)
	}
	if _, err := x.Analyze(context.Background(), ".", index.AnalyzeOptions{}, nil); err != nil {
		panic(err)
	}
	if err := x.Close(context.Background()); err != nil {
		panic(err)
	}
	fmt.Print("lived")
}

// A process is killed between any two steps of saving. The next one finds an index
// that is right after an Analyze, and loads nothing that is wrong.
func TestJSONStore_CrashDuringSave(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	for at, lived := 0, false; !lived; at++ {
		if at > 100 {
			t.Fatal("saving has more steps than can be")
		}
		p := stored(t)
		p.write("a.go", "func a2\n")
		p.write("src/new.go", "func new\n")
		p.remove("src/deep")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		command := exec.CommandContext(ctx, program)
		command.Env = append(os.Environ(), "DOUGU_INDEX_CRASH="+p.dir, "DOUGU_INDEX_CRASH_AT="+strconv.Itoa(at), "DOUGU_INDEX_STATE="+state)
		out, err := command.CombinedOutput()
		cancel()
		lived = string(out) == "lived"
		if !lived && (err == nil || !strings.HasPrefix(string(out), "died at")) {
			t.Fatalf("%s: %v", out, err)
		}
		x := p.index(index.Options{Store: p.store()})
		for _, f := range x.Snapshot().Files() {
			if err := f.Checked(); err != nil {
				t.Errorf("%s: %s: %v", out, f.Path, err)
			}
		}
		p.analyze(x, ".", index.AnalyzeOptions{})
		want := p.fresh(index.Options{})
		p.same(x, want)
		p.close(x)
		p.same(p.index(index.Options{Store: p.store()}), want)
	}
}

// TestJSONStore_OldTemporaryFile checks that old temporary files of dead processes are
// removed.
func TestJSONStore_OldTemporaryFile(t *testing.T) {
	p := stored(t)
	old, young := data+"/"+index.TempPrefix+"old", data+"/"+index.TempPrefix+"young"
	p.write(old, "{") // of an hour ago
	p.writeNow(young, "{")
	x := p.again()
	p.write("a.go", "func a2\n")
	p.analyze(x, ".", index.AnalyzeOptions{})
	found, err := filepath.Glob(p.path(data + "/" + index.TempPrefix + "*"))
	if err != nil || len(found) != 1 || found[0] != p.path(young) {
		t.Errorf("left: %v %v", found, err)
	}
}
