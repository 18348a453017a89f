package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// records returns a recorder with the event logs of some stages.
func records(t *testing.T, logs map[string]string) recorder {
	t.Helper()
	dir := t.TempDir()
	for stage, log := range logs {
		if err := os.WriteFile(filepath.Join(dir, stage+logSuffix), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return recorder{dir}
}

func TestReport_Tables(t *testing.T) {
	rec := records(t, map[string]string{
		"fast": `{"Action":"pass","Package":"p","Test":"TestQuick","Elapsed":0.1}
{"Action":"pass","Package":"p","Test":"TestSlow","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestSlow/sub","Elapsed":4}
{"Action":"pass","Package":"p","Test":"TestSlow/parallel","Elapsed":5}
{"Action":"pass","Package":"p","Test":"TestSlow/parallel/deeper","Elapsed":5}
{"Action":"skip","Package":"p","Test":"TestDeep"}
{"Action":"fail","Package":"p","Test":"TestFlaky/sub"}
{"Action":"fail","Package":"p","Test":"TestFlaky","Elapsed":1}
{"Action":"fail","Package":"p","Test":"TestBroken","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":12.5}
`,
		"deep": `{"Action":"pass","Package":"p","Test":"TestDeep","Elapsed":3}
`,
	})
	for _, args := range [][]string{{"stage", "-out", rec.dir, "format", "3"}, {"stage", "-out", rec.dir, "tests", "70"}} {
		if err := run(t.Context(), args, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.addFlaky(flakyTest{"fast", "p", "TestFlaky", "42", "it broke\n", "fine\n"}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"report", "-out", rec.dir}, &out); err != nil {
		t.Fatal(err)
	}
	const want = `
STAGES
     3 s  format
    70 s  tests
    73 s  altogether

SLOWEST PACKAGES
    12.5 s  fast: p

SLOWEST TESTS
     9.0 s  fast: p TestSlow
     3.0 s  deep: p TestDeep
     1.0 s  fast: p TestBroken
     1.0 s  fast: p TestFlaky
     0.1 s  fast: p TestQuick
     0.0 s  fast: p TestDeep

8 passed, 1 failed, 0 skipped

FLAKY: 1
--- p TestFlaky, in stage fast, with -shuffle=42
failed:
it broke
then passed 3 times alone:
fine
`
	got := out.String()
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestCheckSkipped(t *testing.T) {
	fast := `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:5: an editor belongs to the deep level\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:5: a disk cannot be mounted\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"skip","Package":"no tests"}
a message of the go command
`
	var out strings.Builder
	if err := checkSkipped(records(t, map[string]string{"fast": fast}), nil, &out); err == nil || !strings.Contains(err.Error(), "p TestB") || strings.Contains(err.Error(), "TestA") || strings.Contains(err.Error(), "TestC") {
		t.Errorf("the error is %v, want TestB", err)
	}
	deep := `{"Action":"pass","Package":"p","Test":"TestB"}`
	rec := records(t, map[string]string{"fast": fast, "deep": deep})
	if err := checkSkipped(rec, nil, &out); err != nil {
		t.Errorf("with a stage that runs TestB, the error is %v", err)
	}
	if err := checkSkipped(records(t, map[string]string{"fast": deep, "other": fast}), []string{"fast"}, &out); err != nil {
		t.Errorf("a stage that is not checked: %v", err)
	}
	out.Reset()
	if err := report(rec, &out); err != nil || !strings.Contains(out.String(), "\nSKIPPED\np TestC: fast: c_test.go:5: a disk cannot be mounted\n") {
		t.Errorf("the report is %s, %v", out.String(), err)
	}
}

func TestPrintLeftOut(t *testing.T) {
	rec := records(t, map[string]string{
		"fast": `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestC/sub","Output":"    c_test.go:5: an editor belongs to the deep level\n"}
{"Action":"skip","Package":"p","Test":"TestC/sub"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"output","Package":"q","Test":"TestB","Output":"    b_test.go:5: a browser belongs to the deep level\n"}
{"Action":"skip","Package":"q","Test":"TestB"}
{"Action":"output","Package":"q","Test":"TestD","Output":"    d_test.go:5: a disk cannot be mounted\n"}
{"Action":"skip","Package":"q","Test":"TestD"}
`,
		"whole": `{"Action":"pass","Package":"p","Test":"TestA"}`,
	})
	for stage, want := range map[string]string{"fast": "^(TestB|TestC)$\n", "whole": "^()$\n", "not run": ".\n"} {
		var out strings.Builder
		if err := run(t.Context(), []string{"left-out", "-out", rec.dir, stage}, &out); err != nil || out.String() != want {
			t.Errorf("stage %s: %q, %v; want %q", stage, out.String(), err, want)
		}
	}
}

func TestRun_WrongArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"run"}, {"run", "-out", "x"}, {"report"}, {"report", "-none"}, {"left-out", "-out", "x"}, {"boil", "-out", "x"}, {"stage", "-out", "x", "format"}, {"stage", "-out", "x", "format", "long"}} {
		if err := run(t.Context(), args, nil); err == nil {
			t.Errorf("run(%q) succeeded", args)
		}
	}
	rec := records(t, map[string]string{})
	if err := os.WriteFile(filepath.Join(rec.dir, stagesFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := report(rec, nil); err == nil || !strings.Contains(err.Error(), stagesFile) {
		t.Errorf("the error is %v, want one that names the damaged file", err)
	}
}
