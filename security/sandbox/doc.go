// Package sandbox runs commands that work on a project where they can harm nothing else.
//
// [New] chooses a [Kind], the strongest one that works on the machine, and [Sandbox.Wrap] changes a command so that it runs inside:
//
//   - Namespaces: a file system in which only the project, installed programs, tool chains and the settings of programs exist, a
//     process table of its own, and a filter of system calls.
//   - Bubblewrap: the same, made by the program bwrap. It serves where only that program may make namespaces.
//   - Landlock: the real file system, in which everything else cannot be opened.
//
// [Sandbox.Status] names the guarantees of the kind, and their limits.
//
// The home directory inside is a private one that is kept between commands. Caches of compilers and package managers therefore are
// private to the project as well: a command cannot place anything into the caches that the user's own builds read.
//
// The program that calls New runs itself again under another name to enter a sandbox. It calls [Main] first in its function main,
// and says so with [Options.Helper].
package sandbox
