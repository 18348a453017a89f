package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
)

var programs = drivertest.Programs{Modules: map[string]string{"../..": "./examples/cqm"}}

func TestMain(m *testing.M) { programs.Main(m) }

// Many clients use the server for a minute without failures or leaks. Response times depend on the machine and are not checked.
func TestRun_Short(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	if runtime.GOOS != "linux" {
		t.Skip("descriptors are counted as Linux shows them")
	}
	out := drivertest.Run(run).Output(t, "-program", filepath.Join(programs.Dir(t), "cqm"),
		"-clients", "40", "-rate", "0.5", "-duration", "1m", "-files", "400", "-p95", "0")
	drivertest.Rows(t, out, `\| searchDocuments \| [1-9]`, `\| findSimilarCode \| [1-9]`, `\| getProjectContext \| [1-9]`, `\| get_index_status \| [1-9]`,
		`- [0-9]{3,} requests, 0 over a configured limit, 0 failed: pass$`, `- memory of .*: not judged`, `- goroutines .*: pass$`, `- descriptors .*: pass$`, `- what has changed last is found: pass$`)
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-clients", "0"}, []string{"-rate", "0"}, []string{"-rate", "100"}, []string{"-duration", "0s"}, []string{"-files", "1"}, []string{"more"}, []string{"-unknown"},
		[]string{"-program", filepath.Join(t.TempDir(), "none"), "-files", "10"})
}

// Counted times are equal to the measured ones within one step.
func TestTimes_Quantile(t *testing.T) {
	t.Parallel()
	var x times
	var exact []time.Duration
	for i := range 1000 {
		d := time.Duration(i*i) * time.Microsecond
		x.add(d)
		exact = append(exact, d)
	}
	slices.Sort(exact)
	for _, p := range []float64{.5, .95, .99, 1} {
		want := exact[int(p*1000)-1]
		if got := x.quantile(p); got < want || float64(got) > 1.03*float64(want) {
			t.Errorf("p%v is %v, counted %v", 100*p, want, got)
		}
	}
	if empty := new(times).quantile(.95); empty != 0 {
		t.Errorf("without any it is %v", empty)
	}
}

func TestTally_Counts(t *testing.T) {
	t.Parallel()
	var told tally
	told.add("search", time.Millisecond, nil)
	told.add("search", time.Second, errors.New("broken"))
	told.add("search", time.Second, errors.New("broken"))
	if told.asked != 3 || told.failed != 2 || told.all.n != 1 || told.examples() != "; 2 × search: broken" {
		t.Errorf("%d, %d, %d, %q", told.asked, told.failed, told.all.n, told.examples())
	}
}

// A corpus has files, and words to search for.
func TestCorpus_Changes(t *testing.T) {
	t.Parallel()
	c, err := newCorpus(t.Context(), filepath.Join(t.TempDir(), "project"), 100)
	if err != nil {
		t.Fatal(err)
	}
	for range 120 {
		if err := c.changeOne(); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(filepath.Join(c.dir, "soak"))
	if c.files != 100 || len(c.names) != len(c.codes) || err != nil || len(left) < 30 || len(left) > 50 {
		t.Errorf("%d files, %d names, %d codes, %d changed, %v", c.files, len(c.names), len(c.codes), len(left), err)
	}
}
