//go:build unix

package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/git"
)

// Remotes that run programs or lead to forbidden places are refused.
func TestRemote_Hostile(t *testing.T) {
	sprung := filepath.Join(realDir(t), "sprung")
	elsewhere := newProject(t, setup{files: map[string]string{"private.txt": "p\n"}})
	for name, tc := range map[string]struct {
		set  map[string]string
		code string
	}{
		"ext":               {map[string]string{"remote.origin.url": "ext::touch " + sprung, "protocol.ext.allow": "always"}, "REMOTE_NOT_ALLOWED"},
		"ext by rewriting":  {map[string]string{"remote.origin.url": "https://example.com/x", "url.ext::touch " + sprung + " .insteadOf": "https://example.com/", "protocol.allow": "always"}, "REMOTE_NOT_ALLOWED"},
		"fd":                {map[string]string{"remote.origin.url": "fd::17"}, "REMOTE_NOT_ALLOWED"},
		"helper":            {map[string]string{"remote.origin.url": "evil://x"}, "REMOTE_NOT_ALLOWED"},
		"vcs":               {map[string]string{"remote.origin.url": "https://127.0.0.1:1/x", "remote.origin.vcs": "ext"}, "UNSAFE_REPOSITORY"},
		"directory":         {map[string]string{"remote.origin.url": elsewhere.dir}, "REMOTE_NOT_ALLOWED"},
		"file":              {map[string]string{"remote.origin.url": "file://" + elsewhere.dir}, "REMOTE_NOT_ALLOWED"},
		"up":                {map[string]string{"remote.origin.url": "../../../../../../etc"}, "REMOTE_NOT_ALLOWED"},
		"home":              {map[string]string{"remote.origin.url": "~/x"}, "REMOTE_NOT_ALLOWED"},
		"proxy":             {map[string]string{"remote.origin.url": "https://127.0.0.1:1/x", "http.proxy": "http://evil.example"}, "UNSAFE_REPOSITORY"},
		"no verification":   {map[string]string{"remote.origin.url": "https://127.0.0.1:1/x", "http.https://127.0.0.1:1/.sslVerify": "false"}, "UNSAFE_REPOSITORY"},
		"option as a host":  {map[string]string{"remote.origin.url": "ssh://-oProxyCommand=touch " + sprung + "/x"}, "GIT_FAILED"},
		"ssh command":       {map[string]string{"remote.origin.url": "ssh://127.0.0.1:1/x", "core.sshCommand": "touch " + sprung + ";", "ssh.variant": "simple"}, "REMOTE_UNREACHABLE"},
		"upload-pack":       {map[string]string{"remote.origin.url": "ssh://127.0.0.1:1/x", "remote.origin.uploadpack": "touch " + sprung + ";", "remote.origin.receivepack": "touch " + sprung + ";"}, "REMOTE_UNREACHABLE"},
		"git proxy":         {map[string]string{"remote.origin.url": "git://127.0.0.1:1/x", "core.gitProxy": "touch " + sprung + ";"}, "REMOTE_UNREACHABLE"},
		"askpass":           {map[string]string{"remote.origin.url": "https://127.0.0.1:1/x", "core.askPass": "touch " + sprung + ";", "credential.helper": "!touch " + sprung + ";"}, "REMOTE_UNREACHABLE"},
		"two remotes in it": {map[string]string{"remote.origin.url": "https://127.0.0.1:1/x", "branch.main.remote": "ext::touch " + sprung}, "INVALID_PARAMS"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
			p.git("config", "branch.main.remote", "origin")
			p.git("config", "branch.main.merge", "refs/heads/main")
			for key, value := range tc.set {
				p.git("config", key, value)
			}
			_, err := p.Pull(t.Context(), git.PullArgs{})
			wants(t, err, tc.code)
			_, err = p.Push(t.Context(), git.PushArgs{})
			wants(t, err, tc.code)
			if _, err := os.Stat(sprung); err == nil {
				t.Fatal("the trap has sprung")
			}
		})
	}
}

