package parsecheck

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Run runs an oracle in dir and fails the test on an error. The program reads relative paths, one a
// line, from its standard input. It prints JSON lines: {"file", "error": true} for an unreadable
// file, otherwise {"file", "kind", "name", "start", "end"} for each declaration.
func Run(t testing.TB, dir string, files []string, program string, args ...string) Found {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = dir
	command.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	var errors bytes.Buffer
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errors.Bytes()[max(0, errors.Len()-2000):])
	}
	return read(t, out, files)
}

func read(t testing.TB, out []byte, files []string) Found {
	t.Helper()
	found := Found{}
	for _, path := range files {
		found[path] = nil
	}
	bad := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			File, Kind, Name string
			Start, End       int
			Error            bool
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("the oracle printed %.200q: %v", lines.Bytes(), err)
		}
		path := filepath.ToSlash(line.File)
		if line.Error {
			bad[path] = true
			continue
		}
		found[path] = append(found[path], Decl{line.Kind, line.Name, line.Start, line.End})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for path := range bad {
		delete(found, path)
	}
	return found
}
