package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/git"
)

// trap is a repository that has a program run.
type trap struct {
	name string
	// group is that of the traps that are laid together.
	group string
	// set are keys of its configuration, in which TRAP stands for the program.
	set map[string]string
	// files are further files of it; those that begin with .git/ are programs, in which TRAP stands for what they do.
	files map[string]string
	// springs is a command of the user with which the program is run, so that the trap is known to be one. Empty: what a user does not do
	// with the git that is here.
	springs []string
	// says is a part of what status tells of it.
	says string
}

func traps() []trap {
	attributes := func(line string) map[string]string {
		return map[string]string{".gitattributes": "*.txt " + line + "\n"}
	}
	return []trap{
		{name: "fsmonitor", group: "settings", set: map[string]string{"core.fsmonitor": "TRAP"}, springs: []string{"status"}, says: "core.fsmonitor"},
		{name: "hooksPath", group: "hooksPath", set: map[string]string{"core.hooksPath": "evil-hooks"}, files: map[string]string{"evil-hooks/pre-commit": "TRAP", "evil-hooks/post-checkout": "TRAP", "evil-hooks/pre-push": "TRAP", "evil-hooks/reference-transaction": "TRAP", "evil-hooks/post-index-change": "TRAP"},
			springs: []string{"commit", "--allow-empty", "-m", "x"}, says: "core.hookspath"},
		{name: "hooks", group: "hooks", files: map[string]string{".git/hooks/pre-commit": "TRAP", ".git/hooks/post-commit": "TRAP", ".git/hooks/commit-msg": "TRAP", ".git/hooks/post-checkout": "TRAP", ".git/hooks/pre-push": "TRAP", ".git/hooks/post-merge": "TRAP", ".git/hooks/reference-transaction": "TRAP",
			".git/hooks/post-index-change": "TRAP", ".git/hooks/prepare-commit-msg": "TRAP", ".git/hooks/pre-merge-commit": "TRAP", ".git/hooks/pre-rebase": "TRAP", ".git/hooks/post-rewrite": "TRAP", ".git/hooks/fsmonitor-watchman": "TRAP", ".git/hooks/pre-auto-gc": "TRAP", ".git/hooks/sendemail-validate": "TRAP"},
			springs: []string{"commit", "--allow-empty", "-m", "x"}},
		{name: "clean filter", group: "filters", set: map[string]string{"filter.evil.clean": "TRAP", "filter.evil.required": "true"}, files: attributes("filter=evil"), springs: []string{"add", "-A"}, says: "filter.evil.clean"},
		{name: "smudge filter", group: "filters", set: map[string]string{"filter.evil.smudge": "TRAP"}, files: attributes("filter=evil"), springs: []string{"checkout", "-f", "side"}, says: "filter.evil.smudge"},
		{name: "filter process", group: "filter process", set: map[string]string{"filter.evil.process": "TRAP"}, files: attributes("filter=evil"), springs: []string{"checkout", "-f", "side"}, says: "filter.evil.process"},
		{name: "filter of info/attributes", group: "filter of info/attributes", set: map[string]string{"filter.Evil.Clean": "TRAP"}, files: map[string]string{".git/info/attributes": "*.txt filter=Evil\n"}, springs: []string{"add", "-A"}},
		{name: "textconv", group: "diff", set: map[string]string{"diff.evil.textconv": "TRAP"}, files: attributes("diff=evil"), springs: []string{"diff"}, says: "diff.evil.textconv"},
		{name: "textconv in blame", group: "diff", set: map[string]string{"diff.evil.textconv": "TRAP"}, files: attributes("diff=evil"), springs: []string{"blame", "a.txt"}},
		{name: "external diff", group: "diff", set: map[string]string{"diff.external": "TRAP"}, springs: []string{"diff"}, says: "diff.external"},
		{name: "diff driver", group: "diff driver", set: map[string]string{"diff.evil.command": "TRAP"}, files: attributes("diff=evil"), springs: []string{"diff"}, says: "diff.evil.command"},
		{name: "pager", group: "settings", set: map[string]string{"core.pager": "TRAP", "pager.log": "TRAP", "pager.diff": "TRAP", "pager.status": "TRAP"}, says: "core.pager"},
		{name: "editor", group: "settings", set: map[string]string{"core.editor": "TRAP", "sequence.editor": "TRAP"}, springs: []string{"commit", "--allow-empty"}, says: "core.editor"},
		{name: "signing", group: "settings", set: map[string]string{"gpg.program": "TRAP", "gpg.openpgp.program": "TRAP"}, springs: []string{"commit", "--allow-empty", "-S", "-m", "x"}, says: "gpg.program"},
		{name: "signatures in the log", group: "settings", set: map[string]string{"gpg.program": "TRAP", "log.showSignature": "true"}},
		{name: "signing with ssh", group: "ssh", set: map[string]string{"gpg.format": "ssh", "gpg.ssh.program": "TRAP", "gpg.ssh.defaultKeyCommand": "TRAP"}, springs: []string{"commit", "--allow-empty", "-S", "-m", "x"}},
		{name: "merge driver", group: "merge", set: map[string]string{"merge.evil.driver": "TRAP"}, files: attributes("merge=evil"), springs: []string{"merge", "side"}, says: "merge.evil.driver"},
		{name: "default merge driver", group: "merge", set: map[string]string{"merge.evil.driver": "TRAP", "merge.default": "evil"}, springs: []string{"merge", "side"}},
		{name: "merge options", group: "merge options", set: map[string]string{"branch.main.mergeOptions": "--no-commit --no-such-option"}},
		{name: "alias", group: "settings", set: map[string]string{"alias.status": "!TRAP", "alias.st": "!TRAP", "alias.commit": "!TRAP"}, springs: []string{"st"}},
		{name: "alternates", group: "settings", set: map[string]string{"core.alternateRefsCommand": "TRAP"}, files: map[string]string{".git/objects/info/alternates": "ALTERNATE\n"}, says: "core.alternaterefscommand"},
		{name: "include", group: "include", set: map[string]string{"include.path": "../evil.inc"}, files: map[string]string{"evil.inc": "[core]\n\tfsmonitor = TRAP\n[filter \"evil\"]\n\tclean = TRAP\n", ".gitattributes": "*.txt filter=evil\n"}, springs: []string{"status"}, says: "filter.evil.clean"},
		{name: "conditional include", group: "conditional include", set: map[string]string{"includeIf.onbranch:main.path": "../evil.inc"}, files: map[string]string{"evil.inc": "[diff]\n\texternal = TRAP\n"}, springs: []string{"diff"}, says: "diff.external"},
		{name: "configuration of the work tree", group: "work tree", set: map[string]string{"extensions.worktreeConfig": "true"}, files: map[string]string{".git/config.worktree": "[diff]\n\texternal = TRAP\n"}, springs: []string{"diff"}, says: "diff.external"},
		{name: "configured hook", group: "settings", set: map[string]string{"hook.evil.command": "TRAP", "hook.evil.event": "pre-commit"}, says: "hook.evil.command"},
		{name: "what nobody knows yet", group: "settings", set: map[string]string{"future.evil.someCommand": "TRAP"}, says: "future.evil.somecommand"},
		{name: "trailer", group: "settings", set: map[string]string{"trailer.x.command": "TRAP", "trailer.x.ifmissing": "add"}},
		{name: "submodule update", group: "settings", set: map[string]string{"submodule.lib.update": "!TRAP", "submodule.lib.url": ".", "submodule.recurse": "true"}, files: map[string]string{".gitmodules": "[submodule \"lib\"]\n\tpath = lib\n\turl = .\n\tupdate = !TRAP\n"}},
		{name: "maintenance", group: "hooks", set: map[string]string{"gc.auto": "1", "gc.autoDetach": "false"}, files: map[string]string{".git/hooks/pre-auto-gc": "TRAP"}},
	}
}

