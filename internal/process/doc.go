// Package process runs child processes as trees, so that ending one ends
// everything that it has started, and so that none survives this program.
//
// A [Child] talks to its owner over its standard input and output, as a server
// does; a [Captured] is watched: what it writes is handed on as it comes, over
// pipes or a pseudo-terminal.
//
// What belongs to a child is its process group, and on Windows its job. On Linux
// it is also what has left the group: every child has the variable
// DOUGU_PROCESS in its environment, by which its descendants are found in
// /proc. What clears its environment and also severs the line of its parents
// is not found.
//
// On Linux a child is killed when this program dies, however that happens; what
// the child has started is not.
package process
