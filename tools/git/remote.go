package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// remote is the remote repository and branch of a pull or push.
type remote struct {
	name   string   // "." for the repository itself
	url    string   // without passwords
	branch string   // remote branch without refs/heads/
	env    []string // variables for git
	local  bool     // a directory of this machine
}

// remotes returns the names of the configured remotes.
func (r *repo) remotes(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"remote"}})
	if err != nil {
		return nil, gitError("listing remotes", err)
	}
	return strings.Fields(string(out)), nil
}

// setting returns the value of a configuration key, or "".
func (r *repo) setting(ctx context.Context, key string) string {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"config", "--get", key}})
	if err != nil {
		return ""
	}
	return trim(out)
}

// upstream returns the remote and branch that a local branch tracks. The name is empty without an upstream.
func (r *repo) upstream(ctx context.Context, branch string) (name, ref string) {
	ref, _ = strings.CutPrefix(r.setting(ctx, "branch."+branch+".merge"), "refs/heads/")
	if name = r.setting(ctx, "branch."+branch+".remote"); name == "" || ref == "" {
		return "", ""
	}
	return name, ref
}

// remote checks that a remote may be used and returns it with its connection settings.
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
		return nil, gitError("finding the remote", err)
	}
	var protocols []string
	for line := range strings.Lines(string(out)) {
		url := strings.TrimRight(line, "\r\n")
		protocol := protocolOf(url)
		if err := r.checkRemote(name, url, protocol); err != nil {
			return nil, err
		}
		if t.url == "" {
			t.url = sanitize(gitcmd.WithoutPasswords(url))
		}
		t.local = t.local || protocol == "file"
		protocols = append(protocols, protocol)
	}
	if len(protocols) == 0 || t.local && slices.ContainsFunc(protocols, func(p string) bool { return p != "file" }) {
		return nil, problem(codeNotAllowed, "Ask the user to look at the configuration of the remote.", "the remote %s has no URL, or several that are too different", quote(name))
	}
	t.env = append(r.sshEnv(), "GIT_ALLOW_PROTOCOL="+strings.Join(protocols, ":"))
	return t, nil
}

// protocolOf returns the protocol of a URL as in GIT_ALLOW_PROTOCOL, or "" for an unsupported one.
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
		return "" // git would run a remote helper program
	case filepath.IsAbs(url), !colon, strings.ContainsAny(head, "/\\"):
		return "file"
	}
	return "ssh"
}

// checkRemote refuses a URL with an unsupported protocol, an unsafe setting, or a directory outside the Root.
func (r *repo) checkRemote(name, url, protocol string) error {
	const next = "Ask the user to pull or push in a terminal."
	if protocol == "" || strings.HasPrefix(url, "-") {
		return problem(codeNotAllowed, next, "the remote %s uses a protocol that is not supported here: %s", quote(name), quote(sanitize(url)))
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
	if err != nil || !r.g.isInRoot(real) {
		return problem(codeNotAllowed, next, "the remote %s is a directory of this machine outside of the project: %s", quote(name), quote(url))
	}
	return nil
}

// sshEnv returns variables that keep ssh from asking questions.
func (r *repo) sshEnv() []string {
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

// serverCommand returns the command at the remote end. A repository of this machine is accessed with its programs and hooks disabled.
func (t *remote) serverCommand(program string, hooks bool) string {
	if !t.local {
		return "git-" + program
	}
	command := "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0 -c receive.autogc=false -c receive.denyCurrentBranch=refuse "
	if !hooks {
		command += "-c core.hooksPath=/dev/null "
	}
	return command + program
}
