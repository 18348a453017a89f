package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver/drivertest"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// programs are the measured programs.
var programs = drivertest.Programs{Modules: map[string]string{"../..": "./examples/cursorcli"}}

func TestMain(m *testing.M) { programs.Main(m) }

// TestRun_Go solves the tasks of the project that needs no download in every way. An unsolved task fails the run.
func TestRun_Go(t *testing.T) {
	t.Parallel()
	_, err := os.Stat(filepath.FromSlash("../../internal/test/e2e/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"))
	testrequire.Thing(t, err == nil, "the reference server", "npm ci --prefix internal/test/e2e/node --ignore-scripts")
	out := drivertest.Run(run).Output(t, "-programs", programs.Dir(t), "-projects", "net/http")
	drivertest.Rows(t, out,
		`\| net/http, Go \| dougu \| 8 \| 8 \|`, `\| net/http, Go \| grep and edit \| 8 \| 8 \|`, `\| net/http, Go \| server-filesystem \| 8 \| 8 \|`,
		`\| find all uses of a name \| \d+ \| \d+ \| \d+ \|`)
}

// TestRun_Budget compares the bytes of all tasks with the table. The projects are downloaded in the deep level alone.
func TestRun_Budget(t *testing.T) {
	t.Parallel()
	if os.Getenv("DOUGU_LEVEL") == "deep" {
		corpora.Allow()
	}
	var out strings.Builder
	err := run(t.Context(), []string{"-programs", programs.Dir(t), "-check"}, &out, &out)
	for _, reason := range []error{errOtherSources, errMissing} {
		testrequire.Thing(t, !errors.Is(err, reason), "the sources of the projects", fmt.Sprintf("%v\n%s", err, out.String()))
	}
	if err != nil {
		t.Error(err)
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-projects", "none"}, []string{"more"}, []string{"-unknown"},
		[]string{"-check", "-profile", "coding"}, []string{"-update", "-projects", "net/http"})
}

// TestTasks_Complete checks that each project has one task of each kind.
func TestTasks_Complete(t *testing.T) {
	count := make(map[string]map[kind]int)
	for _, p := range projects() {
		count[p.name] = make(map[kind]int)
	}
	for _, task := range tasks() {
		if count[task.project] == nil {
			t.Fatalf("there is no project %q", task.project)
		}
		count[task.project][task.kind]++
	}
	for name, kindsOfProject := range count {
		for _, k := range kinds() {
			if kindsOfProject[k] != 1 {
				t.Errorf("%s has %d tasks of the kind %q, want 1", name, kindsOfProject[k], k)
			}
		}
	}
}