// Each trap is one: the user's own git springs it.
func TestTheTrapsAreTraps(t *testing.T) {
	p := newVictim(t)
	for _, tr := range traps() {
		if len(tr.springs) == 0 {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			p, sprung := p.lay(t, tr)
			cmd := exec.Command("git", tr.springs...)
			cmd.Dir = p.dir
			out, _ := cmd.CombinedOutput()
			if _, err := os.Stat(sprung); err != nil {
				t.Errorf("git %q does not spring it:\n%s", tr.springs, out)
			}
		})
	}
}

// Nothing that comes with a repository is run, whatever is done with it. Traps of different kinds do not mind each other.
func TestNothingOfARepositoryIsRun(t *testing.T) {
	victim := newVictim(t)
	groups := make(map[string][]trap)
	var order []string
	for _, tr := range traps() {
		if groups[tr.group] == nil {
			order = append(order, tr.group)
		}
		groups[tr.group] = append(groups[tr.group], tr)
	}
	for _, group := range order {
		t.Run(group, func(t *testing.T) {
			p, sprung := victim.lay(t, groups[group]...)
			p.reopen(setup{options: git.Options{LocalRemotes: true}})
			s := must(p.Status(t.Context(), git.StatusArgs{}))(t)
			for _, tr := range groups[group] {
				contains(t, strings.ToLower(strings.Join(s.TurnedOff, "\n")), tr.says)
			}
			doEverything(t, p)
			if _, err := os.Stat(sprung); err == nil {
				t.Error("a trap has sprung")
			}
		})
	}
}

// newVictim makes a repository of which main and side differ, and a remote with something new.
func newVictim(t *testing.T) *project {
	t.Helper()
	p := newProject(t, setup{files: map[string]string{"a.txt": "1\n2\n3\n", "b.txt": "b\n"}})
	p.git("checkout", "--quiet", "-b", "side")
	p.write("a.txt", "1\nside\n3\n")
	p.commit("side")
	p.git("checkout", "--quiet", "main")
	p.write("a.txt", "1\nmain\n3\n")
	p.commit("main")
	other := p.other(p.origin())
	p.commitIn(other, "theirs.txt", "x\n")
	p.gitIn(other, "push", "--quiet")
	p.write("new.txt", "new\n")
	return p
}

