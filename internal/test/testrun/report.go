package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// slowest is the number of packages and of tests that the report lists.
const slowest = 20

// byWeight are the actions that end a test, from the one that counts least to the one that counts most.
var byWeight = []string{"skip", "pass", "fail"}

// leftOut is part of the reason for which package need skips a test in the level fast.
const leftOut = "belongs to the deep level"

// eachEnd calls yield for the end of every test of every stage, with what the test has printed.
func eachEnd(rec recorder, yield func(stage string, t test, action, printed string)) error {
	printed := make(map[test]string) // by tests that have not ended
	return rec.eachEvent(func(stage string, e event) {
		id := test{e.Package, e.Test}
		switch {
		case e.Test == "":
		case e.Action == "output":
			if text := strings.TrimSpace(e.Output); !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- ") {
				printed[id] += text + " "
			}
		case slices.Contains(byWeight, e.Action):
			yield(stage, id, e.Action, printed[id])
			delete(printed, id)
		}
	})
}

// neverRun returns the tests that were skipped in every stage that has them, with the reasons. No stages are all stages.
func neverRun(rec recorder, stages []string) (map[test]string, error) {
	ran, skipped := make(map[test]bool), make(map[test]string)
	err := eachEnd(rec, func(stage string, t test, action, printed string) {
		switch {
		case action != "skip":
			ran[t] = true
		case len(stages) == 0 || slices.Contains(stages, stage):
			skipped[t] += strings.TrimSpace(stage+": "+printed) + "; "
		}
	})
	maps.DeleteFunc(skipped, func(t test, _ string) bool { return ran[t] })
	return skipped, err
}

// printLeftOut prints a regular expression for the flag -run of go test: the top-level tests that a stage has left out because they, or
// parts of them, belong to the deep level. If the stage was not run, it matches all tests.
func printLeftOut(rec recorder, stage string, out io.Writer) error {
	ran := false
	names := make(map[string]bool)
	err := eachEnd(rec, func(of string, t test, action, printed string) {
		if of != stage {
			return
		}
		ran = true
		if action == "skip" && strings.Contains(printed, leftOut) {
			names[t.top().Name] = true
		}
	})
	switch {
	case err != nil:
		return err
	case !ran:
		fmt.Fprintln(out, ".")
		return nil
	}
	fmt.Fprintf(out, "^(%s)$\n", strings.Join(slices.Sorted(maps.Keys(names)), "|"))
	return nil
}

// checkSkipped fails when a test of some stages belongs to the deep level and no stage of that level has run it. A test that
// skips itself everywhere, for want of something that the machine lacks, is no error: the report lists it.
func checkSkipped(rec recorder, stages []string, out io.Writer) error {
	never, err := neverRun(rec, stages)
	if err != nil {
		return err
	}
	var lost []string
	for t, why := range never {
		if strings.Contains(why, leftOut) {
			lost = append(lost, t.String())
		}
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		return fmt.Errorf("tests of the deep level that no stage has run:\n%s", strings.Join(lost, "\n"))
	}
	fmt.Fprintln(out, "every test of the deep level was run")
	return nil
}

// entry is a line of a table of durations.
type entry struct {
	stage, name string
	elapsed     time.Duration
}

// report prints the durations of stages, the slowest packages and tests, the number of tests, and the flaky ones.
func report(rec recorder, out io.Writer) error {
	stages, err := rec.stages()
	if err != nil {
		return err
	}
	flaky, err := rec.flaky()
	if err != nil {
		return err
	}
	var packages []entry
	tests := make(map[entry]time.Duration)    // elapsed time of top-level tests; the key has none
	subtests := make(map[entry]time.Duration) // the same of their direct subtests, together
	results := make(map[test]string)          // the action that ended each test; of several stages, the one that counts most
	err = rec.eachEvent(func(stage string, e event) {
		id := test{e.Package, e.Test}
		switch {
		case !slices.Contains(byWeight, e.Action):
		case e.Test == "":
			packages = append(packages, entry{stage, id.String(), e.duration()})
		default:
			key := entry{stage: stage, name: id.top().String()}
			switch strings.Count(id.Name, "/") {
			case 0:
				tests[key] = e.duration()
			case 1:
				subtests[key] += e.duration()
			}
			results[id] = byWeight[max(slices.Index(byWeight, results[id]), slices.Index(byWeight, e.Action))]
		}
	})
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "\nSTAGES\n")
	total := 0
	for _, s := range stages {
		fmt.Fprintf(out, "%6d s  %s\n", s.Seconds, s.Name)
		total += s.Seconds
	}
	fmt.Fprintf(out, "%6d s  altogether\n", total)
	printSlowest(out, "PACKAGES", packages)
	var slowestTests []entry
	for key, elapsed := range tests {
		// The time of a test does not contain that of its parallel subtests.
		key.elapsed = max(elapsed, subtests[key])
		slowestTests = append(slowestTests, key)
	}
	printSlowest(out, "TESTS", slowestTests)

	count := make(map[string]int)
	for t, action := range results {
		if action == "fail" && slices.ContainsFunc(flaky, func(f flakyTest) bool { return f.Package == t.Package && f.Test == t.top().Name }) {
			action = "pass"
		}
		count[action]++
	}
	fmt.Fprintf(out, "\n%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"])

	never, err := neverRun(rec, nil)
	if err != nil {
		return err
	}
	if len(never) > 0 {
		fmt.Fprintf(out, "\nSKIPPED\n")
		for _, t := range slices.SortedFunc(maps.Keys(never), func(a, b test) int { return strings.Compare(a.String(), b.String()) }) {
			fmt.Fprintf(out, "%s: %.300s\n", t, strings.TrimSuffix(never[t], "; "))
		}
	}

	fmt.Fprintf(out, "\nFLAKY: %d\n", len(flaky))
	for _, f := range flaky {
		fmt.Fprintf(out, "--- %s %s, in stage %s, with -shuffle=%s\nfailed:\n%s", f.Package, f.Test, f.Stage, cmp.Or(f.Seed, "unknown"), f.Failed)
		fmt.Fprintf(out, "then passed %d times alone:\n%s", repetitions, f.Passed)
	}
	return nil
}

// printSlowest prints the longest durations of a table, with the stage of each.
func printSlowest(out io.Writer, heading string, entries []entry) {
	if len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.elapsed, a.elapsed), strings.Compare(a.stage+a.name, b.stage+b.name))
	})
	fmt.Fprintf(out, "\nSLOWEST %s\n", heading)
	for _, e := range entries[:min(slowest, len(entries))] {
		fmt.Fprintf(out, "%8.1f s  %s: %s\n", e.elapsed.Seconds(), e.stage, e.name)
	}
}
