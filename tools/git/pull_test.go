package git_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/git"
)

var local = git.Options{LocalRemotes: true}

func TestPull(t *testing.T) {
	p := newProject(t, setup{options: local, files: map[string]string{"a.txt": "a\n"}})
	_, err := p.Pull(t.Context(), git.PullArgs{})
	wants(t, err, "NO_UPSTREAM")
	bare := p.origin()
	other := p.other(bare)
	r := must(p.Pull(t.Context(), git.PullArgs{}))(t)
	contains(t, r.TextContent(), "nothing is new")

	theirs := p.commitIn(other, "b.txt", "b\n")
	p.gitIn(other, "push", "--quiet")
	r = must(p.Pull(t.Context(), git.PullArgs{FetchOnly: true}))(t)
	if r.Commits != 1 || *r.Behind != 0 && r.Commit == theirs {
		t.Errorf("%+v", r)
	}
	r = must(p.Pull(t.Context(), git.PullArgs{}))(t)
	if r.Commits != 1 || r.To != theirs || r.TotalFiles != 1 || r.Files[0].Path != "b.txt" || *r.Ahead+*r.Behind != 0 {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "pulled 1 commit from main of ", "added b.txt +1 -0")

	// Both sides.
	for _, mode := range []string{"rebase", "merge"} {
		p.commitIn(other, mode+"-theirs.txt", "x\n")
		p.gitIn(other, "push", "--quiet")
		p.write(mode+"-ours.txt", "y\n")
		p.commit("ours")
		_, err = p.Pull(t.Context(), git.PullArgs{})
		wants(t, err, "DIVERGED", "1 here, 1 in", "mode=rebase")
		r = must(p.Pull(t.Context(), git.PullArgs{Mode: mode}))(t)
		if r.InProgress != "" || p.read(mode+"-theirs.txt") != "x\n" {
			t.Errorf("%s: %+v", mode, r)
		}
		merges := p.git("rev-list", "--merges", "--count", "HEAD~1..HEAD")
		if (mode == "merge") != (merges == "1") {
			t.Errorf("%s: %s merges", mode, merges)
		}
		p.git("push", "--quiet")
		p.gitIn(other, "pull", "--quiet")
	}

	// Work that is not committed is not lost.
	p.commitIn(other, "a.txt", "theirs\n")
	p.gitIn(other, "push", "--quiet")
	p.write("a.txt", "mine\n")
	_, err = p.Pull(t.Context(), git.PullArgs{})
	wants(t, err, "UNCOMMITTED_CHANGES", "a.txt")
	if p.read("a.txt") != "mine\n" {
		t.Error("the change is lost")
	}
	for code, args := range map[string]git.PullArgs{
		"INVALID_PARAMS":      {Remote: "origin"},
		"UNKNOWN_REVISION":    {Remote: "origin", Branch: "none"},
		"NOTHING_IN_PROGRESS": {Abort: true},
	} {
		_, err = p.Pull(t.Context(), args)
		wants(t, err, code)
	}
	for _, name := range []string{"--upload-pack=touch x", "ext::sh -c true", "https://example.com", "../other"} {
		_, err = p.Pull(t.Context(), git.PullArgs{Remote: name, Branch: "main"})
		wants(t, err, "INVALID_PARAMS", "there is no remote")
	}
	p.git("checkout", "--quiet", "--detach")
	_, err = p.Pull(t.Context(), git.PullArgs{})
	wants(t, err, "DETACHED_HEAD")
}

