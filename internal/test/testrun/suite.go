package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/group"
)

const (
	// repetitions is how often a failed test runs again, each time alone.
	repetitions = 3
	// maxFlaky is the number of tests that one CI run repeats. With more failures the run fails at once.
	maxFlaky = 5
	// maxOutput is the size in bytes up to which the output of one test is kept.
	maxOutput = 1 << 20
	// maxTrace is the number of lines that are printed of a panic or of an exceeded time limit. The tests that ran come first in them,
	// then the goroutines.
	maxTrace = 600
)

// fatal matches output after which a package is not repeated: data races, panics, exceeded time limits and leaked goroutines.
var fatal = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*|WARNING: DATA RACE|found unexpected goroutines`)

// shuffleSeed matches the line in which a test program prints the seed of its test order.
var shuffleSeed = regexp.MustCompile(`(?m)^-test\.shuffle (\d+)$`)

// suite is one run of "go test" over some packages of a module, and the repetition of its failures.
type suite struct {
	stage  string   // name of the stage, unique in the CI run
	module string   // directory of the module
	args   []string // flags of go test as -name=value, then packages
	record recorder
	out    io.Writer // receives failures as they happen

	// command runs the go command and writes its events. An exit status other than 0 is no error if events tell of it.
	command func(ctx context.Context, module string, args []string, events io.Writer) error
}

// goTest runs "go test -json" in the directory of a module.
func goTest(ctx context.Context, module string, args []string, events io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, events, events
	return cmd.Run()
}

// run executes the tests. It returns an error unless every test passed, at once or in every repetition.
func (s *suite) run(ctx context.Context) error {
	log, err := s.record.createLog(s.stage)
	if err != nil {
		return err
	}
	first, err := s.execute(ctx, append([]string{"-count=1", "-shuffle=on"}, s.args...), log)
	if err = errors.Join(err, log.Close()); err != nil {
		return err
	}
	failed, reasons := first.judge()
	for _, reason := range reasons {
		fmt.Fprintf(s.out, "not repeated: %s\n", reason)
	}
	known, err := s.record.flaky()
	if err != nil {
		return err
	}
	switch {
	case len(reasons) > 0:
		return fmt.Errorf("stage %s failed", s.stage)
	case len(known)+len(failed) > maxFlaky:
		return fmt.Errorf("stage %s failed: %d tests failed, after %d flaky ones, and %d at most are repeated", s.stage, len(failed), len(known), maxFlaky)
	}
	for _, t := range failed {
		passed, err := s.repeat(ctx, t)
		if err != nil {
			return fmt.Errorf("stage %s failed: %w", s.stage, err)
		}
		flaky := flakyTest{Stage: s.stage, Package: t.Package, Test: t.Name, Seed: first.seed(t.Package), Failed: first.outputOf(t), Passed: passed}
		if err := s.record.addFlaky(flaky); err != nil {
			return err
		}
	}
	return nil
}

// repeat runs a failed test alone until it has passed often enough, and returns the output of the last repetition.
func (s *suite) repeat(ctx context.Context, t test) (output string, err error) {
	for n := range repetitions {
		fmt.Fprintf(s.out, "repeating %s, %d of %d\n", t, n+1, repetitions)
		again, err := s.execute(ctx, s.repetitionArgs(t), io.Discard)
		if err != nil {
			return "", err
		}
		if len(again.failures) > 0 || !again.passed[t] {
			return "", fmt.Errorf("%s failed again, or did not run", t)
		}
		output = again.outputOf(t)
	}
	return output, nil
}

// repetitionArgs returns the arguments of go test that run one test alone, with the flags of the suite.
func (s *suite) repetitionArgs(t test) []string {
	args := []string{"-count=1"}
	for _, arg := range s.args {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-"), name == "-run", name == "-skip", name == "-coverprofile":
		default:
			args = append(args, arg)
		}
	}
	return append(args, "-run=^"+regexp.QuoteMeta(t.Name)+"$", t.Package)
}

// execute runs go test, copies its events to log and prints the output of each test that fails.
func (s *suite) execute(ctx context.Context, args []string, log io.Writer) (*outcome, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	var running group.Group
	var exit error
	running.Go(func() {
		defer writer.Close()
		exit = s.command(ctx, s.module, args, writer)
	})
	o := newOutcome()
	err = readEvents(io.TeeReader(reader, log), func(e event) {
		o.add(e)
		if e.Action == "fail" && (e.Test == "" || (test{e.Package, e.Test}).isTop()) {
			fmt.Fprintf(s.out, "--- %s\n%s", test{e.Package, e.Test}, o.outputOf(test{e.Package, e.Test}))
		}
	})
	err = errors.Join(err, reader.Close())
	running.Wait()
	if exit != nil && len(o.failures) == 0 {
		// The go command itself failed: a wrong flag, a package that does not exist, a signal.
		err = errors.Join(err, fmt.Errorf("go test %s: %w\n%s", strings.Join(args, " "), exit, o.outputOf(test{})))
	}
	return o, err
}

// outcome collects the results and the output of the tests of a run.
type outcome struct {
	outputs  map[test]*strings.Builder
	failures map[test]bool // tests, subtests and packages
	passed   map[test]bool
	builds   map[string]bool // import paths that did not compile
}

func newOutcome() *outcome {
	return &outcome{make(map[test]*strings.Builder), make(map[test]bool), make(map[test]bool), make(map[string]bool)}
}

func (o *outcome) add(e event) {
	id := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		// The output of a subtest belongs to its test, too: repetitions and reports show it.
		o.write(id, e.Output)
		if id != id.top() {
			o.write(id.top(), e.Output)
		}
	case "build-output":
		o.write(test{Package: e.ImportPath}, e.Output)
	case "build-fail":
		o.builds[e.ImportPath] = true
		o.failures[test{Package: e.ImportPath}] = true
	case "fail":
		o.failures[id] = true
	case "pass":
		o.passed[id] = true
	}
}

func (o *outcome) write(t test, text string) {
	b := o.outputs[t]
	if b == nil {
		b = new(strings.Builder)
		o.outputs[t] = b
	}
	if b.Len() < maxOutput {
		b.WriteString(text)
	}
}

func (o *outcome) outputOf(t test) string {
	if b := o.outputs[t]; b != nil {
		return b.String()
	}
	return ""
}

// seed returns the seed of the order in which the tests of a package ran.
func (o *outcome) seed(pkg string) string {
	match := shuffleSeed.FindStringSubmatch(o.outputOf(test{Package: pkg}))
	if match == nil {
		return ""
	}
	return match[1]
}

// judge returns the failed top-level tests that may be repeated, and the reasons why packages may not.
func (o *outcome) judge() (repeatable []test, reasons []string) {
	for _, path := range slices.Sorted(maps.Keys(o.builds)) {
		reasons = append(reasons, path+" does not compile:\n"+o.outputOf(test{Package: path}))
	}
	tests := make(map[string][]test)
	for t := range o.failures {
		if t.isTop() {
			tests[t.Package] = append(tests[t.Package], t)
		}
	}
	for t := range o.failures {
		if t.Name != "" || o.builds[t.Package] {
			continue
		}
		switch reason := o.fatalIn(t.Package); {
		case reason != "":
			reasons = append(reasons, t.Package+": "+reason)
		case len(tests[t.Package]) == 0:
			reasons = append(reasons, t.Package+" failed, but none of its tests:\n"+o.outputOf(t))
		default:
			repeatable = append(repeatable, tests[t.Package]...)
		}
	}
	slices.Sort(reasons)
	slices.SortFunc(repeatable, func(a, b test) int { return strings.Compare(a.String(), b.String()) })
	return repeatable, reasons
}

// fatalIn returns the output of a package after which it is not repeated, at most maxTrace lines from the one that says so, or "".
func (o *outcome) fatalIn(pkg string) string {
	for _, t := range slices.SortedFunc(maps.Keys(o.outputs), func(a, b test) int { return strings.Compare(a.Name, b.Name) }) {
		if t.Package != pkg {
			continue
		}
		// A race or a panic may be told in the output of a test that passed, of the one that ran at that moment.
		output := o.outputOf(t)
		if match := fatal.FindStringIndex(output); match != nil {
			lines := strings.SplitAfterN(output[match[0]:], "\n", maxTrace+1)
			return strings.TrimSpace(strings.Join(lines[:min(len(lines), maxTrace)], ""))
		}
	}
	return ""
}
