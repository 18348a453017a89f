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
// The home directory inside is a private one that is kept between commands and removed by [Sandbox.Close]. Caches of compilers and
// package managers are private to the project, and kept with [Options.StateDir]: a command cannot place anything into the caches that
// the user's own builds read.
//
// [Sandbox.Protect] and [Protection.Refuse] compare the protected files before and after a command: mounts protect only files that
// exist, and until a program outside replaces them.
//
// The program that calls New runs itself again under another name to enter a sandbox. It calls [Main] first in its function main,
// and says so with [Options.Helper].
package sandbox
