package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver"
)

// The files of the questions have the names in their lines.
func TestServers_Questions(t *testing.T) {
	repository, err := driver.Repository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers() {
		text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(s.project), filepath.FromSlash(s.file)))
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		lines := strings.Split(string(text), "\n")
		if s.line > len(lines) || !strings.Contains(lines[s.line-1], s.symbol) {
			t.Errorf("%s: line %d of %s does not have %s", s.name, s.line, s.file, s.symbol)
		}
	}
}
