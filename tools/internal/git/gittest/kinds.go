package gittest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Kind is one attack: a repository makes git run a program or read files elsewhere.
type Kind struct {
	// Name describes the attack. Kinds of the same Group can be built into one repository.
	Name, Group string
	// Config is added to the configuration of the repository, Files to its files by name. CANARY stands for the program, ORIGIN
	// for the directory of the origin.
	Config string
	Files  map[string]string
	// Arrange makes further changes. It runs before Config and Files are added.
	Arrange func(*Repository)
	// Dir is the directory in which to open the repository; empty for its top.
	Dir string
	// Unsafe is a part of the error that refuses the repository; empty if the repository can be disarmed.
	Unsafe string
	// Off is a lower-case key that is overridden in the disarmed repository.
	Off string
	// Spring is a git command with which a careless user runs the canary, Input its standard input. It is empty if the
	// installed git does not know the attack or needs a terminal.
	Spring []string
	Input  string
}

// Groups returns the kinds by group, in the order of the table.
func Groups() [][]Kind {
	var groups [][]Kind
	at := make(map[string]int)
	for _, k := range Kinds() {
		i, ok := at[k.Group]
		if !ok {
			i = len(groups)
			at[k.Group] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], k)
	}
	return groups
}

// sample are the groups that short tests use.
var sample = []string{"settings", "hooks", "filters", "merges", "submodule", "missing objects", "included file", "configuration of the work tree", "unnamable filter", "file .git that leads elsewhere"}

// InSample reports whether short tests use the kind in every way.
func (k Kind) InSample() bool { return slices.Contains(sample, k.Group) }

// EachGroup runs a subtest for each group, with a repository of all its kinds and the first of them. Short tests use the
// sample.
func EachGroup(t *testing.T, f func(t *testing.T, r *Repository, first Kind)) {
	m := New(t)
	for _, kinds := range Groups() {
		if testing.Short() && !kinds[0].InSample() {
			continue
		}
		t.Run(kinds[0].Name, func(t *testing.T) { f(t, m.Build(t, kinds...), kinds[0]) })
	}
}

const hook = "#!/bin/sh\nexec CANARY \"$0\"\n"

// hooks returns all hooks of a directory.
func hooks(dir string) map[string]string {
	files := make(map[string]string)
	for _, name := range []string{
		"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "pre-rebase", "post-rewrite", "post-checkout", "pre-push",
		"reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc", "sendemail-validate", "applypatch-msg",
	} {
		files[dir+"/"+name] = hook
	}
	return files
}

func attributes(line string) map[string]string {
	return map[string]string{".gitattributes": "*.txt " + line + "\n"}
}

// Kinds returns the table of attacks.
func Kinds() []Kind {
	return concat(settingKinds(), remoteKinds(), driverKinds(), layoutKinds())
}

func concat(tables ...[]Kind) (all []Kind) {
	for _, table := range tables {
		all = append(all, table...)
	}
	return all
}

