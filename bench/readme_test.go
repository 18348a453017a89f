package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme_Commands checks that the benchmarks have the flags with which README.md calls them, by a flag -h behind these flags. The
// benchmarks themselves run for minutes.
func TestReadme_Commands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string // packages with their arguments
	packages := []string{"build", "-o", t.TempDir()}
	for _, m := range regexp.MustCompile(`(?m)^go run (\S+)([^#\n]*)`).FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, append([]string{m[1]}, strings.Fields(m[2])...))
		if !slices.Contains(packages, m[1]) {
			packages = append(packages, m[1])
		}
	}
	if len(commands) < 20 {
		t.Fatalf("found %d commands", len(commands))
	}
	if out, err := exec.CommandContext(t.Context(), "go", packages...).CombinedOutput(); err != nil {
		t.Fatalf("building the benchmarks: %v\n%s", err, out)
	}
	for _, command := range commands {
		name := filepath.Base(command[0])
		if command[0] == "." {
			name = "bench"
		}
		args := slices.DeleteFunc(slices.Clone(command[1:]), func(arg string) bool { return arg == "DIR..." })
		out, err := exec.CommandContext(t.Context(), filepath.Join(packages[2], name), append(args, "-h")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage") {
			t.Errorf("%q: %v\n%s", command, err, out)
		}
	}
}
