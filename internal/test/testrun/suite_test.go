package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script plays runs of go test: each call takes the next events and fails if they have a failure.
type script struct {
	runs []string
	args [][]string // of each call
}

func (s *script) command(_ context.Context, _ string, args []string, events io.Writer) error {
	s.args = append(s.args, args)
	if len(s.runs) == 0 {
		return errors.New("one run too many")
	}
	next := s.runs[0]
	s.runs = s.runs[1:]
	io.WriteString(events, next)
	if strings.Contains(next, `fail"`) {
		return errors.New("exit status 1")
	}
	return nil
}

// line returns an event as go test -json writes it.
func line(action, test, output string) string {
	return fmt.Sprintf(`{"Action":%q,"Package":"p","Test":%q,"Output":%q,"Elapsed":1.5}`+"\n", action, test, output)
}

func passing(test string) string { return line("pass", test, "") + line("pass", "", "") }
func failing(test string) string {
	return line("output", "", "-test.shuffle 42\n") + line("output", test, "it broke\n") + line("fail", test, "") + line("fail", "", "")
}

// runScript runs a suite on a script and returns its records and output.
func runScript(t *testing.T, s *script, rec recorder, args ...string) (printed string, err error) {
	t.Helper()
	var out strings.Builder
	suite := suite{stage: "tests", args: args, record: rec, out: &out, command: s.command}
	err = suite.run(t.Context())
	if len(s.runs) > 0 {
		t.Errorf("%d runs are left", len(s.runs))
	}
	return out.String(), err
}

func TestSuite_Passes(t *testing.T) {
	s := &script{runs: []string{passing("TestA")}}
	if printed, err := runScript(t, s, recorder{t.TempDir()}, "-race", "./..."); err != nil || printed != "" {
		t.Errorf("printed %q, %v", printed, err)
	}
	if want := []string{"-count=1", "-shuffle=on", "-race", "./..."}; !slices.Equal(s.args[0], want) {
		t.Errorf("go test %q, want %q", s.args[0], want)
	}
}

func TestSuite_FlakyTestIsRecorded(t *testing.T) {
	rec := recorder{t.TempDir()}
	again := line("output", "TestA", "fine\n") + passing("TestA")
	s := &script{runs: []string{failing("TestA"), again, again, again}}
	printed, err := runScript(t, s, rec, "-race", "-run=A|B", "-coverprofile=x", "-timeout=1m", "./...")
	if err != nil || !strings.Contains(printed, "--- p TestA\nit broke\n") {
		t.Errorf("printed %q, %v", printed, err)
	}
	if want := []string{"-count=1", "-race", "-timeout=1m", "-run=^TestA$", "p"}; !slices.Equal(s.args[3], want) {
		t.Errorf("repeated with %q, want %q", s.args[3], want)
	}
	flaky, err := rec.flaky()
	if want := []flakyTest{{"tests", "p", "TestA", "42", "it broke\n", "fine\n"}}; err != nil || !slices.Equal(flaky, want) {
		t.Errorf("recorded %q, %v, want %q", flaky, err, want)
	}
}

func TestSuite_Fails(t *testing.T) {
	many := ""
	for n := range maxFlaky + 1 {
		many += line("fail", fmt.Sprint("Test", n), "")
	}
	many += line("fail", "", "")
	for name, tc := range map[string]struct {
		runs []string
		want string // part of the error or of the printed text
	}{
		"TestFailsAgain":      {[]string{failing("TestA"), passing("TestA"), failing("TestA")}, "p TestA failed again"},
		"RepetitionHasNoTest": {[]string{failing("TestA"), line("pass", "", "")}, "did not run"},
		"DataRace":            {[]string{line("output", "TestB", "WARNING: DATA RACE\n") + failing("TestA")}, "p: WARNING: DATA RACE"},
		"Panic":               {[]string{line("output", "TestA", "panic: no [recovered]\n") + failing("TestA")}, "p: panic: no"},
		"TimeLimit":           {[]string{line("output", "TestB", "panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestB (9m59s)\n") + failing("TestA")}, "p: panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestB (9m59s)"},
		"GoroutineLeak":       {[]string{line("output", "TestA/b", "    leaks.go:78: found unexpected goroutines:\n") + failing("TestA")}, "found unexpected goroutines"},
		"PackageAlone":        {[]string{line("output", "", "exit status 3\n") + line("fail", "", "")}, "p failed, but none of its tests:\nexit status 3"},
		"BuildFails":          {[]string{`{"ImportPath":"q","Action":"build-output","Output":"undefined: x\n"}` + "\n" + `{"ImportPath":"q","Action":"build-fail"}` + "\n"}, "q does not compile:\nundefined: x"},
		"TooManyTests":        {[]string{many}, "6 tests failed"},
		"GoCommand":           {nil, "one run too many"},
	} {
		t.Run(name, func(t *testing.T) {
			printed, err := runScript(t, &script{runs: tc.runs}, recorder{t.TempDir()}, "./...")
			if err == nil || !strings.Contains(printed+err.Error(), tc.want) {
				t.Errorf("printed %s%v, want %q", printed, err, tc.want)
			}
		})
	}
}

