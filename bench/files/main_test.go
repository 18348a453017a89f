package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dougu-go/dougu/bench/driver/drivertest"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// measure runs parts of the benchmark with small sizes. A wrong result of a server is an error.
func measure(t *testing.T, parts string, more ...string) string {
	t.Helper()
	args := append([]string{"-parts", parts, "-rounds", "1", "-calls", "4", "-small", "200", "-large", "300", "-huge", "4194304"}, more...)
	return drivertest.Run(run).Output(t, args...)
}

func needReference(t *testing.T) {
	t.Helper()
	_, err := os.Stat(filepath.FromSlash("../../internal/test/e2e/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"))
	testrequire.Thing(t, err == nil, "the reference server", "npm ci --prefix internal/test/e2e/node --ignore-scripts")
}

func TestRun_CallsAndMemory(t *testing.T) {
	t.Parallel()
	needReference(t)
	out := measure(t, "calls,memory")
	drivertest.Rows(t, out, `\| read of 5 KB \| dougu`, `\| read of 5 KB \| server-filesystem`, `\| names in 200 files \| server-filesystem`, `\| content, everywhere \| [0-9]`, `\| last lines \| [0-9]`)
}

// Both servers run the same cases; this library's server solves all of them.
func TestRun_Edits(t *testing.T) {
	t.Parallel()
	needReference(t)
	out := measure(t, "edits", "-v")
	drivertest.Rows(t, out, `\| dougu \| (2[2-9][0-9]|[3-9][0-9][0-9]) \| 0 \| 0 \|`, `\| server-filesystem \| [0-9]+ \|`)
}

// The search finds the same lines as ripgrep in the sources of this repository.
func TestRun_Content(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is missing: apt-get install ripgrep")
	}
	source, err := filepath.Abs("../../mcp")
	if err != nil {
		t.Fatal(err)
	}
	out := measure(t, "content", "-source", source)
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| ([0-9]+) \\| ([0-9]+) \\|").FindAllStringSubmatch(out, -1)
	if len(rows) != len(patterns()) {
		t.Fatalf("%d rows for %d patterns:\n%s", len(rows), len(patterns()), out)
	}
	for _, row := range rows {
		if row[2] != row[3] {
			t.Errorf("%s: %s lines, ripgrep finds %s", row[1], row[2], row[3])
		}
	}
}

func TestRun_InvalidFlags(t *testing.T) {
	t.Parallel()
	drivertest.Run(run).Refuses(t, []string{"-parts", "all"}, []string{"-rounds", "0"}, []string{"-huge", "5"}, []string{"more"}, []string{"-unknown"})
}
