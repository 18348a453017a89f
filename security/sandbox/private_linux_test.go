package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

// inHome are the options for a project in the home directory of a user with tool chains.
func inHome(t *testing.T) (o sandbox.Options, home, project string) {
	t.Helper()
	home = filepath.Join(realDir(t), "home")
	project = filepath.Join(home, "work/p")
	write(t, map[string]string{
		filepath.Join(project, ".git/config"): "entry\n", filepath.Join(home, ".cargo/bin/tool"): "", filepath.Join(home, ".gitconfig"): "[user]\n\tname = n\n",
	})
	return sandbox.Options{Dirs: []string{project}, Home: home, StateDir: filepath.Join(realDir(t), "state")}, home, project
}

// A command that changes directories above its mounts changes neither the kind of the next sandbox nor later commands of its own.
func TestSandbox_MountPointsInHome(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Namespaces, sandbox.Bubblewrap} {
		if testing.Short() && kind == sandbox.Bubblewrap {
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			o, _, project := inHome(t)
			top := "/" + strings.Split(project, "/")[2] // below /tmp
			s := open(t, kind, o)
			for _, script := range []string{
				"cd; mv work w2 && touch work", "cd; rm -rf work; ln -s / work", "mv ~/.cargo ~/.c2; mkdir ~/.cargo; echo >~/.cargo/bin", "cd; rm -f .gitconfig; mkdir .gitconfig",
				"mv /tmp" + top + " /tmp/x; ln -s / /tmp" + top, "mv /var/tmp" + top + " /var/tmp/x; ln -s / /var/tmp" + top,
				"mv ~/.cache ~/.cache2; ln -s / ~/.cache", "rm -rf ~/.cache/* ~/.cache; echo >~/.cache/go-build",
			} {
				said, _ := run(t, s, project, script)
				if out, code := run(t, s, project, "test -d . && test -e ~/.cargo/bin/tool && grep n ~/.gitconfig && ! echo x >>.git/config"); code != 0 {
					t.Fatalf("after %s (%s): exit code %d: %s", script, said, code, out)
				}
			}
			if again := open(t, kind, o); again.Status().Kind != kind {
				t.Errorf("the next sandbox is %+v", again.Status())
			}
		})
	}
}

// Caches outlive a sandbox, and other files of the private home directory do not.
func TestSandbox_Caches(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		o, _, project := inHome(t)
		if out, code := run(t, open(t, kind, o), project, "echo kept >~/.cache/file && mkdir -p ~/.cargo/registry && echo kept >~/.cargo/registry/file && echo gone >~/file"); code != 0 {
			t.Fatal(out)
		}
		if out, code := run(t, open(t, kind, o), project, "grep kept ~/.cache/file ~/.cargo/registry/file && ! test -e ~/file"); code != 0 {
			t.Error(out)
		}
	})
}

// A sandbox that works on the machine, and not for the project, is an error: the next kind would be weaker.
func TestNew_NoWeakerKind(t *testing.T) {
	o, _, project := inHome(t)
	state := o.StateDir
	if err := errors.Join(os.MkdirAll(filepath.Join(state, "caches"), 0o700), os.Symlink("/", filepath.Join(state, "caches", ".cache"))); err != nil {
		t.Fatal(err)
	}
	o.Helper = helper
	if s, err := sandbox.New(t.Context(), o); err == nil {
		t.Errorf("a cache that is a link gives %+v", s.Status())
	}
	// Many protected files make a plan that is larger than an argument may be.
	o.StateDir = ""
	for i := range 500 {
		if err := os.WriteFile(filepath.Join(project, strings.Repeat("n", 200)+strconv.Itoa(i)+".code-workspace"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(project, "\xff.code-workspace"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, sandbox.Namespaces, o)
	if out, code := run(t, s, project, "! echo x >\xff.code-workspace"); code != 0 {
		t.Error(out)
	}
}

// Commands do not see the plan of their sandbox.
func TestSandbox_PlanIsHidden(t *testing.T) {
	o, _, project := inHome(t)
	write(t, map[string]string{filepath.Join(project, "hidden-name"): "x"})
	o.Hidden = []string{filepath.Join(project, "hidden-name")}
	s := open(t, sandbox.Namespaces, o)
	if out, code := run(t, s, project, "tr '\\0' ' ' </proc/1/cmdline | grep -e hidden[-]name -e /us[r]"); code == 0 {
		t.Error(out)
	}
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(s.Temp()), "plans"))
	if err != nil || len(entries) > 0 {
		t.Errorf("%d plans are left, %v", len(entries), err)
	}
}
