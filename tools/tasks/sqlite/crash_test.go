package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/tasks/sqlite"
)

const crashVariable = "DOUGU_TEST_TASKS_FILE"

// The test binary is another process when it is told to be.
func TestMain(m *testing.M) {
	if file := os.Getenv(crashVariable); file != "" {
		if err := work(file); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// work keeps a task, says so, and goes on until it is killed.
func work(file string) error {
	ctx := context.Background()
	d, err := sqlite.Open(ctx, file, sqlite.Options{})
	if err != nil {
		return err
	}
	if err := d.Beat(ctx, "o", time.Now().Add(time.Second)); err != nil {
		return err
	}
	r := record("x")
	if err := d.Create(ctx, r, most); err != nil {
		return err
	}
	fmt.Println("kept")
	for { // a write may be under way when it comes
		r.Version++
		if err := d.Update(ctx, r); err != nil {
			return err
		}
	}
}

// What was answered is there after the process was killed, and known to be nobody's.
func TestDB_Killed(t *testing.T) {
	program, err := os.Executable()
	must(t, err)
	file := file(t)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), crashVariable+"="+file)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "kept\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	d := open(t, file, sqlite.Options{})
	r, err := d.Get(t.Context(), "x")
	must(t, err)
	if r.ID != "x" || r.Version < 1 {
		t.Errorf("it is %+v", r)
	}
	ids, err := d.Orphans(t.Context(), time.Now().Add(time.Minute))
	if err != nil || !slices.Contains(ids, "x") {
		t.Errorf("nobody's are %q, %v", ids, err)
	}
}
