package apptest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

var before, _ = os.UserHomeDir()

func TestMain(m *testing.M) { apptest.Main(m) }

// Tests of a program use a temporary, empty home directory.
func TestHome(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil || home == before {
		t.Errorf("the home is %s, %v", home, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil || !strings.HasPrefix(cache, home) {
		t.Errorf("the cache is %s, %v", cache, err)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("the home has %v, %v", entries, err)
	}
}

func TestJournal(t *testing.T) {
	var j apptest.Output
	ended := make(chan struct{})
	var program group.Group
	program.Go(func() {
		for i := range 1000 {
			fmt.Fprintf(&j, "line %d\n", i)
		}
	})
	for _, line := range []string{"line 0\n", "line 500\n", "line 999\n", "line 3\n"} {
		if !j.Await(line, ended) {
			t.Errorf("%q was not written", line)
		}
	}
	program.Wait()
	if got := strings.Count(j.String(), "\n"); got != 1000 {
		t.Errorf("%d lines", got)
	}
	close(ended)
	if !j.Await("line 7\n", ended) || j.Await("another", ended) {
		t.Error("Await is wrong after the end of the program")
	}
}
