package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// remote is where a branch is fetched from or sent to.
type remote struct {
	name   string // "." for the repository itself
	url    string // as it may be shown
	branch string // there, without refs/heads/
	env    []string
	local  bool
}

// remotes are the names of those that the repository has.
func (r *repo) remotes(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"remote"}})
	if err != nil {
		return nil, failed("listing remotes", err)
	}
	return strings.Fields(string(out)), nil
}

// setting is the value of a key of the configuration, "" if it has none.
func (r *repo) setting(ctx context.Context, key string) string {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"config", "--get", key}})
	if err != nil {
		return ""
	}
	return trim(out)
}

// upstream is what a branch follows; the name is empty if it follows nothing.
func (r *repo) upstream(ctx context.Context, branch string) (name, ref string) {
	ref, _ = strings.CutPrefix(r.setting(ctx, "branch."+branch+".merge"), "refs/heads/")
	if name = r.setting(ctx, "branch."+branch+".remote"); name == "" || ref == "" {
		return "", ""
	}
	return name, ref
}

// remote checks that a remote may be used, and finds out how.
func (r *repo) remote(ctx context.Context, name, branch string, push bool) (*remote, error) {
	if err := r.branchName(ctx, branch); err != nil {
		return nil, err
	}
	t := &remote{name: name, branch: branch}
	if name == "." {
		t.url, t.env = "this repository", []string{"GIT_ALLOW_PROTOCOL=none"}
		return t, nil
	}
	all, err := r.remotes(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(all, name) || strings.HasPrefix(name, "-") {
		return nil, invalid("Name one of these: "+strings.Join(all, ", ")+".", "there is no remote %s", quote(name))
	}
	command := []string{"remote", "get-url", "--all"}
	if push {
		command = append(command, "--push")
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: append(command, "--", name)})
	if err != nil {
		return nil, failed("finding the remote", err)
	}
	var protocols []string
	for line := range strings.Lines(string(out)) {
		url := strings.TrimRight(line, "\r\n")
		protocol := protocolOf(url)
		if err := r.checkRemote(name, url, protocol); err != nil {
			return nil, err
		}
		if t.url == "" {
			t.url = said(gitcmd.WithoutPasswords(url))
		}
		t.local = t.local || protocol == "file"
		protocols = append(protocols, protocol)
	}
	if len(protocols) == 0 || t.local && slices.ContainsFunc(protocols, func(p string) bool { return p != "file" }) {
		return nil, problem(codeNotAllowed, "Ask the user to look at the configuration of the remote.", "the remote %s has no URL, or several that are too different", quote(name))
	}
	t.env = append(r.speaking(), "GIT_ALLOW_PROTOCOL="+strings.Join(protocols, ":"))
	return t, nil
}

// protocolOf is how git speaks to a URL, as GIT_ALLOW_PROTOCOL has it; "" for what is not used here.
func protocolOf(url string) string {
	if scheme, _, ok := strings.Cut(url, "://"); ok && !strings.ContainsAny(scheme, "/:") {
		switch scheme = strings.ToLower(scheme); scheme {
		case "http", "https", "ssh", "git", "file":
			return scheme
		case "git+ssh", "ssh+git":
			return "ssh"
		}
		return ""
	}
	head, _, colon := strings.Cut(url, ":")
	switch {
	case strings.Contains(url, "::") && !strings.ContainsAny(strings.SplitN(url, "::", 2)[0], "/\\"):
		return "" // a program of that name would be run
	case filepath.IsAbs(url), !colon, strings.ContainsAny(head, "/\\"):
		return "file"
	}
	return "ssh"
}

// checkRemote refuses a URL that leads to where tools must not go.
func (r *repo) checkRemote(name, url, protocol string) error {
	const next = "Ask the user to pull or push in a terminal."
	if protocol == "" || strings.HasPrefix(url, "-") {
		return problem(codeNotAllowed, next, "the remote %s speaks a protocol that is not used here: %s", quote(name), quote(said(url)))
	}
	for _, key := range r.settings.Refused {
		ofHTTP := strings.HasPrefix(strings.ToLower(key), "http.")
		if ofHTTP && strings.HasPrefix(protocol, "http") || strings.HasPrefix(key, "remote."+name+".") || strings.HasSuffix(key, "pack") {
			return problem(codeUnsafe, "Ask the user to set it in their own configuration (git config --global) if they trust it, and to remove it from the repository's.",
				"the configuration of the repository sets %s, with which it could lead the connection elsewhere or run a program", quote(key))
		}
	}
	if protocol != "file" || r.g.options.LocalRemotes {
		return nil
	}
	dir := filepath.FromSlash(strings.TrimPrefix(url, "file://"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top(), dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !r.g.inside(real) {
		return problem(codeNotAllowed, next, "the remote %s is a directory of this machine outside of the project: %s", quote(name), quote(url))
	}
	return nil
}

// speaking are the variables with which git speaks to other machines and asks nobody.
func (r *repo) speaking() []string {
	command := os.Getenv("GIT_SSH_COMMAND")
	if program := os.Getenv("GIT_SSH"); command == "" && program != "" {
		command = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	}
	if command == "" {
		command = r.settings.User("core.sshcommand")
	}
	if command == "" {
		command = "ssh"
	}
	first, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if base := strings.TrimSuffix(strings.ToLower(filepath.Base(strings.Trim(first, `'"`))), ".exe"); base == "ssh" {
		return []string{"GIT_SSH_COMMAND=" + command + " -o BatchMode=yes", "GIT_SSH_VARIANT=ssh"}
	}
	return []string{"GIT_SSH_COMMAND=" + command}
}

// service is the program at the other end, for the option of that name. A repository of this machine has none of its own hooks and
// programs run either.
func (t *remote) service(program string, hooks bool) string {
	if !t.local {
		return "git-" + program
	}
	command := "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0 -c receive.autogc=false -c receive.denyCurrentBranch=refuse "
	if !hooks {
		command += "-c core.hooksPath=/dev/null "
	}
	return command + program
}
