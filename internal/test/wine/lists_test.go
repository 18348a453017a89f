package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLists_AreCurrent(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkLists(root, skips, excluded); err != nil {
		t.Error(err)
	}
}

func TestCheckLists_Stale(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("package a\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a_test.go", "func TestOne() {}\nfunc ExampleTwo() {}\nfunc helper() {}\n")
	write("a/b_linux_test.go", "func TestLinux() {}\n")
	good := []exclusion{{"reason", []string{"a/..."}}}
	for name, tc := range map[string]struct {
		skips    []skip
		excluded []exclusion
		want     string
	}{
		"current":              {[]skip{{"reason", "a", []string{"TestOne", "ExampleTwo"}}}, nil, ""},
		"excluded":             {nil, good, ""},
		"unknown test":         {[]skip{{"reason", "a", []string{"TestNone"}}}, nil, "TestNone"},
		"other system":         {[]skip{{"reason", "a", []string{"TestLinux"}}}, nil, "TestLinux"},
		"helper":               {[]skip{{"reason", "a", []string{"helper"}}}, nil, "helper"},
		"twice":                {[]skip{{"reason", "a", []string{"TestOne"}}, {"other", "a", []string{"TestOne"}}}, nil, "twice"},
		"unknown package":      {[]skip{{"reason", "b", []string{"TestOne"}}}, nil, "package b"},
		"no reason":            {[]skip{{"", "a", []string{"TestOne"}}}, nil, "no reason"},
		"excluded package":     {[]skip{{"reason", "a", []string{"TestOne"}}}, good, "excluded package"},
		"unknown exclusion":    {nil, []exclusion{{"reason", []string{"b"}}}, "package b"},
		"exclusion, no reason": {nil, []exclusion{{"", []string{"a"}}}, "no reason"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkLists(root, tc.skips, tc.excluded)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("checkLists: %v, want %q", err, tc.want)
			}
		})
	}
}

func TestExcludes_Trees(t *testing.T) {
	list := []exclusion{{"reason", []string{"a/...", "b"}}}
	for pkg, want := range map[string]bool{"a": true, "a/x": true, "ab": false, "b": true, "b/x": false} {
		if got := excludes(list, pkg); got != want {
			t.Errorf("%s: %v", pkg, got)
		}
	}
}

func TestSkipPattern_Package(t *testing.T) {
	list := []skip{{"reason", "a", []string{"TestOne"}}, {"other", "a", []string{"TestTwo"}}, {"reason", "b", []string{"TestThree"}}}
	for pkg, want := range map[string]string{"a": "^(TestOne|TestTwo)$", "b": "^(TestThree)$", "c": ""} {
		if got := skipPattern(list, pkg); got != want {
			t.Errorf("%s: %q, want %q", pkg, got, want)
		}
	}
}

func TestTestEnv_Removed(t *testing.T) {
	got := testEnv([]string{"PATH=/bin", "GOTMPDIR=/tmp", "DOUGU_LEVEL=deep", "WINEPREFIX=/p"})
	if want := []string{"PATH=/bin", "WINEPREFIX=/p"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
