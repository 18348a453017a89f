package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func all(string) bool { return true }

func TestCheck(t *testing.T) {
	const profile = "mode: set\n" +
		"m/a/x.go:1.1,2.2 3 1\n" +
		"m/a/x.go:1.1,2.2 3 0\n" + // another binary that did not run it
		"m/a/y.go:1.1,2.2 1 0\n" +
		"m/b/z.go:1.1,2.2 1 0\n"
	var out strings.Builder
	err := check(strings.NewReader(profile), &out, 70, all)
	if want := "  75.0%  m/a\n   0.0%  m/b\n"; out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
	if err == nil || !strings.Contains(err.Error(), "m/b") || strings.Contains(err.Error(), "m/a") {
		t.Errorf("the error is %v, want one that names m/b alone", err)
	}
	if err := check(strings.NewReader(profile), &out, 0, all); err != nil {
		t.Error(err)
	}
	if err := check(strings.NewReader("a.go:1 x 1\n"), &out, 0, all); err == nil {
		t.Error("a broken profile was taken")
	}
}

func TestRun_SomePackages(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cover.out")
	const blocks = "mode: set\nm/a/fixture/x.go:1.1,2.2 1 0\nm/b/x.go:1.1,2.2 1 1\nm/c/server/x.go:1.1,2.2 1 0\nm/observer/x.go:1.1,2.2 1 1\n"
	if err := os.WriteFile(profile, []byte(blocks), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		flag, packages, want string
	}{
		{"-skip", "a/fixture,server", " 100.0%  m/b\n 100.0%  m/observer\n"},
		{"-skip", "c/server,fixture/x.go", " 100.0%  m/b\n 100.0%  m/observer\n"},
		{"-only", "b", " 100.0%  m/b\n"},
	} {
		var out strings.Builder
		if err := run([]string{"-min", "100", tc.flag, tc.packages, profile}, &out); err != nil || out.String() != tc.want {
			t.Errorf("%s %s: printed %q, %v", tc.flag, tc.packages, out.String(), err)
		}
	}
}

func TestRun(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cover.out")
	if err := os.WriteFile(profile, []byte("mode: set\nm/a/x.go:1.1,2.2 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{"-min", "100", profile}, &out); err != nil || !strings.Contains(out.String(), "100.0%  m/a") {
		t.Errorf("printed %q, %v", out.String(), err)
	}
	for _, args := range [][]string{nil, {"a", "b"}, {profile + ".none"}, {"-min", "x", profile}, {"-only", "none", profile}} {
		if err := run(args, &out); err == nil {
			t.Errorf("run(%q) succeeded", args)
		}
	}
}