// settingKinds are keys that name a program.
func settingKinds() []Kind {
	return []Kind{
		{Name: "monitor", Group: "settings", Config: "[core]\n\tfsmonitor = CANARY\n", Off: "core.fsmonitor", Spring: []string{"status"}},
		{Name: "hooks", Group: "hooks", Files: hooks(".git/hooks"), Spring: []string{"commit", "--allow-empty", "-m", "x"}},
		{Name: "directory of hooks", Group: "directory of hooks", Config: "[core]\n\thooksPath = evil-hooks\n", Files: hooks("evil-hooks"), Off: "core.hookspath",
			Spring: []string{"commit", "--allow-empty", "-m", "x"}},
		{Name: "configured hook", Group: "settings", Config: "[hook \"evil\"]\n\tcommand = CANARY\n\tevent = pre-commit\n\tevent = post-checkout\n", Off: "hook.evil.command"},
		{Name: "maintenance", Group: "hooks", Config: "[gc]\n\tauto = 1\n\tautoDetach = false\n\trecentObjectsHook = CANARY\n[maintenance]\n\tauto = true\n", Off: "gc.recentobjectshook"},
		{Name: "pager", Group: "settings", Config: "[core]\n\tpager = CANARY\n[pager]\n\tlog = CANARY\n\tdiff = CANARY\n\tstatus = CANARY\n", Off: "core.pager"},
		{Name: "editor", Group: "settings", Config: "[core]\n\teditor = CANARY\n[sequence]\n\teditor = CANARY\n", Off: "core.editor", Spring: []string{"commit", "--allow-empty"}},
		{Name: "signing", Group: "settings", Config: "[gpg]\n\tprogram = CANARY\n[gpg \"openpgp\"]\n\tprogram = CANARY\n[gpg \"x509\"]\n\tprogram = CANARY\n[log]\n\tshowSignature = true\n", Off: "gpg.program",
			Spring: []string{"commit", "--allow-empty", "-S", "-m", "x"}},
		{Name: "signing of every commit", Group: "signing of every commit", Config: "[gpg]\n\tprogram = CANARY\n[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = x\n", Off: "gpg.program",
			Spring: []string{"commit", "--allow-empty", "-m", "x"}},
		{Name: "signing with ssh", Group: "signing with ssh", Config: "[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tprogram = CANARY\n\tdefaultKeyCommand = CANARY\n", Off: "gpg.ssh.program",
			Spring: []string{"commit", "--allow-empty", "-S", "-m", "x"}},
		{Name: "alias", Group: "settings", Config: "[alias]\n\tstatus = !CANARY\n\tst = !CANARY\n\tcommit = !CANARY\n", Spring: []string{"st"}},
		{Name: "trailer", Group: "settings", Config: "[trailer \"x\"]\n\tkey = X\n\tcommand = CANARY\n\tifmissing = add\n", Spring: []string{"interpret-trailers"}, Input: "subject\n"},
		{Name: "archive", Group: "settings", Config: "[tar \"evil\"]\n\tcommand = CANARY\n", Spring: []string{"archive", "--format=evil", "-o", os.DevNull, "HEAD"}},
		{Name: "tool for differences", Group: "settings", Config: "[difftool \"evil\"]\n\tcmd = CANARY\n[mergetool \"evil\"]\n\tcmd = CANARY\n[merge]\n\ttool = evil\n[interactive]\n\tdiffFilter = CANARY\n",
			Spring: []string{"difftool", "-y", "-t", "evil"}},
		{Name: "browser", Group: "settings", Config: "[man \"evil\"]\n\tcmd = CANARY\n[man]\n\tviewer = evil\n[browser \"evil\"]\n\tcmd = CANARY\n[help]\n\tbrowser = evil\n[init]\n\ttemplateDir = evil-hooks\n",
			Spring: []string{"help", "-m", "status"}},
		{Name: "unknown key", Group: "settings", Config: "[future \"evil\"]\n\tsomeCommand = CANARY\n", Off: "future.evil.somecommand"},
		{Name: "large files", Group: "settings", Config: "[lfs]\n\tstandaloneTransferAgent = evil\n[lfs \"customtransfer.evil\"]\n\tpath = CANARY\n[lfs \"extension.evil\"]\n\tclean = CANARY\n\tsmudge = CANARY\n\tpriority = 0\n",
			Off: "lfs.customtransfer.evil.path"},
		{Name: "program that packs", Group: "settings", Config: "[uploadpack]\n\tpackObjectsHook = CANARY\n[receive]\n\tprocReceiveRefs = refs\n[sendemail]\n\ttocmd = CANARY\n"},
	}
}

