// Package command is a hint against mistakes: it refuses commands that would destroy a system or a home if they were run as
// they stand. It is not a wall. It looks at the plain text of a command, so a variable, an alias, a function, an interpreter or a
// file hides whatever it runs. Package sandbox is the wall.
//
// A script for sh, bash and similar shells is parsed, and a [Policy] looks at every simple command in it, also within pipes, lists,
// loops, functions, subshells and substitutions, and at the here-documents and here-strings of shells. A word is known if it consists
// of plain and quoted text, $HOME, $PWD and ~. Braces are expanded as bash does, up to 64 words; sequences such as {1..3} are unknown text.
// Other expansions are unknown text. A rule refuses a word with unknown text only if its known part is enough: rm -rf /etc/$X is
// refused, rm -rf $X is not. A cd with a known directory moves the commands behind it.
//
// Some programs run a command of their arguments, and that command is looked at as well: sudo, doas, env, nice, nohup, timeout,
// time, ionice, stdbuf, setsid, exec, command, builtin, xargs, find -exec, eval and sh -c. No others are unwrapped.
//
// Scripts for cmd.exe and PowerShell are not parsed. A short list of regular expressions is applied to their text, and to a script
// for sh that cannot be parsed.
//
// # Rules
//
// The following is refused whatever the policy allows:
//
//   - recursive deletion of the root, the system, the home, the project as a whole, and places outside of the project that are
//     neither temporary nor a cache; by rm, rimraf and find;
//   - deleting with the rights of the administrator (sudo rm);
//   - writing to devices, making file systems, partitioning, and dd with an input;
//   - changing rights or owners of whole trees of the system or the home;
//   - writing files that decide who can log in, such as accounts, sudoers, authorized_keys and start files of shells; by
//     redirections, tee, truncate, dd, cp and mv;
//   - stopping or restarting the machine, ending every process, fork bombs;
//   - running text that comes from the network in the same line: curl … | sh, sh -c "$(curl …)", bash <(curl …).
//
// # Patterns of commands
//
// Policy.Allowed and Policy.Denied are patterns of commands with their arguments, word for word: "git push *". In a word, "*" stands
// for any characters and "?" for one; "*" as a word stands for any number of arguments, or none.
//
// Allowed is narrow: "git diff" allows no arguments, "git diff *" any. One word alone, "go", names a program with any arguments.
// A name without a slash does not mean a program in another directory: "go" is not ./go. For a program that runs a command of its
// arguments (env, nice, timeout …) only that command must be allowed. For find -exec, both find and the command must be allowed. For
// sudo and doas, a pattern must allow sudo itself with its arguments. With Allowed set, commands with too little known text are
// refused. These are unknown names, scripts that cannot be parsed, scripts for cmd.exe and PowerShell, and the loading of files with
// "." and source. Assignments of variables that select the program, for example PATH, are refused, too.
//
// Denied is wide: "git push" also denies further arguments, options in between (git -C dir push), other directories (/usr/bin/git)
// and unknown arguments that may be the denied ones (git $X).
package command