// A repository of the project that is the remote of a push or fetch runs no programs either.
func TestRemote_HostileRepository(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n", ".gitignore": "evil.git\n"}})
	p.git("clone", "--quiet", "--bare", p.dir, "evil.git")
	p.git("remote", "add", "origin", "evil.git")
	p.git("fetch", "--quiet", "origin")
	p.git("branch", "--set-upstream-to=origin/main")
	sprung := filepath.Join(realDir(t), "sprung")
	program := p.script(filepath.Join(realDir(t), "trap"), "touch "+sprung+"\n")
	for _, hook := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive", "push-to-checkout", "pre-auto-gc"} {
		p.script(filepath.Join(p.dir, "evil.git/hooks", hook), program+"\n")
	}
	for key, value := range map[string]string{
		"uploadpack.packObjectsHook": program, "core.fsmonitor": program, "core.alternateRefsCommand": program, "core.sshCommand": program, "core.gitProxy": program,
		"receive.denyCurrentBranch": "updateInstead", "gc.auto": "1", "receive.procReceiveRefs": "refs/heads",
		"extensions.partialClone": "evil", "remote.evil.promisor": "true", "remote.evil.url": "ext::" + program, "protocol.ext.allow": "always", "remote.evil.uploadpack": program,
	} {
		p.gitIn(p.dir+"/evil.git", "config", key, value)
	}
	p.put(p.dir+"/evil.git/objects/info/alternates", p.dir+"/.git/objects\n")
	p.write("a.txt", "b\n")
	p.commit("second")
	// Without a proc-receive hook the push is refused, which is also correct.
	_, err := p.Push(t.Context(), git.PushArgs{})
	t.Log(err)
	p.gitIn(p.dir+"/evil.git", "config", "--unset", "receive.procReceiveRefs")
	r := must(p.Push(t.Context(), git.PushArgs{}))(t)
	contains(t, r.TextContent(), "updated", "the hooks of evil.git")
	must(p.Pull(t.Context(), git.PullArgs{}))(t)
	if _, err := os.Stat(sprung); err == nil {
		t.Fatal("the trap has sprung")
	}
}

// Missing objects are not fetched implicitly.
func TestOpen_MissingObjects(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	sprung := filepath.Join(realDir(t), "sprung")
	program := p.script(filepath.Join(realDir(t), "trap"), "touch "+sprung+"\n")
	blob := p.git("rev-parse", "HEAD:a.txt")
	if err := os.Remove(filepath.Join(p.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"core.repositoryFormatVersion": "1", "extensions.partialClone": "evil", "remote.evil.promisor": "true", "remote.evil.url": p.dir, "remote.evil.uploadpack": program, "remote.evil.partialclonefilter": "blob:none"} {
		p.git("config", key, value)
	}
	p.write("a.txt", "b\n")
	_, err := p.Diff(t.Context(), git.DiffArgs{})
	if err == nil {
		t.Error("the object is not missing")
	}
	_, err = p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"})
	t.Log(err)
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "HEAD", Detach: true})
	t.Log(err)
	if _, err := os.Stat(sprung); err == nil {
		t.Fatal("the trap has sprung")
	}
	plain := exec.Command("git", "diff")
	plain.Dir = p.dir
	_ = plain.Run()
	if _, err := os.Stat(sprung); err != nil {
		t.Log("the git that is here does not spring the trap either")
	}
}

// Git's own files contain links to other directories.
func TestOpen_HostileGitFiles(t *testing.T) {
	victim := newProject(t, setup{files: map[string]string{"v.txt": "victim\n"}})
	target := filepath.Join(victim.home, "target")
	for name, arrange := range map[string]func(p *project){
		"core.worktree":  func(p *project) { p.git("config", "core.worktree", victim.dir) },
		"a link .git":    func(p *project) { p.swap(".git", victim.dir+"/.git") },
		"a file .git":    func(p *project) { p.swap(".git", ""); p.write(".git", "gitdir: "+victim.dir+"/.git\n") },
		"commondir":      func(p *project) { p.write(".git/commondir", victim.dir+"/.git\n") },
		"COMMIT_EDITMSG": func(p *project) { p.swap(".git/COMMIT_EDITMSG", target) },
		"the reflog":     func(p *project) { p.swap(".git/logs/HEAD", target) },
		"the references": func(p *project) { p.swap(".git/refs/heads", victim.dir+"/.git/refs/heads") },
		"the objects":    func(p *project) { p.swap(".git/objects", victim.dir+"/.git/objects") },
		"unnamable":      func(p *project) { p.git("config", "filter.a=b.clean", "touch x") },
		"no end": func(p *project) {
			p.git("config", "include.path", "fifo")
			must0(t, syscall.Mkfifo(p.dir+"/.git/fifo", 0o644))
		},
		"what is no file": func(p *project) { p.write(".git/config", "[core\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
			arrange(p)
			if name != "what is no file" && name != "a link .git" {
				p.write("a.txt", "changed\n")
			}
			start := time.Now()
			_, err := p.Commit(t.Context(), git.CommitArgs{Message: "written to the target", Paths: []string{"a.txt"}})
			if err == nil {
				t.Fatal("it is committed")
			}
			next, ok := asNext(err)
			if !ok || next == "" || time.Since(start) > hang {
				t.Errorf("%v, next %q", err, next)
			}
			if _, err := os.Stat(target); err == nil {
				t.Error("the target was written to")
			}
			if got := victim.git("rev-list", "--all", "--count"); got != "1" {
				t.Errorf("the victim has %s commits", got)
			}
			s, err := p.Status(t.Context(), git.StatusArgs{})
			lacks(t, s.TextContent()+err2text(s, err), "v.txt")
		})
	}
}

