package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// How long one scenario and one run of the suite may take. They end hangs and
// decide nothing else.
const (
	scenarioTime = 2 * time.Minute
	suiteTime    = 8 * time.Minute
)

// suite runs the official suite.
type suite struct {
	command []string
	// baseline names the scenarios that are expected to fail: none.
	baseline string
	// needless has the checks that do not count, and why.
	needless map[string]string
}

func newSuite(t *testing.T) suite {
	t.Helper()
	s := suite{command: needSuite(t), baseline: filepath.Join(t.TempDir(), "expected-failures.yml")}
	if err := os.WriteFile(s.baseline, []byte("server: []\nclient: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// check is one check of a scenario, as the suite writes it down.
type check struct {
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Message string          `json:"errorMessage"`
	Details json.RawMessage `json:"details"`
}

// report is what a run has found, by scenario.
type report map[string][]check

// hurried are the scenarios whose verdict depends on how fast both sides are.
// Where others use the machine too, they may need another try.
var hurried = []string{
	"server-stateless", "tools-call-with-logging", "tools-call-with-progress", "server-sse-polling",
	"sse-retry", "elicitation-sep1034-client-defaults",
}

// runAll runs many scenarios of a revision, with an exit code that agrees with
// what it finds.
func (s suite) runAll(t *testing.T, mode, args []string, revision string) report {
	t.Helper()
	exit, found := s.run(t, mode, args)
	if exit != 0 && !slices.ContainsFunc(found.names(), func(name string) bool { return len(problems(found[name])) > 0 }) {
		t.Errorf("the suite ends with exit code %d, though nothing has failed", exit)
	}
	return s.repeat(t, mode, revision, found)
}

// repeat runs those scenarios of a report again, alone, that may have failed
// for want of time; each at the revision that it is of if none is named.
func (s suite) repeat(t *testing.T, mode []string, revision string, found report) report {
	t.Helper()
	const more = 2
	for _, name := range hurried {
		for try := 0; try < more && len(problems(found[name])) > 0; try++ {
			t.Logf("%s again, for: %s", name, problems(found[name])[0])
			args := []string{"--scenario", name}
			if revision != "" {
				args = append(args, "--spec-version", revision)
			}
			_, alone := s.run(t, mode, args)
			found[name] = alone[name]
		}
	}
	return found
}

// run runs the suite with arguments and returns its exit code and what it found.
func (s suite) run(t *testing.T, mode, args []string) (int, report) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	line := slices.Concat(s.command, mode, args, []string{
		"--expected-failures", s.baseline, "-o", dir, "--timeout", strconv.FormatInt(scenarioTime.Milliseconds(), 10),
	})
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v (%v)\n%s", strings.Join(args, " "), err, context.Cause(ctx), tail(out))
	}
	found := readReport(t, dir)
	for name, checks := range found {
		found[name] = slices.DeleteFunc(checks, func(c check) bool { return s.needless[c.ID] != "" })
	}
	if len(found) == 0 {
		t.Fatalf("%s has run no scenario:\n%s", strings.Join(args, " "), tail(out))
	}
	return cmd.ProcessState.ExitCode(), found
}

// stamp ends the name of a scenario's directory.
var stamp = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}T[\d-]+Z$`)

// readReport reads the checks that a run has left, one file a scenario.
func readReport(t *testing.T, dir string) report {
	t.Helper()
	found := make(report)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		found[stamp.ReplaceAllString(strings.TrimPrefix(filepath.ToSlash(name), "server-"), "")] = checks
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// problems are the checks of a scenario that are not as they should be: a
// warning is none of the excuses that a product has.
func problems(checks []check) []check {
	return slices.DeleteFunc(slices.Clone(checks), func(c check) bool {
		return c.Status != "FAILURE" && c.Status != "WARNING"
	})
}

func (c check) String() string {
	return fmt.Sprintf("%s %s: %s %.1000s", c.Status, c.ID, c.Message, c.Details)
}

// table shows each scenario with its counts.
func (r report) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "passed\tfailed\twarnings\tskipped\t  scenario")
	total := make(map[string]int)
	for _, name := range r.names() {
		counts := make(map[string]int)
		for _, c := range r[name] {
			counts[c.Status]++
			total[c.Status]++
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t  %s\n", counts["SUCCESS"], counts["FAILURE"], counts["WARNING"], counts["SKIPPED"], name)
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t  in %d scenarios\n", total["SUCCESS"], total["FAILURE"], total["WARNING"], total["SKIPPED"], len(r))
	w.Flush()
	return "\n" + b.String()
}

func (r report) names() []string {
	var names []string
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tail is the end of a long output. When the suite cannot start, it prints
// itself.
func tail(out []byte) string {
	const enough = 4000
	if len(out) > enough {
		return "…" + string(out[len(out)-enough:])
	}
	return string(out)
}
