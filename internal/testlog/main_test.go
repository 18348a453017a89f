package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const log = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"it broke\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"skip","Package":"no tests"}
`

func TestFailuresArePrinted(t *testing.T) {
	var out strings.Builder
	if err := run(nil, strings.NewReader(log), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "--- p TestA\nit broke\n") || strings.Contains(got, "quiet") || !strings.Contains(got, "1 of 4") {
		t.Errorf("printed\n%s", got)
	}
	if err := run(nil, strings.NewReader("{"), &out); err == nil {
		t.Error("half a log was taken")
	}
}

func TestWhatWasNeverRunIsAnError(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := write("first", log)
	var out strings.Builder
	if err := run([]string{"-skipped", first}, nil, &out); err == nil || !strings.Contains(err.Error(), "p TestB") || strings.Contains(err.Error(), "TestC") {
		t.Errorf("the error is %v, want TestB", err)
	}
	second := write("second", `{"Action":"pass","Package":"p","Test":"TestB"}`)
	if err := run([]string{"-skipped", first, second}, nil, &out); err != nil || !strings.Contains(out.String(), "3 tests, none skipped") {
		t.Errorf("printed %q, %v", out.String(), err)
	}
	for _, args := range [][]string{{"-skipped", first + ".none"}, {"-none"}, {"-skipped", write("broken", "{")}} {
		if err := run(args, nil, &out); err == nil {
			t.Errorf("run(%q) succeeded", args)
		}
	}
}
