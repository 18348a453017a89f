package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/confine"
)

func TestProject(t *testing.T) {
	dir := t.TempDir()
	if _, ok := confine.Supported(); !ok {
		if _, err := (confine.Project{Dirs: []string{dir}}).Open(); !errors.Is(err, confine.ErrUnsupported) {
			t.Errorf("%v", err)
		}
		return
	}
	for _, readOnly := range []bool{false, true} {
		place, err := confine.Project{Dirs: []string{dir}, ReadOnly: readOnly, Write: []string{dir}}.Open()
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(place.Temp()); err != nil || !info.IsDir() || place.Thread() == nil || !slices.Equal(place.Environ(), []string{"TMPDIR=" + place.Temp()}) {
			t.Errorf("%+v, %v", place, err)
		}
		if err := place.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(place.Temp()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the directory for temporary files is left: %v", err)
		}
	}
	for name, p := range map[string]confine.Project{"is not absolute": {Read: []string{"relative"}}, "no such file": {Write: []string{filepath.Join(dir, "none")}}} {
		if _, err := p.Open(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// No place confines nothing.
func TestNoPlace(t *testing.T) {
	var place *confine.Place
	if place.Thread() != nil || place.Temp() != "" || place.Environ() != nil || place.Close() != nil {
		t.Error("it confines")
	}
}
