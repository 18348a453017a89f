// Package git is the set of tools for the git repository of a project: what is
// changed, who has changed what and when, commits, branches, and the exchange with
// remotes, over the git program (2.26 or later).
//
// Every tool is also a method of [Git], for programs that need no protocol:
//
//	repository, err := git.New(ctx, tools.Env{Root: root}, git.Options{})
//	got, err := repository.Status(ctx, git.StatusArgs{})
//
// # Which repository
//
// It is looked for in the directories of the security.Root, and above them if there is
// none and the repository above has files of the project, such as those of a package in
// a monorepo. Then only the files of the project are told of and committed, and a call
// that would change others is refused. The files of the work tree must be there; git's own files may be elsewhere only if these name
// the work tree themselves, as those of a work tree that was added and of a submodule
// do. What the rules of the Root hide is told of by its name, and not shown: in
// differences, also when it was renamed, in conflicts and in the lines of a file.
// Commits leave it out.
//
// # Whose programs run
//
// A repository can have git run programs: hooks, filters, drivers for merges and
// differences, monitors, helpers for passwords, programs that sign, helpers for
// remotes. Whoever has packed the directory has chosen them. None of them runs here:
// what the configuration of the repository says and the user's own does not is read
// before every call and overruled, by what the user's own has for it if it has
// something, and answers tell what (TurnedOff). The user's own configuration holds: name,
// signing, helpers for passwords, filters. Where overruling would do harm, the call is
// refused: a file is neither committed nor brought into the work tree whose filter
// does not run, because it could be one that encrypts. Hooks run where Options.Hooks allows it and the call says so.
//
// Remotes are named, never given by URL; http, https, ssh and git are spoken, and
// directories of this machine are used if they are in the Root, or Options.LocalRemotes
// says so. Of these, too, no hook is run.
//
// Objects of Git LFS are not sent: a push of commits with pointers is refused, unless the
// hook of git-lfs runs.
//
// # Nobody is asked
//
// Neither git nor ssh can ask for a password: they have no terminal and no program
// for that. What needs one fails with AUTHENTICATION_REQUIRED. Passwords in URLs are
// shown nowhere.
//
// # What cannot be undone
//
// Nothing is lost without consent. A commit that was pushed is not amended; a branch
// whose commits no other has is deleted, and a branch of a remote replaced, only after
// the user agrees (mcp.Confirm), or with a token where the client cannot ask them; a
// plain force is not there. Switching and pulling refuse to overwrite changes. Every
// change is in the audit log before it is made. Locks are waited for and never removed.
//
// A commit is refused when what it adds looks like a password or a key: a guard against
// accidents, see redact.Redactor.FindSecret.
//
// # Time and size
//
// No call blocks longer than 50 seconds. What waits for another machine longer goes on
// (Running), for 10 minutes at most, and the same call made again waits on. Git is ended
// with all that it has started. Answers have a budget (tools.Limits) and go on with
// cursors.
//
// # What is not there
//
// Stashes, tags, resets, cherry-picks, work trees and the update of submodules.
// Objects that a partial clone lacks are not fetched by tools that only read. A rebase
// is gone on with only if what is left of it picks commits.
package git
