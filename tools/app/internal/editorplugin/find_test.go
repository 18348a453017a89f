//go:build unix

package editorplugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

func (m *machine) find(project ...string) (found []Editor, skipped []Skipped) {
	return Machine{Environment: m.Environment, Project: project}.Find()
}

// A program of the project is not run, wherever the path to it leads.
func TestFind_ProgramOfProject(t *testing.T) {
	m := newMachine(t)
	project := filepath.Join(m.dir, "project")
	inside := m.add("code", project, "node_modules", ".bin")
	link := filepath.Join(m.variables["PATH"], "codium")
	apptest.Must(t, os.MkdirAll(filepath.Dir(link), 0o755))
	apptest.Must(t, os.Symlink(inside, link))
	m.variables["PATH"] += ":" + filepath.Dir(inside) + ":relative:"
	found, skipped := m.find(project)
	if len(found) > 0 || len(skipped) != 2 || skipped[0].Program != inside || skipped[1].Program != link {
		t.Errorf("found %v, skipped %+v", found, skipped)
	}
	for _, s := range skipped {
		if !strings.Contains(s.Reason, "in the project") || s.Next == "" {
			t.Errorf("%+v", s)
		}
	}
	if found, _ := m.find(); len(found) != 2 {
		t.Errorf("outside of a project: %v", found)
	}
	for _, entry := range (Machine{Environment: m.Environment, Project: []string{project}}).environ() {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok && (strings.Contains(path, project) || strings.Contains(path, "relative")) {
			t.Errorf("the program gets %s", entry)
		}
	}
	// A program of the user is used although one of the project precedes it.
	m.variables["PATH"] = filepath.Dir(inside) + ":" + filepath.Join(m.dir, "own")
	own := m.add("code", m.dir, "own")
	if found, _ := m.find(project); len(found) != 1 || found[0].Where() != own {
		t.Errorf("found %v", found)
	}
}

func TestFind_Remote(t *testing.T) {
	m := newMachine(t)
	program := m.add("code", m.Home, ".vscode-server", "bin", "0a1b", "bin", "remote-cli")
	m.variables["PATH"] = filepath.Dir(program)
	if found, skipped := m.find(); len(found) > 0 || len(skipped) != 1 || !strings.Contains(skipped[0].Next, "terminal of that window") {
		t.Errorf("found %v, skipped %+v", found, skipped)
	}
	m.mustFail(1, []string{"install-extension", "vscode"}, "works only in a terminal of the window")
	m.variables["VSCODE_IPC_HOOK_CLI"] = "/run/x.sock"
	if found, _ := m.find(); len(found) != 1 {
		t.Errorf("in a terminal of the window: %v", found)
	}
}

func TestExamine_WSL(t *testing.T) {
	if !windowsProgram.MatchString("/mnt/c/Users/me/AppData/Local/Programs/Microsoft VS Code/bin/code") || windowsProgram.MatchString("/mnt/data/code") {
		t.Error("programs of Windows are not told from others")
	}
}

func TestPlaces(t *testing.T) {
	p, _ := productOf("cursor")
	getenv := func(name string) string { return map[string]string{"LOCALAPPDATA": `C:\Users\me\AppData\Local`}[name] }
	if got := p.places("darwin", "/Users/me", getenv); !slices.Contains(got, "/Applications/Cursor.app/Contents/Resources/app/bin") || !slices.Contains(got, "/Users/me/Applications/Cursor.app/Contents/Resources/app/bin") {
		t.Errorf("macOS: %q", got)
	}
	if got := p.places("windows", "", getenv); len(got) != 1 || !strings.HasSuffix(got[0], `Programs\cursor\resources\app\bin`) {
		t.Errorf("Windows: %q", got)
	}
	if got := p.files("windows"); !slices.Equal(got, []string{"cursor.cmd"}) || !isBatch(`C:\x\cursor.CMD`) || isBatch("/usr/bin/cursor") {
		t.Errorf("Windows: %q", got)
	}
	vim, _ := productOf(neovimName)
	if got := vim.files("windows"); !slices.Equal(got, []string{"nvim.exe"}) {
		t.Errorf("Windows: %q", got)
	}
	if dir := (Machine{Environment: (&machine{Environment: newMachine(t).Environment}).Environment}).neovimDir(); dir == "" {
		t.Error("the directory of Neovim is unknown")
	}
}

// A program that hangs is ended, with the programs that it has started.
func TestCodeEditor_Hanging(t *testing.T) {
	m := newMachine(t)
	program := m.add("code")
	m.set("mode", "hang")
	p, _ := productOf("vscode")
	e := &codeEditor{product: p, program: program, env: os.Environ(), timeout: 100 * time.Millisecond}
	if _, err := e.Version(t.Context()); err == nil || !strings.Contains(err.Error(), "did not end within 100ms") || !strings.Contains(err.Error(), "close the windows") {
		t.Errorf("%v", err)
	}
	if err := e.Install(t.Context(), "1.2.3"); err == nil || !strings.Contains(err.Error(), "--install-extension did not end") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Version(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The file is named relative to its directory to a script for cmd.exe, which would interpret characters of the directory.
func TestCodeEditor_Batch(t *testing.T) {
	m := newMachine(t)
	program := m.add("code.cmd")
	p, _ := productOf("vscode")
	e := &codeEditor{product: p, program: program, env: os.Environ()}
	err := e.Install(t.Context(), "1.2.3") // the stand-in changes its directory, and so does not find the file
	if calls := m.get("calls"); !strings.Contains(calls, "--install-extension dougu-1.2.3.vsix --force") {
		t.Errorf("the calls are %q, %v", calls, err)
	}
}

func TestCodeEditor_MissingProgram(t *testing.T) {
	p, _ := productOf("vscode")
	e := &codeEditor{product: p, program: filepath.Join(t.TempDir(), "code")}
	if _, err := e.Version(t.Context()); err == nil || !strings.Contains(err.Error(), "starting ") {
		t.Errorf("%v", err)
	}
}
