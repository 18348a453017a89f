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

// Timeouts of one scenario and of one run. They are reached only if a process hangs.
const (
	scenarioTime = 2 * time.Minute
	suiteTime    = 8 * time.Minute
)

// suite runs the official suite.
type suite struct {
	command []string
	// baseline is a file of scenarios that are expected to fail. It is empty.
	baseline string
	// needless maps excluded checks to the reason.
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

// check is the result of one check, as the suite stores it.
type check struct {
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Message string          `json:"errorMessage"`
	Details json.RawMessage `json:"details"`
}

// report is the result of a run, by scenario.
type report map[string][]check

// hurried are scenarios that depend on timing. On a busy machine they may need a second run.
var hurried = []string{
	"server-stateless", "tools-call-with-logging", "tools-call-with-progress", "server-sse-polling",
	"sse-retry", "elicitation-sep1034-client-defaults",
}

// runAll runs the scenarios of a revision. It fails the test if the exit code contradicts the results.
func (s suite) runAll(t *testing.T, mode, args []string, revision string) report {
	t.Helper()
	exit, found := s.run(t, mode, args)
	if exit != 0 && !slices.ContainsFunc(found.names(), func(name string) bool { return len(problems(found[name])) > 0 }) {
		t.Errorf("the suite ends with exit code %d, though nothing has failed", exit)
	}
	return s.repeat(t, mode, revision, found)
}

// repeat runs scenarios again, alone, that depend on timing and have failed. Without a revision each runs at its own.
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

// run runs the suite with arguments and returns its exit code and the report.
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

// stamp matches the time at the end of a directory name of a scenario.
var stamp = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}T[\d-]+Z$`)

// readReport reads the results of a run, one file for each scenario.
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

// problems returns the failed checks of a scenario. A warning is a failure.
func problems(checks []check) []check {
	return slices.DeleteFunc(slices.Clone(checks), func(c check) bool {
		return c.Status != "FAILURE" && c.Status != "WARNING"
	})
}

func (c check) String() string {
	return fmt.Sprintf("%s %s: %s %.1000s", c.Status, c.ID, c.Message, c.Details)
}

// table returns the scenarios with their counts as a table.
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

// tail returns the end of a long output. A suite that cannot start prints its own source.
func tail(out []byte) string {
	const enough = 4000
	if len(out) > enough {
		return "…" + string(out[len(out)-enough:])
	}
	return string(out)
}
