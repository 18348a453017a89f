package git_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/git"
)

func TestBranch(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	do := func(args git.BranchArgs) git.BranchResult { t.Helper(); return must(p.Branch(t.Context(), args))(t) }
	r := do(git.BranchArgs{Action: "create", Name: "fix/one"})
	if r.Branch != "main" {
		t.Errorf("%+v", r)
	}
	r = do(git.BranchArgs{Action: "create", Name: "two", Switch: true})
	if r.Branch != "two" {
		t.Errorf("%+v", r)
	}
	p.write("b.txt", "b\n")
	second := p.commit("second")
	r = do(git.BranchArgs{})
	if r.Total != 3 || !r.Branches[0].Current && !r.Branches[1].Current && !r.Branches[2].Current {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "* two ", "  fix/one ", ": second")
	if r = do(git.BranchArgs{Contains: "FIX"}); r.Total != 1 {
		t.Errorf("%+v", r)
	}
	if r = do(git.BranchArgs{Action: "switch", Name: "main"}); r.Branch != "main" {
		t.Errorf("%+v", r)
	}
	if r = do(git.BranchArgs{Action: "switch", Name: second, Detach: true}); !r.Detached || r.Commit != second {
		t.Errorf("%+v", r)
	}
	do(git.BranchArgs{Action: "switch", Name: "main"})
	contains(t, do(git.BranchArgs{Action: "delete", Name: "fix/one"}).TextContent(), "deleted branch fix/one, which was at ")

	// A branch with commits of its own is not deleted without consent.
	_, err := p.Branch(t.Context(), git.BranchArgs{Action: "delete", Name: "two"})
	wants(t, err, "CONFIRMATION_REQUIRED", "1 commit that no other branch has", "confirmToken=")
	token := tokenOf(t, err)
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "delete", Name: "two", ConfirmToken: "none"})
	wants(t, err, "CONFIRMATION_REQUIRED")
	do(git.BranchArgs{Action: "delete", Name: "two", ConfirmToken: token})
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "delete", Name: "two", ConfirmToken: token})
	wants(t, err, "UNKNOWN_REVISION")
}

func tokenOf(t testing.TB, err error) string {
	t.Helper()
	next, _ := asNext(err)
	_, rest, ok := strings.Cut(next, "confirmToken=")
	if !ok {
		t.Fatalf("there is no token in %q", next)
	}
	return strings.TrimSuffix(rest, ".")
}

func TestBranch_SwitchKeepsChanges(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.git("checkout", "--quiet", "-b", "side")
	p.write("a.txt", "side\n")
	p.write("n.txt", "side\n")
	p.commit("side")
	p.git("checkout", "--quiet", "main")
	p.write("a.txt", "mine\n")
	_, err := p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "side"})
	wants(t, err, "UNCOMMITTED_CHANGES", "a.txt")
	p.git("checkout", "--quiet", "--", "a.txt")
	p.write("n.txt", "mine\n")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "side"})
	wants(t, err, "UNCOMMITTED_CHANGES", "n.txt")
	if p.read("n.txt") != "mine\n" {
		t.Error("the file is lost")
	}
}

func TestBranch_InvalidNames(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	for _, name := range []string{"-d", "--force", "a..b", "a b", "HEAD", "@", "@{-1}", "refs/heads/x", "a~1", "x.lock", "a\nb", "a:b", "/a", "../x", strings.Repeat("x", 5000)} {
		for _, action := range []string{"create", "switch", "delete"} {
			_, err := p.Branch(t.Context(), git.BranchArgs{Action: action, Name: name})
			if err == nil {
				t.Errorf("%s %q is done", action, name)
			}
		}
	}
	_, err := p.Branch(t.Context(), git.BranchArgs{Action: "create", Name: "main"})
	wants(t, err, "INVALID_PARAMS", "already")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "none"})
	wants(t, err, "UNKNOWN_REVISION")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "burn", Name: "none"})
	wants(t, err, "INVALID_PARAMS")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "create"})
	wants(t, err, "INVALID_PARAMS")
	if got := p.git("branch", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("the branches are %q", got)
	}
}

func TestBranch_EmptyRepository(t *testing.T) {
	p := newProject(t, setup{})
	r := must(p.Branch(t.Context(), git.BranchArgs{Action: "create", Name: "other"}))(t)
	if r.Branch != "other" || r.Commit != "" {
		t.Errorf("%+v", r)
	}
}

func TestBranch_Limit(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	var refs strings.Builder
	head := p.git("rev-parse", "HEAD")
	for i := range 500 {
		fmt.Fprintf(&refs, "create refs/heads/b%03d %s\n", i, head)
	}
	p.put(p.home+"/refs", refs.String())
	p.git("config", "alias.many", "!git update-ref --stdin < "+p.home+"/refs")
	p.git("many")
	r := must(p.Branch(t.Context(), git.BranchArgs{}))(t)
	if r.Total != 501 || len(r.Branches) != 100 {
		t.Errorf("%d of %d", len(r.Branches), r.Total)
	}
	contains(t, r.TextContent(), "[100 of 501 branches")
}
