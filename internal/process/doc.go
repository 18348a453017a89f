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
// all of them, kills them, and ends. Supervisors are used again.
//
// Two kinds of processes are out of its reach: processes of other users, which only
// root may kill, and processes that a service (systemd, cron, a container engine)
// starts for the command. A command that kills its supervisor is killed with it, and
// so are the processes of its session or with its mark; a process without both survives.
//
// A program that has not called Supervise finds processes outside of the group by the
// variable DOUGU_PROCESS in their environment, and Linux kills the child itself, but
// not its descendants, when the program dies. On other Unix systems neither holds:
// there a child survives a program that is killed.
package process