// lay copies the repository and its remote, lays traps in it, and answers the file that tells whether one has sprung.
func (p *project) lay(t *testing.T, all ...trap) (_ *project, sprung string) {
	t.Helper()
	bare := p.git("remote", "get-url", "origin")
	dir, remote := realDir(t), realDir(t)
	must0(t, os.CopyFS(dir, os.DirFS(p.dir)))
	must0(t, os.CopyFS(remote, os.DirFS(bare)))
	p = &project{t: t, dir: dir, home: p.home, audit: p.audit}
	p.git("config", "remote.origin.url", remote)
	p.git("remote", "add", "here", dir)
	sprung = filepath.Join(realDir(t), "sprung")
	program := p.script(filepath.Join(realDir(t), "trap"), "touch "+sprung+"\ncat\n")
	fill := strings.NewReplacer("TRAP", program, "ALTERNATE", filepath.Join(remote, "objects"))
	p.write("b.txt", "changed and longer\n")
	for _, tr := range all {
		for name, text := range tr.files {
			if strings.Contains(name, "hooks/") {
				p.script(filepath.Join(p.dir, name), fill.Replace(text)+"\n")
			} else {
				p.write(name, fill.Replace(text))
			}
		}
		for key, value := range tr.set {
			p.disarmed("config", key, fill.Replace(value))
		}
	}
	must0(t, os.RemoveAll(sprung))
	later := time.Now().Add(time.Second) // so that git looks into the files
	for _, name := range []string{"a.txt", "b.txt"} {
		must0(t, os.Chtimes(filepath.Join(p.dir, name), later, later))
	}
	return p, sprung
}

// doEverything uses every tool in many ways. What fails, fails.
func doEverything(t *testing.T, p *project) {
	t.Helper()
	ctx := t.Context()
	note := func(what string, err error) { t.Helper(); t.Logf("%s: %v", what, err) }
	look := func() {
		for _, args := range []git.DiffArgs{{}, {Staged: true}, {From: "HEAD"}, {From: "main", To: "side"}, {From: "side", To: "main", MergeBase: true}} {
			_, err := p.Diff(ctx, args)
			note("diff", err)
		}
		_, err := p.Log(ctx, git.LogArgs{Body: true, Files: true})
		note("log", err)
		_, err = p.Log(ctx, git.LogArgs{Path: "a.txt"})
		note("log", err)
		_, err = p.Blame(ctx, git.BlameArgs{Path: "a.txt"})
		note("blame", err)
		_, err = p.Status(ctx, git.StatusArgs{Path: "."})
		note("status", err)
	}
	look()
	branch := func(args git.BranchArgs) { _, err := p.Branch(ctx, args); note("branch "+args.Action, err) }
	branch(git.BranchArgs{Remote: true})
	_, err := p.Pull(ctx, git.PullArgs{})
	note("pull", err)
	_, err = p.Commit(ctx, git.CommitArgs{Message: "paths", Paths: []string{"new.txt"}})
	note("commit", err)
	_, err = p.Pull(ctx, git.PullArgs{Mode: "merge"})
	note("pull", err)
	_, err = p.Commit(ctx, git.CommitArgs{Message: "all", All: true})
	note("commit", err)
	_, err = p.Commit(ctx, git.CommitArgs{Message: "again", Amend: true})
	note("commit", err)
	p.restore()
	branch(git.BranchArgs{Action: "create", Name: "x", Switch: true})
	branch(git.BranchArgs{Action: "switch", Name: "side"})
	branch(git.BranchArgs{Action: "switch", Name: "main"})
	branch(git.BranchArgs{Action: "delete", Name: "x"})
	_, err = p.Push(ctx, git.PushArgs{})
	note("push", err)
	_, err = p.Push(ctx, git.PushArgs{SetUpstream: true})
	note("push", err)
	for _, mode := range []string{"merge", "rebase"} {
		_, err = p.Pull(ctx, git.PullArgs{Mode: mode, Remote: "here", Branch: "side"})
		note("pull", err)
		look()
		_, err = p.Pull(ctx, git.PullArgs{Continue: true})
		note("continue", err)
		_, err = p.Pull(ctx, git.PullArgs{Abort: true})
		note("abort", err)
	}
}

// restore gives the work tree back what is committed, without springing anything.
func (p *project) restore() {
	p.disarmed("-c", "filter.evil.clean=", "-c", "filter.evil.smudge=", "-c", "filter.evil.process=", "-c", "filter.Evil.clean=", "-c", "filter.evil.required=false", "-c", "core.fsmonitor=false", "checkout", "--quiet", "--force", "--", "a.txt", "b.txt")
}

// disarmed is git without hooks.
func (p *project) disarmed(args ...string) {
	cmd := exec.Command("git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = p.dir
	_ = cmd.Run()
}
