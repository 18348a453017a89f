// Package command decides which commands may run.
//
// It is a guard rail, not a wall. A [Policy] keeps an agent from destroying a machine or a home by mistake, by habit or because a
// text that it read told it to; it does not hold a program back that is meant to do harm. A file of the project can do whatever
// its user can, and so can a test, a build or an interpreter: what such files say is not looked at. Links are not followed, and
// what a command reads while it runs is not known. Where that matters, run commands in a container, or confined by the operating
// system, and use [Policy.Allowed].
//
// A script is parsed as the shell would, and followed as far as possible without running it: variables with known values,
// substitutions, functions, aliases, here-documents and files that the script itself writes. Every simple command is looked at
// through whatever runs it: env, sudo, xargs, find -exec, sh -c, eval, ssh, containers, git aliases, code of interpreters. Scripts
// for cmd.exe and PowerShell are taken apart more roughly.
//
// # What the guard rail refuses
//
//   - recursive deletion of the root, the system, a home or what the user keeps there, the project as a whole, and places outside
//     of the project that are neither temporary nor a cache; also by find, rsync, git clean and by moving it away;
//   - writing to devices, making file systems, partitioning, and dd with an input (head and truncate serve for files);
//   - changing rights or owners of whole trees of the system;
//   - deleting with the rights of the administrator (sudo rm);
//   - files that decide who can log in and what runs: accounts, sudoers, authorized_keys, start files of shells, crontabs;
//   - stopping or restarting the machine, ending every process, fork bombs;
//   - running what was just downloaded or decoded (curl … | sh), and giving a shell to the network.
//
// [Policy.Strict] also refuses what cannot be understood. A command then has to be written plainly.
//
// # Patterns of commands
//
// Policy.Allowed and Policy.Denied are patterns of commands with their arguments, word for word: "git push *". In a word, "*" stands for
// any characters and "?" for one; "*" as a word stands for any number of arguments, or none.
//
// What is allowed is taken narrowly: "git diff" allows no arguments, "git diff *" any. One word alone, "go", names a program with
// whatever arguments. A name without a slash does not mean a program at some other place: "go" is not ./go. What runs other commands with
// nothing of its own (env, nice, timeout, xargs, sh -c) need not be allowed, but what it runs must be.
//
// What is denied is taken widely: "git push" also denies further arguments, options in between (git -C dir push), other
// directories (/usr/bin/git) and arguments that are only known when the command runs.
package command