// swap replaces an entry by a link, or removes it.
func (p *project) swap(name, target string) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	must0(p.t, os.RemoveAll(name))
	if target != "" {
		must0(p.t, os.Symlink(target, name))
	}
}

// A disabled filter is reported, because the text that it encrypts would be readable.
func TestCommit_DisabledFilter(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{".gitattributes": "*.secret filter=crypt\n", "a.txt": "a\n"}})
	p.git("config", "filter.crypt.clean", "tr a-z n-za-m")
	p.write("x.secret", "plain\n")
	_, err := p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"."}})
	wants(t, err, "UNSAFE_REPOSITORY", `"x.secret" has the filter`, "git config --global")
	// Nor does it come into the work tree as it is.
	must0(t, os.Remove(filepath.Join(p.dir, "x.secret")))
	p.git("checkout", "--quiet", "-b", "side")
	p.write("y.secret", "plain\n")
	p.commit("y")
	p.git("checkout", "--quiet", "main")
	p.write("x.secret", "plain\n")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "side"})
	wants(t, err, "UNSAFE_REPOSITORY", "has the filter")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "nowhere"})
	wants(t, err, "UNSAFE_REPOSITORY")
	p.git("remote", "add", "here", ".")
	_, err = p.Pull(t.Context(), git.PullArgs{Remote: "here", Branch: "side"})
	wants(t, err, "UNSAFE_REPOSITORY", "has the filter")
	// A filter of the user's configuration is effective.
	p.git("config", "--global", "filter.crypt.clean", "tr a-z n-za-m")
	must(p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"."}}))(t)
	must(p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "side"}))(t)
	p.git("checkout", "--quiet", "--force", "main")
	if got := p.git("show", "HEAD:x.secret"); got != "cynva" {
		t.Errorf("committed is %q", got)
	}
}

// The user's configuration is effective where that of the repository is overridden.
func TestCommit_UserConfiguration(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	mark := filepath.Join(realDir(t), "mark")
	signer := p.script(filepath.Join(realDir(t), "signer"), "cat >/dev/null; touch "+mark+"; echo '[GNUPG:] SIG_CREATED ' >&2; echo signature\n")
	p.git("config", "--global", "gpg.program", signer)
	p.git("config", "--global", "commit.gpgSign", "true")
	p.git("config", "gpg.program", "/bin/false")
	p.write("a.txt", "b\n")
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "signed", All: true}))(t)
	if _, err := os.Stat(mark); err != nil {
		t.Error("the user's program has not signed")
	}
	contains(t, r.TextContent(), "gpg.program")
	contains(t, p.git("cat-file", "commit", "HEAD"), "signature")
}

// A hook that hangs is ended with its process tree.
func TestCommit_HangingHook(t *testing.T) {
	p := newProject(t, setup{options: git.Options{Hooks: true}, files: map[string]string{"a.txt": "a\n"}})
	fifo := filepath.Join(realDir(t), "fifo")
	must0(t, syscall.Mkfifo(fifo, 0o600))
	pids := filepath.Join(realDir(t), "pids")
	p.script(filepath.Join(p.dir, ".git/hooks/pre-commit"), "trap '' TERM\nsleep 1000 &\necho $$ $! >"+pids+"\necho started >"+fifo+"\nsleep 1000\n")
	p.write("a.txt", "b\n")
	ctx, cancel := contextWithCancel(t)
	var call group.Group
	call.Go(func() { _, _ = os.ReadFile(fifo); cancel() })
	start := time.Now()
	_, err := p.Commit(ctx, git.CommitArgs{Message: "m", All: true, Hooks: true})
	call.Wait()
	if err == nil || time.Since(start) > hang {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	text, err := os.ReadFile(pids)
	must0(t, err)
	for _, pid := range strings.Fields(string(text)) {
		for deadline := time.Now().Add(hang); ; time.Sleep(10 * time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("process %s is left", pid)
			}
		}
	}
	// The next commit succeeds.
	must(p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true}))(t)
}
