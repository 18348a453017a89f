// Package security confines tools to a part of the file system.
//
//   - [Root] is the part of the file system that tools work in: one or more directories, in which secrets are hidden and files
//     that make other programs run code are write-protected. Every path is checked on the object that it really leads to, and
//     every write happens as a whole, under a lock, and leaves a backup if wanted. Package aferofs offers it to code that is
//     written for afero.
//   - [Error] is what everything here refuses with: a stable code, the rule, what was wrong and what to do next. [Codes] lists
//     all codes.
//
// Package audit records changes before they happen; package redact keeps secrets out of logs.
//
// A Root guards against what a tool is asked to do with names and links. It does not guard against code that runs with the
// same rights, such as a command of a terminal tool.
package security
