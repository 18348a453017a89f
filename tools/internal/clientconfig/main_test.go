package clientconfig_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

var server = clientconfig.Server{Command: "/opt/bin/tool", Args: []string{"-root", "/work/my project"}}

// desk is a user with a home directory and a directory for records.
type desk struct {
	t    *testing.T
	home string
	in   *clientconfig.Installer
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t, home, &clientconfig.Installer{Program: "tool", StateDir: filepath.Join(home, "state", "install")}}
}

func client(t testing.TB, name string) clientconfig.Client {
	t.Helper()
	c, err := clientconfig.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (d *desk) file(name string) string { return filepath.Join(d.home, filepath.FromSlash(name)) }

func (d *desk) at(clientName, file string) clientconfig.Location {
	return clientconfig.Location{Client: client(d.t, clientName), Scope: clientconfig.User, File: d.file(file)}
}

func (d *desk) write(name, content string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.file(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.file(name), []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) read(name string) string {
	d.t.Helper()
	content, err := os.ReadFile(d.file(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(content)
}

func (d *desk) exists(name string) bool {
	_, err := os.Lstat(d.file(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// install adds the server and returns the applied change.
func (d *desk) install(at clientconfig.Location, name string, s clientconfig.Server) *clientconfig.Change {
	d.t.Helper()
	change, err := d.in.Plan(at, name, s)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return change
}

func (d *desk) undo(at clientconfig.Location, name string) *clientconfig.Change {
	d.t.Helper()
	change, err := d.in.PlanUndo(at, name)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return change
}

// values decodes JSON with comments.
func values(t interface{ Fatalf(string, ...any) }, content []byte) map[string]any {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	plain, err := hujson.Standardize(append(bytes.Clone(content), '\n'))
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	var all map[string]any
	if err := json.Unmarshal(plain, &all); err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return all
}

// onlyAdded reports whether before becomes after by adding at most a comma and,
// behind it, one span of text.
func onlyAdded(before, after string) error {
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	if strings.HasSuffix(after[same:], before[same:]) {
		return nil
	}
	if !strings.HasPrefix(after[same:], ",") {
		return fmt.Errorf("something else has changed after %q", before[max(0, same-40):same])
	}
	return onlyAdded(before[same:], after[same+1:])
}
