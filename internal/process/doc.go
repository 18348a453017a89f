// Package process runs child processes as trees, so that ending one ends
// everything that it has started, and so that none survives this program.
//
// A [Child] talks to its owner over its standard input and output, as a server
// does; a [Captured] is watched: its output is handed on as it comes, over pipes or
// a pseudo-terminal.
//
// The tree of a child is its process group, and on Windows its job, which ends with
// this program.
//
// On Linux all descendants of a child belong to its tree. A program
// that has called [Supervise] runs each child below a supervisor, which is the
// program itself, executed once more, in a session of its own. It is the subreaper
// of its descendants, so that none leaves them, and holds one end of a socket. When
// the other end is closed, because this program has ended in whatever way, it stops
// all of them, kills them, and ends. Supervisors are used again. Their parent is a
// keeper, the program once more, which kills the descendants of a supervisor that was
// killed. Linux continues both at the end of the program, if they were stopped.
//
// Three kinds of processes are out of reach: processes of other users, which only
// root may kill; processes that a service (systemd, cron, a container engine)
// starts for the command; and if the keeper and then a supervisor are killed, the
// processes of its command that have left their group and have no mark. A command that
// kills its supervisor is killed with it, and so is all that it has started.
//
// A program that has not called Supervise finds processes outside of the group by the
// variable DOUGU_PROCESS in their environment, and Linux kills the child itself, but
// not its descendants, when the program dies. On other Unix systems neither holds:
// there a child survives a program that is killed.
package process
