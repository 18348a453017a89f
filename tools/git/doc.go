// Package git is the set of tools for the git repository of a project: status, differences, history, commits, branches, and the
// exchange with remotes. It runs the git program, version 2.26 or later.
//
// The main type is [Git]. [New] makes it from a tools.Env. Every tool is also a method of Git, so a Go program can use the
// tools without the protocol:
//
//	repository, err := git.New(ctx, tools.Env{Root: root}, git.Options{})
//	got, err := repository.Status(ctx, git.StatusArgs{})
//
// # The repository
//
// The tools look for a repository in the directories of the security.Root. If there is none, they use a repository above the
// Root that contains files of the project, for example a monorepo. Then answers and commits contain only files of the project,
// and a call that would change other files is refused. The files of the worktree must be inside the Root. Git's own files may
// be outside the Root only if they record the path of this worktree, as git does for linked worktrees and submodules.
//
// Blocked files are files that the rules of the Root block, usually because they contain secrets. Differences, conflicts and
// blame show their names only, also after a rename. Commits leave them out.
//
// # Programs of the repository
//
// A repository can make git run programs: hooks, filters, merge and diff drivers, monitors, credential helpers, signing
// programs, remote helpers. The author of the directory has chosen them, so none of them runs. Before every call the set reads
// the configuration of the repository and overrides every such setting with the value of the user's own configuration, or with
// a harmless value. Answers list the overridden settings (TurnedOff). The user's own configuration is effective: name, signing,
// credential helpers, filters. If an override would do harm, the call is refused: a file with a disabled filter is neither
// committed nor checked out, because the filter could encrypt it. Hooks run only if Options.Hooks is set and the call asks for
// them.
//
// A call names a remote and never gives a URL. The protocols are http, https, ssh and git. A directory of this machine is
// allowed inside the Root, or everywhere with Options.LocalRemotes; its hooks do not run either.
//
// Git LFS objects are not sent. A push of commits with LFS pointers is refused, unless the hook of git-lfs runs.
//
// # Passwords
//
// Git and ssh cannot ask for a password: they have no terminal and no askpass program. A connection that needs a password fails
// with AUTHENTICATION_REQUIRED. Answers do not contain passwords of URLs.
//
// # Protection against loss
//
// A pushed commit is not amended. The deletion of a branch with commits of its own and the replacement of a remote branch need
// the consent of the user (mcp.Confirm), or a token if the client cannot ask. A push with force and without lease is not
// available. Switching and pulling refuse to overwrite changes. The audit log records every change before it happens. The set
// waits for locks and never removes them.
//
// A commit is refused if its additions look like a password or a key. This hint prevents accidents; see
// redact.Redactor.FindSecret.
//
// # Time and size
//
// No call blocks longer than 50 seconds. A slower network operation continues in the background (Running) for at most 10
// minutes, and the same call waits for it again. Cancellation ends the process tree of git. Answers have a budget
// (tools.Limits) and continue with cursors.
//
// # Limits
//
// There are no tools for stashes, tags, resets, cherry-picks, worktrees and the update of submodules. Tools that only read do
// not fetch missing objects of a partial clone. A rebase is continued only if its remaining steps pick commits.
package git
