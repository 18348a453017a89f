// Package process runs child processes as trees, so that ending one ends
// everything that it has started, and so that none survives this program.
//
// A [Child] talks to its owner over its standard input and output, as a server
// does. The output of a [Captured] is passed to a function as it arrives, over pipes
// or a pseudo-terminal.
//
// The tree of a child is its process group. On Windows it is the job of the child,
// which ends with this program.
//
// # Linux
//
// On Linux all descendants of a child belong to its tree, also outside of its group.
// A program that has called [Supervise] runs each child below a supervisor: the same
// executable, started again in a session of its own. The supervisor is the subreaper
// of its descendants, so that orphans among them become its children. It holds one
// end of a socket. When this program ends in any way, the other end is closed. The
// supervisor then stops and kills all of its descendants, and ends. A supervisor
// serves several children, one after the other.
//
// The parent of the supervisors is a keeper, also the same executable. It kills the
// descendants of a supervisor that was killed. A keeper or supervisor that was
// suspended by a signal receives SIGCONT from Linux when its parent ends, so that it
// still does its work.
//
// The environment of each child contains a mark, the variable DOUGU_PROCESS, by which
// processes outside of the group are found without a supervisor.
//
// # Limits
//
// Three kinds of processes are out of reach: processes of other users, which only
// root may kill; processes that a service (systemd, cron, a container engine)
// starts for the command; and, after a kill of the keeper and then of a supervisor,
// processes without the mark that have left the group. A command that kills its
// supervisor is killed with it, and so are all of its descendants.
//
// A program that has not called Supervise finds processes outside of the group only
// by their mark. When it dies, Linux kills the child itself, but not its descendants.
// On other Unix systems a child survives a program that is killed, and processes
// outside of the group are not found.
package process
