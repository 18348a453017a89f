package clientconfig_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

func TestChange_Apply_Symlink(t *testing.T) {
	d := newDesk(t)
	d.write("dotfiles/cursor/mcp.json", "{}")
	if err := os.Chmod(d.file("dotfiles/cursor/mcp.json"), 0o640); err != nil {
		t.Fatal(err)
	}
	link(t, d.file("dotfiles/cursor"), d.file(".cursor"))
	link(t, d.file(".cursor/mcp.json"), d.file("again.json"))
	for _, name := range []string{".cursor/mcp.json", "again.json"} {
		at := d.at("cursor", name)
		change := d.install(at, "tool", server)
		if change.Real != d.file("dotfiles/cursor/mcp.json") {
			t.Errorf("it writes to %s", change.Real)
		}
		if noted := len(change.Notes) == 1; noted != (name == "again.json") {
			t.Errorf("%s: %q", name, change.Notes)
		}
		info, err := os.Lstat(d.file("dotfiles/cursor/mcp.json"))
		if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if info, err := os.Lstat(d.file("again.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info.Mode(), err)
		}
		if !strings.Contains(d.read("dotfiles/cursor/mcp.json"), "/opt/bin/tool") {
			t.Error("nothing was written")
		}
		d.undo(d.at("cursor", "dotfiles/cursor/mcp.json"), "") // the file itself knows it too
		if d.read(name) != "{}" {
			t.Errorf("%s", d.read(name))
		}
	}
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
}

func TestChange_Apply_NewDirectory(t *testing.T) {
	d := newDesk(t)
	if err := os.Mkdir(d.file("real"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, d.file("real"), d.file("linked"))
	at := d.at("vscode", "linked/a/b/mcp.json")
	change, err := d.in.Plan(at, "tool", server)
	if err != nil || change.Exists() || d.exists("real/a") {
		t.Fatalf("planning has changed something: %v", err)
	}
	d.install(at, "tool", server)
	if info, err := os.Stat(d.file("real/a/b/mcp.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	d.write("real/a/other", "")
	d.undo(at, "")
	if d.exists("real/a/b") || !d.exists("real/a/other") {
		t.Error("a directory that was made is still there, or one that holds something is not")
	}
	at.Scope = clientconfig.Project
	d.install(at, "tool", server)
	if info, err := os.Stat(d.file("real/a/b/mcp.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&^0o044 != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	records, err := filepath.Glob(filepath.Join(d.in.StateDir, "*"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%q, %v", records, err)
	}
	if info, err := os.Stat(records[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the record is %v, %v", info.Mode(), err)
	}
}

func TestPlan_NotRegularFile(t *testing.T) {
	d := newDesk(t)
	if err := os.Mkdir(d.file("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.write("file", "{}")
	d.write("large", strings.Repeat(" ", 16<<20+1))
	link(t, d.file("nowhere"), d.file("dangling"))
	link(t, d.file("loop"), d.file("loop"))
	for name, want := range map[string]string{
		"dir":       "is a directory",
		"large":     "larger than 16 MiB",
		"dangling":  "a link to a file that does not exist",
		"loop":      "finding",
		"file/more": "", // the system's own words
	} {
		if _, err := d.in.Plan(d.at("cursor", name), "tool", server); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if _, err := d.in.PlanUndo(d.at("cursor", name), ""); err == nil {
			t.Errorf("%s can be undone", name)
		}
	}
	if _, err := clientconfig.Read(d.file("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading what is not there: %v", err)
	}
	if content, err := clientconfig.Read(d.file("file")); err != nil || string(content) != "{}" {
		t.Errorf("%q, %v", content, err)
	}
}

// TestChange_Apply_ChangedFile changes the file between Plan and Apply.
func TestChange_Apply_ChangedFile(t *testing.T) {
	for name, meanwhile := range map[string]func(d *desk){
		"another content": func(d *desk) { d.write("f", "{\"theirs\": 1}") },
		"removed":         func(d *desk) { os.Remove(d.file("f")) },
	} {
		d := newDesk(t)
		d.write("f", "{}")
		change, err := d.in.Plan(d.at("cursor", "f"), "tool", server)
		if err != nil {
			t.Fatal(err)
		}
		meanwhile(d)
		if err := change.Apply(); err == nil {
			t.Errorf("%s: it was overwritten", name)
		}
		if records, err := os.ReadDir(d.in.StateDir); err != nil || len(records) != 0 {
			t.Errorf("%s: %d records of what was not done, %v", name, len(records), err)
		}
	}
	d := newDesk(t)
	at := d.at("cursor", "new/f")
	change, err := d.in.Plan(at, "tool", server)
	if err != nil {
		t.Fatal(err)
	}
	d.write("new/f", "theirs")
	if err := change.Apply(); err == nil || !strings.Contains(err.Error(), "at the same time") || d.read("new/f") != "theirs" {
		t.Errorf("a file that has appeared: %v", err)
	}
	d.write("new/f", "{}")
	d.install(at, "tool", server)
	if err := os.Remove(d.file("new/f")); err != nil {
		t.Fatal(err)
	}
	d.install(at, "tool", server)
	change, err = d.in.PlanUndo(at, "")
	if err != nil || change.Action != clientconfig.Delete {
		t.Fatalf("%+v, %v", change, err)
	}
	d.write("new/f", "theirs")
	if err := change.Apply(); err == nil || d.read("new/f") != "theirs" {
		t.Errorf("a file that has changed was removed: %v", err)
	}
}

func TestChange_Apply_NoStateDir(t *testing.T) {
	d := newDesk(t)
	d.write("f", "{}")
	d.write("state", "a file where the directory should be")
	change, err := d.in.Plan(d.at("cursor", "f"), "tool", server)
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err == nil || d.read("f") != "{}" {
		t.Errorf("%v; the file is %s", err, d.read("f"))
	}
	if _, err := d.in.PlanUndo(d.at("cursor", "f"), ""); err == nil {
		t.Error("it looks for records in a file")
	}
}