// remoteKinds are programs for connections.
func remoteKinds() []Kind {
	return []Kind{
		{Name: "credential helper", Group: "settings", Config: "[credential]\n\thelper = !CANARY\n[credential \"https://evil.example\"]\n\thelper = !CANARY\n", Off: "credential.helper",
			Spring: []string{"credential", "fill"}, Input: "protocol=https\nhost=evil.example\n\n"},
		{Name: "question for a password", Group: "settings", Config: "[core]\n\taskPass = CANARY\n", Off: "core.askpass", Spring: []string{"credential", "fill"}, Input: "protocol=https\nhost=other.example\n\n"},
		{Name: "ssh", Group: "settings", Config: "[core]\n\tsshCommand = CANARY\n[ssh]\n\tvariant = simple\n", Off: "core.sshcommand", Spring: []string{"ls-remote", "ssh://127.0.0.1/x"}},
		{Name: "proxy of git", Group: "settings", Config: "[core]\n\tgitProxy = CANARY\n", Off: "core.gitproxy", Spring: []string{"ls-remote", "git://127.0.0.1:1/x"}},
		{Name: "remote that is a program", Group: "settings", Config: "[protocol \"ext\"]\n\tallow = always\n[remote \"ext\"]\n\turl = ext::CANARY\n", Off: "protocol.ext.allow", Spring: []string{"ls-remote", "ext"}},
		{Name: "rewritten remote", Group: "settings", Config: "[protocol]\n\tallow = always\n[url \"ext::CANARY \"]\n\tinsteadOf = https://evil.example/\n", Off: "protocol.allow",
			Spring: []string{"ls-remote", "https://evil.example/x"}},
		{Name: "remote with a helper", Group: "settings", Config: "[remote \"helped\"]\n\tvcs = ext\n\turl = CANARY\n[protocol \"ext\"]\n\tallow = always\n", Spring: []string{"ls-remote", "helped"}},
		{Name: "program at the other end", Group: "settings", Config: "[remote \"up\"]\n\turl = ORIGIN\n\tuploadpack = CANARY\n\treceivepack = CANARY\n", Off: "remote.up.uploadpack",
			Spring: []string{"ls-remote", "up"}},
		{Name: "references of alternates", Group: "settings", Config: "[core]\n\talternateRefsCommand = CANARY\n", Files: map[string]string{".git/objects/info/alternates": "../../alternate.git/objects\n"}, Off: "core.alternaterefscommand",
			Arrange: func(r *Repository) {
				r.Git("clone", "--quiet", "--bare", "--template=", r.Origin, r.path("alternate.git"))
			}, Spring: []string{"fetch", "origin"}},
		{Name: "objects of another project", Group: "objects of another project", Files: map[string]string{".git/objects/info/alternates": "ORIGIN/objects\n"}, Unsafe: "takes objects from"},
		{Name: "objects of another project in two steps", Group: "objects of another project in two steps", Unsafe: "takes objects from",
			Files: map[string]string{".git/objects/info/alternates": "../../middle/objects\n", "middle/objects/info/alternates": "ORIGIN/objects\n"}},
		{Name: "reference of another project", Group: "reference of another project", Unsafe: "leads out of git's own files", Arrange: func(r *Repository) {
			if err := os.Symlink(filepath.Join(r.Origin, "refs", "heads"), r.path(".git/refs/heads/other")); err != nil {
				r.t.Fatal(err)
			}
		}},
		{Name: "missing objects", Group: "missing objects", Config: "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = evil\n[remote \"evil\"]\n\tpromisor = true\n\turl = ORIGIN\n\tuploadpack = CANARY\n",
			Arrange: func(r *Repository) {
				blob := r.Git("rev-parse", "HEAD:b.txt")
				if err := os.Remove(r.path(".git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
					r.t.Fatal(err)
				}
			}, Spring: []string{"diff"}},
	}
}

// driverKinds are programs that attributes select.
func driverKinds() []Kind {
	return []Kind{
		{Name: "clean filter", Group: "filters", Config: "[filter \"evil\"]\n\tclean = CANARY\n\trequired = true\n", Files: attributes("filter=evil"), Off: "filter.evil.clean", Spring: []string{"status"}},
		{Name: "smudge filter", Group: "filters", Config: "[filter \"evil\"]\n\tsmudge = CANARY\n", Files: attributes("filter=evil"), Off: "filter.evil.smudge", Spring: []string{"checkout", "-f", "side"}},
		{Name: "filter that goes on", Group: "filter that goes on", Config: "[filter \"evil\"]\n\tprocess = CANARY\n", Files: attributes("filter=evil"), Off: "filter.evil.process", Spring: []string{"status"}},
		{Name: "hidden attributes", Group: "hidden attributes", Config: "[filter \"Evil\"]\n\tClean = CANARY\n", Files: map[string]string{".git/info/attributes": "[attr]mine filter=Evil\n*.txt mine\n"}, Off: "filter.Evil.clean",
			Spring: []string{"status"}},
		{Name: "filter of a large-file store", Group: "filter of a large-file store", Config: "[filter \"lfs\"]\n\tclean = CANARY\n\tsmudge = CANARY\n\tprocess = CANARY\n\trequired = true\n", Files: attributes("filter=lfs"),
			Off: "filter.lfs.process", Spring: []string{"status"}},
		{Name: "conversion for differences", Group: "differences", Config: "[diff \"evil\"]\n\ttextconv = CANARY\n\tcachetextconv = true\n", Files: attributes("diff=evil"), Off: "diff.evil.textconv", Spring: []string{"blame", "a.txt"}},
		{Name: "program for differences", Group: "differences", Config: "[diff]\n\texternal = CANARY\n", Off: "diff.external", Spring: []string{"diff"}},
		{Name: "driver for differences", Group: "driver for differences", Config: "[diff \"evil\"]\n\tcommand = CANARY\n", Files: attributes("diff=evil"), Off: "diff.evil.command", Spring: []string{"diff"}},
		{Name: "driver for merges", Group: "merges", Config: "[merge \"evil\"]\n\tdriver = CANARY\n", Files: attributes("merge=evil"), Off: "merge.evil.driver", Spring: []string{"merge", "-m", "x", "side"}},
		{Name: "default driver for merges", Group: "merges", Config: "[merge \"other\"]\n\tdriver = CANARY\n[merge]\n\tdefault = other\n", Off: "merge.default"},
		{Name: "options for merges", Group: "options for merges", Config: "[branch \"main\"]\n\tmergeOptions = --no-commit --strategy=evil\n", Off: "branch.main.mergeoptions"},
		{Name: "strategy for merges", Group: "strategy for merges", Config: "[pull]\n\ttwohead = evil\n", Unsafe: "pull.twohead"},
		{Name: "unnamable filter", Group: "unnamable filter", Config: "[filter \"e=vil\"]\n\tclean = CANARY\n", Files: attributes("filter=e=vil"), Unsafe: "filter.e=vil.clean", Spring: []string{"status"}},
	}
}

// layoutKinds are git's own files in unusual places.
func layoutKinds() []Kind {
	return []Kind{
		{Name: "included file", Group: "included file", Config: "[include]\n\tpath = ../evil.inc\n", Files: map[string]string{"evil.inc": armedConfig, ".gitattributes": "*.txt filter=evil\n"}, Off: "filter.evil.clean",
			Spring: []string{"status"}},
		{Name: "file included by an included file", Group: "file included by an included file", Config: "[include]\n\tpath = evil/1.inc\n",
			Files: map[string]string{".git/evil/1.inc": "[include]\n\tpath = 2.inc\n", ".git/evil/2.inc": armedConfig, ".gitattributes": "*.txt filter=evil\n"}, Off: "filter.evil.clean", Spring: []string{"status"}},
		{Name: "file included on a branch", Group: "file included on a branch", Config: "[includeIf \"onbranch:kuromajutsu/**\"]\n\tpath = ../evil.inc\n[includeIf \"onbranch:x\"]\n\tpath = ../evil.inc\n",
			Files: map[string]string{"evil.inc": armedConfig, ".gitattributes": "*.txt filter=evil\n"}, Unsafe: "includeif.onbranch:kuromajutsu/**.path",
			Spring: []string{"worktree", "add", "--quiet", "-b", "kuromajutsu/x", ".git/tree"}},
		{Name: "file included for a directory", Group: "file included for a directory", Config: "[includeIf \"gitdir:**\"]\n\tpath = ../evil.inc\n", Files: map[string]string{"evil.inc": armedConfig},
			Unsafe: "includeif.gitdir:**.path", Spring: []string{"status"}},
		{Name: "configuration of the work tree", Group: "configuration of the work tree", Config: "[extensions]\n\tworktreeConfig = true\n", Files: map[string]string{".git/config.worktree": armedConfig, ".gitattributes": "*.txt filter=evil\n"},
			Off: "filter.evil.clean", Spring: []string{"status"}},
		{Name: "submodule", Group: "submodule", Config: "[submodule \"lib\"]\n\turl = .\n\tupdate = !CANARY\n\trecurse = true\n\tignore = none\n[submodule]\n\trecurse = true\n[diff]\n\tsubmodule = diff\n\tignoreSubmodules = none\n[status]\n\tsubmoduleSummary = true\n[fetch]\n\trecurseSubmodules = true\n[push]\n\trecurseSubmodules = check\n",
			Arrange: func(r *Repository) {
				copyTree(r.t, r.path("lib"), r.plain)
				r.Write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = .\n\tignore = none\n")
				r.Git("-c", "advice.addEmbeddedRepo=false", "add", "lib", ".gitmodules")
				r.Git("commit", "--quiet", "-m", "lib")
				r.Append("lib/.git/config", r.fill(armedConfig))
				r.Append("lib/.git/info/attributes", "*.txt filter=evil\n")
				r.Write("lib/a.txt", "changed\n")
			}, Spring: []string{"status"}},
		{Name: "repository inside", Group: "repository inside", Arrange: func(r *Repository) { r.armed(r.path("inner")) }, Dir: "inner", Off: "filter.evil.clean", Spring: []string{"-C", "inner", "status"}},
		{Name: "repository without a work tree inside", Group: "repository without a work tree inside", Dir: "bare", Unsafe: "bare",
			Arrange: func(r *Repository) {
				copyTree(r.t, r.path("bare"), filepath.Join(r.plain, ".git"))
				r.Append("bare/config", r.fill(armedConfig+"[core]\n\tbare = false\n\tworktree = ..\n"))
			}, Spring: []string{"-C", "bare", "status"}},
		{Name: "file .git that leads elsewhere", Group: "file .git that leads elsewhere", Unsafe: ".git", Arrange: func(r *Repository) {
			elsewhere := directory(r.t)
			r.armed(elsewhere)
			r.replaceGit()
			r.Write(".git", "gitdir: "+filepath.ToSlash(elsewhere)+"/.git\n")
		}, Spring: []string{"status"}},
		{Name: "link .git that leads elsewhere", Group: "link .git that leads elsewhere", Unsafe: ".git", Arrange: func(r *Repository) {
			elsewhere := directory(r.t)
			r.armed(elsewhere)
			r.replaceGit()
			if err := os.Symlink(filepath.Join(elsewhere, ".git"), r.path(".git")); err != nil {
				r.t.Skip(err)
			}
		}, Spring: []string{"status"}},
		{Name: "shared files elsewhere", Group: "shared files elsewhere", Unsafe: "commondir", Arrange: func(r *Repository) {
			elsewhere := directory(r.t)
			r.armed(elsewhere)
			r.Write(".git/commondir", filepath.ToSlash(elsewhere)+"/.git\n")
		}, Spring: []string{"status"}},
		{Name: "work tree elsewhere", Group: "work tree elsewhere", Unsafe: "core.worktree", Arrange: func(r *Repository) {
			elsewhere := directory(r.t)
			copyTree(r.t, elsewhere, r.plain)
			r.Append(".git/config", r.fill(armedConfig+"[core]\n\tworktree = "+filepath.ToSlash(elsewhere)+"\n"))
		}, Spring: []string{"status"}},
		{Name: "rebase that runs programs", Group: "rebase that runs programs", Arrange: func(r *Repository) {
			head := r.Git("rev-parse", "HEAD")
			for name, text := range map[string]string{
				"head-name": "refs/heads/main", "onto": head, "orig-head": head, "git-rebase-todo": "exec CANARY", "end": "1", "msgnum": "1", "interactive": "", "quiet": "",
			} {
				r.Write(".git/rebase-merge/"+name, strings.TrimSpace(r.fill(text))+"\n")
			}
			r.Write("b.txt", "b\n")
		}, Spring: []string{"rebase", "--continue"}},
	}
}

// replaceGit removes git's own files.
func (r *Repository) replaceGit() {
	if err := os.RemoveAll(r.path(".git")); err != nil {
		r.t.Fatal(err)
	}
}