func TestPull_Conflicts(t *testing.T) {
	for _, mode := range []string{"merge", "rebase"} {
		t.Run(mode, func(t *testing.T) {
			p := newProject(t, setup{options: local, files: map[string]string{"a.txt": "1\n2\n3\n"}})
			bare := p.origin()
			other := p.other(bare)
			p.commitIn(other, "a.txt", "1\ntheirs\n3\n")
			p.gitIn(other, "push", "--quiet")
			p.write("a.txt", "1\nours\n3\n")
			ours := p.commit("ours")

			pull := func(args git.PullArgs) git.PullResult { t.Helper(); return must(p.Pull(t.Context(), args))(t) }
			r := pull(git.PullArgs{Mode: mode})
			if r.InProgress != mode || len(r.Conflicts) != 1 || len(r.Conflicts[0].Hunks) != 1 || r.Conflicts[0].Kind != "both modified" || r.Conflicts[0].Hunks[0].StartLine != 2 {
				t.Fatalf("%+v", r)
			}
			contains(t, r.TextContent(), "not done: 1 file in conflict", "<<<<<<<", "theirs", "ours", "abort=true", "in progress: "+mode)

			_, err := p.Pull(t.Context(), git.PullArgs{})
			wants(t, err, "OPERATION_IN_PROGRESS", "abort=true")
			_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "main"})
			wants(t, err, "OPERATION_IN_PROGRESS")
			_, err = p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"a.txt"}})
			if mode == "merge" {
				wants(t, err, "UNRESOLVED_CONFLICTS", "a.txt")
			} else {
				wants(t, err, "OPERATION_IN_PROGRESS", "continue=true")
			}
			s := must(p.Status(t.Context(), git.StatusArgs{}))(t)
			contains(t, s.TextContent(), "conflicted: a.txt", "in progress: "+mode)
			contains(t, must(p.Diff(t.Context(), git.DiffArgs{}))(t).TextContent(), "conflicted a.txt", "<<<<<<<")

			r = pull(git.PullArgs{Abort: true})
			if r.InProgress != "" || r.Commit != ours || p.read("a.txt") != "1\nours\n3\n" {
				t.Fatalf("%+v", r)
			}
			pull(git.PullArgs{Mode: mode})
			_, err = p.Pull(t.Context(), git.PullArgs{Continue: true})
			if mode == "merge" {
				wants(t, err, "OPERATION_IN_PROGRESS", "git_commit")
			} else {
				wants(t, err, "UNRESOLVED_CONFLICTS")
			}
			p.write("a.txt", "1\nboth\n3\n")
			if mode == "merge" {
				c := must(p.Commit(t.Context(), git.CommitArgs{Message: "merged", Paths: []string{"a.txt"}}))(t)
				if c.Subject != "merged" {
					t.Errorf("%+v", c)
				}
			} else {
				r = pull(git.PullArgs{Continue: true})
				contains(t, r.TextContent(), "the rebase is done")
			}
			s = must(p.Status(t.Context(), git.StatusArgs{}))(t)
			if s.InProgress != "" || s.Total != 0 || p.git("show", "HEAD:a.txt") != "1\nboth\n3" {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A rebase that would run programs is not continued.
func TestPull_RebaseWithPrograms(t *testing.T) {
	p := newProject(t, setup{options: local, files: map[string]string{"a.txt": "1\n"}})
	bare := p.origin()
	other := p.other(bare)
	p.commitIn(other, "a.txt", "2\n")
	p.gitIn(other, "push", "--quiet")
	p.write("a.txt", "3\n")
	p.commit("ours")
	must(p.Pull(t.Context(), git.PullArgs{Mode: "rebase"}))(t)
	p.write("a.txt", "4\n")
	p.write(".git/rebase-merge/git-rebase-todo", "exec touch pwned\n")
	_, err := p.Pull(t.Context(), git.PullArgs{Continue: true})
	wants(t, err, "UNSAFE_REPOSITORY")
	r := must(p.Pull(t.Context(), git.PullArgs{Abort: true}))(t)
	if r.InProgress != "" {
		t.Errorf("%+v", r)
	}
}

func TestPush(t *testing.T) {
	p := newProject(t, setup{options: local, files: map[string]string{"a.txt": "a\n"}})
	bare := p.origin()
	other := p.other(bare)
	push := func(args git.PushArgs) git.PushResult { t.Helper(); return must(p.Push(t.Context(), args))(t) }
	if r := push(git.PushArgs{}); r.Outcome != "up to date" {
		t.Errorf("%+v", r)
	}
	p.write("a.txt", "b\n")
	p.commit("second")
	r := push(git.PushArgs{})
	if r.Outcome != "updated" || *r.Ahead != 0 || r.RemoteBranch != "main" {
		t.Errorf("%+v", r)
	}
	if got := p.gitIn(bare, "rev-parse", "main"); got != r.Commit {
		t.Errorf("there is %s", got)
	}
	p.git("checkout", "--quiet", "-b", "topic")
	_, err := p.Push(t.Context(), git.PushArgs{})
	wants(t, err, "NO_UPSTREAM", "setUpstream=true")
	r = push(git.PushArgs{SetUpstream: true})
	if r.Outcome != "created" || r.Upstream != "origin/topic" {
		t.Errorf("%+v", r)
	}
	p.git("checkout", "--quiet", "main")

	// Another push was earlier.
	p.gitIn(other, "pull", "--quiet")
	theirs := p.commitIn(other, "b.txt", "b\n")
	p.gitIn(other, "push", "--quiet")
	p.write("c.txt", "c\n")
	p.commit("third")
	_, err = p.Push(t.Context(), git.PushArgs{})
	wants(t, err, "REJECTED", "fetch first", "git_pull")
	_, err = p.Push(t.Context(), git.PushArgs{ForceWithLease: true})
	wants(t, err, "CONFIRMATION_REQUIRED", "0 commits there would be lost")
	_, err = p.Push(t.Context(), git.PushArgs{ForceWithLease: true, ConfirmToken: tokenOf(t, err)})
	wants(t, err, "REJECTED", "Another user")
	must(p.Pull(t.Context(), git.PullArgs{FetchOnly: true}))(t)
	_, err = p.Push(t.Context(), git.PushArgs{ForceWithLease: true})
	wants(t, err, "CONFIRMATION_REQUIRED", "1 commit there would be lost", theirs[:12])
	if r := push(git.PushArgs{ForceWithLease: true, ConfirmToken: tokenOf(t, err)}); r.Outcome != "forced" {
		t.Errorf("%+v", r)
	}

	p.git("checkout", "--quiet", "--detach")
	_, err = p.Push(t.Context(), git.PushArgs{})
	wants(t, err, "DETACHED_HEAD")
	empty := newProject(t, setup{})
	_, err = empty.Push(t.Context(), git.PushArgs{})
	wants(t, err, "NOTHING_TO_COMMIT")
	empty.write("a", "a")
	empty.commit("first")
	_, err = empty.Push(t.Context(), git.PushArgs{SetUpstream: true})
	wants(t, err, "NO_UPSTREAM", "no remote")
	empty.git("remote", "add", "one", bare)
	empty.git("remote", "add", "two", bare)
	_, err = empty.Push(t.Context(), git.PushArgs{SetUpstream: true})
	wants(t, err, "NO_UPSTREAM", "one, two")
}

// Messages of the remote and refusals of its hooks are reported.
func TestPush_RemoteMessages(t *testing.T) {
	s := setup{options: git.Options{LocalRemotes: true, Hooks: true}, files: map[string]string{"a.txt": "a\n"}}
	p := newProject(t, s)
	bare := p.origin()
	p.script(bare+"/hooks/update", "echo open a pull request: https://bob:hunter2@example.com/new; exit 1\n")
	p.write("a.txt", "b\n")
	p.commit("second")
	_, err := p.Push(t.Context(), git.PushArgs{Hooks: true})
	wants(t, err, "REJECTED", "hook declined", "open a pull request: https://example.com/new")
	lacks(t, err.Error(), "hunter2")
	r := must(p.Push(t.Context(), git.PushArgs{}))(t)
	contains(t, strings.Join(r.TurnedOff, "\n"), "the hooks of")
}

// Commits with Git LFS files are not pushed without their objects.
func TestPush_LFS(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	s := setup{options: local, files: map[string]string{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.txt": "a\n"}}
	p := newProject(t, s)
	bare := p.origin()
	p.write("plain.bin", "not a pointer\n")
	p.write("fixture.txt", pointer)
	p.commit("nothing of LFS")
	if r := must(p.Push(t.Context(), git.PushArgs{}))(t); r.Outcome != "updated" {
		t.Errorf("%+v", r)
	}
	before := p.gitIn(bare, "rev-parse", "main")
	p.write("sub/model.bin", pointer)
	p.write("copy.txt", pointer)
	p.commit("a file of LFS")
	p.git("rm", "--quiet", "sub/model.bin")
	p.commit("gone again")
	_, err := p.Push(t.Context(), git.PushArgs{})
	wants(t, err, "LFS_OBJECTS_MISSING", "nothing was sent", "sub/model.bin", "1 file of Git LFS", "in a terminal")
	lacks(t, err.Error(), "hooks=true", "plain.bin", "fixture.txt", "copy.txt")
	if after := p.gitIn(bare, "rev-parse", "main"); after != before {
		t.Errorf("the remote has %s", after)
	}
	_, err = p.Push(t.Context(), git.PushArgs{ForceWithLease: true})
	wants(t, err, "LFS_OBJECTS_MISSING")

	// The hook of git-lfs sends the objects, if it runs.
	s.options.Hooks = true
	p.reopen(s)
	_, err = p.Push(t.Context(), git.PushArgs{Hooks: true})
	wants(t, err, "LFS_OBJECTS_MISSING", "in a terminal")
	p.script(p.dir+"/.git/hooks/pre-push", "exit 0\n# git lfs pre-push \"$@\"\n")
	_, err = p.Push(t.Context(), git.PushArgs{})
	wants(t, err, "LFS_OBJECTS_MISSING", "hooks=true")
	if r := must(p.Push(t.Context(), git.PushArgs{Hooks: true}))(t); r.Outcome != "updated" {
		t.Errorf("%+v", r)
	}
}
