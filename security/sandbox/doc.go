// Package sandbox runs commands that work on a project with limited access to files, processes and
// networks.
//
// [New] selects the strongest [Kind] that works on the machine, and [Sandbox.Wrap] changes a
// command so that it runs inside:
//
//   - Namespaces: a file system with only the project, installed programs, tool chains and
//     settings of programs, a separate process table, and a filter of system calls.
//   - Bubblewrap: the same, created by the program bwrap, for machines where only bwrap may create
//     namespaces.
//   - Landlock: the real file system. Only the project, installed programs and the other files that
//     the options permit can be opened in it.
//
// [Sandbox.Status] lists the guarantees of the kind and their limits.
//
// The home directory inside is private. It exists until [Sandbox.Close]. Caches of compilers and
// package managers are private to the project and kept in [Options.StateDir], so that a command
// cannot change caches that the user's own builds read.
//
// [Sandbox.Protect] and [Protection.Refuse] compare the protected files before and after a command.
// Mounts protect only existing files, and only until a program outside replaces them.
//
// To enter a sandbox, the program runs itself again, as a helper: the helper sets up the sandbox and
// then executes the command. The program must therefore call [Main] first in its function main and
// pass the result in [Options.Helper].
package sandbox
