// Package terminal is the set of tools that run commands in a project: it starts
// them, follows what they say, talks to them, ends them, and builds the project.
//
// Every tool is also a method of [Terminal], for programs that need no protocol:
//
//	terminal, err := terminal.New(ctx, tools.Env{Root: root}, terminal.Options{})
//	got, err := terminal.Execute(ctx, terminal.CommandArgs{Command: "go test ./..."})
//
// # What commands may do
//
// A command has the rights of this program. Four things stand before that, and none
// of them makes a hostile command harmless but the last:
//
//   - A policy reads the text of the command and refuses it if it plainly destroys a
//     system or a home (COMMAND_BLOCKED), or if it is not on a list: see package
//     tools/command. The policy is a hint against mistakes: variables, interpreters,
//     files and stdin hide commands from it. Text that is typed into a running shell is
//     checked in the same way.
//   - A command starts in a directory of the security.Root. With a read-only Root it is
//     refused, unless it runs in a sandbox that is read-only too.
//   - It does not get the variables of this program whose names say that they are
//     secret: see Options.Env.
//   - On Linux it can run in a sandbox, in which little but the project exists: see
//     Options.Sandbox.
//
// Every command and every input is in the audit log before it has an effect; of
// what a program other than a shell gets to read, the log has the length alone.
//
// How much of the machine a command takes (processes, memory, disk) is not bounded
// here, only its output and its time.
//
// One set is one workspace: whoever can call its tools sees, and can end, all of its
// processes, and no others.
//
// # Time
//
// No call blocks longer than 50 s. A command that goes on has a process id by then,
// with which its output can be followed, and it goes on until its timeout: 60 s
// unless the call says otherwise, and for ever in the background. Then it is asked
// to end, and killed with all that it has started 2 s later; the call that waits for
// it fails with TIMEOUT and has what was said until then (TimeoutError). A call that
// is cancelled ends its command in the same way, unless its process id is known.
//
// A command ends when its own process does. What it has left running goes on (a
// server that was started with &), and can be ended with its process id; closing the
// set ends it in any case. On systems other than Linux what has left its process
// group is not found.
//
// # Output
//
// Output is text: escapes are left out, bytes that are no UTF-8 are read as
// Shift_JIS or whatever else they seem to be, and as \x and two digits if they are
// nothing. Of a progress bar on a terminal or on standard error only the last state is
// shown. An answer has at most its budget (tools.Limits.Answer, 32 KiB by default): of
// more output the beginning and the end. Everything, up to Options.MaxOutput, can be
// read by read_process_output until 10 minutes after the end of the process, in
// pages, the tail, or what is new. Offsets count bytes as they were written.
//
// A command reads nothing, unless it is given stdin, or runs in the background or on a
// terminal: then send_process_input writes to it.
//
// # Errors
//
// To the codes of package security, this package adds UNKNOWN_PROCESS for an id that
// is not known (any more), TOO_MANY_PROCESSES, INPUT_CLOSED for a process that cannot
// be written to, and BAD_RANGE for an offset behind the end. FILE_NOT_FOUND is also a
// program that is not there. See package build for those of builds. A command or a
// build that fails is no error.
package terminal
