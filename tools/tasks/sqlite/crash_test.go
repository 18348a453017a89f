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

// TestMain runs the test binary as a child process if the environment says so.
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

// work creates a task, prints a line, and updates the task until the process is killed.
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
	for { // the kill can interrupt a write
		r.Version++
		if err := d.Update(ctx, r); err != nil {
			return err
		}
	}
}

// A confirmed change survives a killed process, and its task becomes an orphan.
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
	_ = cmd.Wait() // the error reports the kill
	d := open(t, file, sqlite.Options{})
	r, err := d.Get(t.Context(), "x")
	must(t, err)
	if r.ID != "x" || r.Version < 1 {
		t.Errorf("it is %+v", r)
	}
	ids, err := d.Orphans(t.Context(), time.Now().Add(time.Minute))
	if err != nil || !slices.Contains(ids, "x") {
		t.Errorf("orphans are %q, %v", ids, err)
	}
}