func TestSuite_FlakyTestsOfAllStagesAreLimited(t *testing.T) {
	rec := recorder{t.TempDir()}
	for n := range maxFlaky {
		if err := rec.addFlaky(flakyTest{Test: fmt.Sprint("Test", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := runScript(t, &script{runs: []string{failing("TestA")}}, rec, "./..."); err == nil || !strings.Contains(err.Error(), "after 5 flaky ones") {
		t.Errorf("the error is %v", err)
	}
}

// The events of the real go command are understood: a test that fails once, a broken one, and a program that panics.
func TestRun_GoCommand(t *testing.T) {
	t.Parallel()
	module := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"flaky/x_test.go": `package flaky
import ("os"; "testing")
func TestX(t *testing.T) {
	if os.Mkdir("ran", 0o700) == nil { t.Error("the first run fails") }
}
func TestY(t *testing.T) {}
`,
		"broken/x_test.go": `package broken
import "testing"
func TestX(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Error("always") }) }
`,
		"panics/x_test.go": `package panics
import "testing"
func TestX(t *testing.T) { panic("at the disco") }
`,
		"wrong/x.go": "package wrong\n\nvar x int = \"\"\n",
	} {
		path := filepath.Join(module, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for pkg, want := range map[string]string{
		"flaky":  "",
		"broken": "m/broken TestX failed again",
		"panics": "m/panics: panic: at the disco",
		"wrong":  "does not compile",
		"gone":   "does not exist|no such file|cannot find|not found",
	} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var out strings.Builder
			err := run(t.Context(), []string{"run", "-out", dir, "-stage", pkg, "-C", module, "--", "-vet=off", "./" + pkg}, &out)
			if (want == "") != (err == nil) {
				t.Fatalf("printed %s%v", &out, err)
			}
			if err != nil && !slices.ContainsFunc(strings.Split(want, "|"), func(part string) bool { return strings.Contains(out.String()+err.Error(), part) }) {
				t.Errorf("printed %s%v, want %q", &out, err, want)
			}
			flaky, err := recorder{dir}.flaky()
			if err != nil || (len(flaky) == 1) != (pkg == "flaky") {
				t.Errorf("flaky: %+v, %v", flaky, err)
			}
			if pkg == "flaky" && (flaky[0].Test != "TestX" || flaky[0].Seed == "" || !strings.Contains(flaky[0].Failed, "the first run fails") || !strings.Contains(flaky[0].Passed, "PASS: TestX")) {
				t.Errorf("flaky: %+v", flaky[0])
			}
		})
	}
}

func TestSuite_TraceOfAPanicIsLimited(t *testing.T) {
	trace := line("output", "TestA", "panic: boom\n")
	for n := range 2 * maxTrace {
		trace += line("output", "TestA", fmt.Sprintf("goroutine %d\n", n))
	}
	printed, err := runScript(t, &script{runs: []string{trace + line("fail", "", "")}}, recorder{t.TempDir()}, "./...")
	if last := fmt.Sprintf("goroutine %d\n", maxTrace-2); err == nil || !strings.HasSuffix(printed, last) {
		t.Errorf("%v: the output ends with %q, want %q", err, printed[max(0, len(printed)-40):], last)
	}
}
