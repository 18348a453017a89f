//go:build unix

package cursor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// installed installs the replacement program below home, and returns options that find it
// there.
func installed(t *testing.T, home, name string) cursor.Options {
	t.Helper()
	for _, dir := range []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"} {
		for _, real := range []string{"cursor-agent", "agent"} {
			if _, err := os.Stat(filepath.Join(dir, real)); err == nil {
				t.Skip("there is a program of this name")
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(home, ".local", "bin")
	write(t, filepath.Join(bin, name), "#!/bin/sh\nexec '"+self+"' fakeagent \"$@\"\n", 0o700)
	t.Setenv("HOME", home)
	t.Setenv("PATH", "/bin:/usr/bin")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CURSOR_CONFIG_DIR", "")
	return longTimeouts()
}

// write creates a file and its directory.
func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// installedSettings is settingsOf for the installed program.
func installedSettings(t *testing.T, o cursor.Options, s executor.Spec) seen {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seen.json")
	s.Env = append(s.Env, spy+"="+file)
	x, err := cursor.New(o)
	if err != nil {
		t.Fatal(err)
	}
	run(t, x, s)
	return readSeen(t, file)
}

func TestRun_UserSettings(t *testing.T) {
	const usual, xdg, chosen = ".cursor", "xdg/cursor", "chosen"
	for _, test := range []struct {
		name            string
		there           []string // directories with a settings file
		xdg, chosen     bool     // XDG_CONFIG_HOME and CURSOR_CONFIG_DIR are set
		want, wantChats string
	}{
		{"where they usually are", []string{usual}, false, false, usual, usual},
		{"nowhere yet", nil, false, false, "", usual},
		{"where the variable for all programs says", []string{usual, xdg}, true, false, xdg, xdg},
		{"not yet where that says", []string{usual}, true, false, usual, usual},
		{"nowhere yet, with that variable", nil, true, false, "", xdg},
		{"where its own variable says", []string{usual, xdg, chosen}, true, true, chosen, chosen},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			o := installed(t, home, "cursor-agent")
			for _, dir := range test.there {
				write(t, filepath.Join(home, dir, "cli-config.json"), fmt.Sprintf(`{"version":1,"from":%q}`, dir), 0o600)
			}
			if test.xdg {
				t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "xdg"))
			}
			if test.chosen {
				t.Setenv("CURSOR_CONFIG_DIR", filepath.Join(home, chosen))
			}
			got := installedSettings(t, o, spec(t, "look"))
			from, _ := got.config["from"].(string)
			if from != test.want {
				t.Errorf("the settings are those in %q, want %q", from, test.want)
			}
			if _, err := os.Stat(filepath.Join(home, test.wantChats, "chats", "session")); err != nil {
				t.Errorf("the session is not kept: %v", err)
			}
		})
	}
}

func TestRun_WithoutLinks(t *testing.T) {
	home := t.TempDir()
	o := installed(t, home, "agent")
	write(t, filepath.Join(home, "file"), "", 0o600)
	t.Setenv("CURSOR_CONFIG_DIR", filepath.Join(home, "file"))
	if got := installedSettings(t, o, spec(t, "look")); got.dir != filepath.Join(home, "file") {
		t.Errorf("the settings are in %q", got.dir)
	}
	x, err := cursor.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := spec(t, "look")
	s.Tools = []string{"Shell(git)"}
	if _, err := x.Run(t.Context(), s, func(executor.Event) {}); err == nil || !strings.Contains(err.Error(), "linked") {
		t.Errorf("permissions that nobody would keep: %v", err)
	}
}

func TestFind_MissingProgram(t *testing.T) {
	home := t.TempDir()
	o := installed(t, home, "something-else")
	x, err := cursor.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if x.Name() != cursor.Name {
		t.Errorf("it is called %q", x.Name())
	}
	_, err = x.Run(t.Context(), spec(t, "look"), func(executor.Event) {})
	if !errors.Is(err, executor.ErrUnavailable) || !strings.Contains(err.Error(), "install it") {
		t.Errorf("the error is %v", err)
	}
	if _, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) {
		t.Errorf("asked for its models: %v", err)
	}
	write(t, filepath.Join(home, ".local", "bin", "agent"), "#!/bin/sh\necho 'command not found: models' >&2\nexit 3\n", 0o700)
	if _, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) || !strings.Contains(err.Error(), "code 3") {
		t.Errorf("one that cannot list its models: %v", err)
	}
	write(t, filepath.Join(home, ".local", "bin", "agent"), "#!/bin/sh\necho Hello\n", 0o700)
	if _, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) || !strings.Contains(err.Error(), "Hello") {
		t.Errorf("one that says something else: %v", err)
	}
}
