package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

// Settings of the user hold inside, with the files that they include and without secrets.
func TestSandbox_Settings(t *testing.T) {
	home, dir := filepath.Join(realDir(t), "home"), realDir(t)
	write(t, map[string]string{
		home + "/.gitconfig": "[user]\n\tname = general\n[url \"https://user:hunter2@example.org/\"]\n\tinsteadOf = https://example.org/\n[sendemail]\n\tsmtpPass = hunter2\n\tsmtpUser = u\n" +
			"[includeIf \"gitdir:" + dir + "/\"]\n\tpath = ~/work.inc\n[core]\n\texcludesFile = ~/dot/ignore\n",
		home + "/work.inc": "[user]\n\tname = worker\n[http]\n\textraHeader = hunter2\n", home + "/dot/ignore": "ignored\n",
		home + "/.cargo/config.toml":   "[env]\nMY_API = \"hunter2\"\nKEPT = \"yes\"\n[registry]\ntoken = \"\"\"\nhunter2\n\"\"\"\n[http]\nproxy = \"u:hunter2@host\"\n[build]\njobs = 2\n",
		home + "/.config/pip/pip.conf": "[global]\nproxy = u:hunter2@host\nretries = 7\n",
	})
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Home: home})
		script := "(test -d .git || git init -q .) && git config user.name && git check-ignore ignored; git config --get-all -f ~/.gitconfig sendemail.insteadOf; cat ~/.gitconfig ~/.cargo/config.toml ~/.config/pip/pip.conf"
		out, _ := run(t, s, dir, script, "HOME="+home)
		want := "worker\nignored\n[user]\n\tname = general\n[sendemail]\n\tsmtpUser = u\n[includeIf \"gitdir:" + dir + "/\"]\n\tpath = ~/work.inc\n[core]\n\texcludesFile = ~/dot/ignore\n" +
			"[env]\nKEPT = \"yes\"\n[registry]\n[http]\n[build]\njobs = 2\n[global]\nretries = 7\n"
		if out != want {
			t.Errorf("got %s\nwant %s", out, want)
		}
	})
}

// A home directory that is a file, for example /dev/null, is none.
func TestSandbox_HomeIsFile(t *testing.T) {
	dir := realDir(t)
	home := filepath.Join(dir, "home")
	write(t, map[string]string{home: ""})
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		for _, home := range []string{home, os.DevNull} {
			s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Home: home})
			if out, code := run(t, s, dir, "test -d ~ && echo made >~/file"); code != 0 {
				t.Errorf("%s: exit code %d: %s", home, code, out)
			}
		}
	})
}
