// Package terminal is the set of tools that run commands in a project: it starts commands, reads their output, writes their
// input, ends them, and builds the project.
//
// The main type is [Terminal]. [New] makes it from a tools.Env. Every tool is also a method of Terminal, so a Go program can
// use the tools without the protocol:
//
//	terminal, err := terminal.New(ctx, tools.Env{Root: root}, terminal.Options{})
//	got, err := terminal.Execute(ctx, terminal.CommandArgs{Command: "go test ./..."})
//
// # Permissions of commands
//
// A command has the permissions of this process. Four measures restrict it. Only the sandbox stops a hostile command:
//
//   - A policy parses the command and refuses it if it plainly destroys a system or a home (COMMAND_BLOCKED), or if it is not
//     on a list; see package tools/command. The policy is a hint: variables, interpreters, files and standard input hide
//     commands from it. Input to a running shell is checked in the same way.
//
//   - A command starts in a directory of the security.Root. With a read-only Root it is refused, unless it runs in a sandbox
//     that is read-only too.
//
//   - A command does not get environment variables whose names indicate secrets; see Options.Env.
//
//   - On Linux a command can run in a sandbox that contains little besides the project; see Options.Sandbox.
//
// The audit log records every command and every input before it has an effect. Of input to programs other than shells it
// records only the length.
//
// The set bounds the output and the time of commands. It does not bound processes, memory and disk.
//
// One set is one workspace: its callers see and end the processes of the set, and no others. An authenticated principal sees
// only its own processes.
//
// # Time
//
// No call blocks longer than 50 seconds. A command that continues has a process ID, with which its output can be read. It runs
// until its timeout: 60 seconds by default, none in the background. Then it receives a signal to end, and after 2 seconds its
// process tree is killed. The waiting call fails with TIMEOUT and contains the output (TimeoutError).
//
// A cancelled call ends its command in the same way, unless a result has already returned the process ID. kill_process waits 5
// seconds between the signal and the kill, Close waits 0.2 seconds.
//
// A command ends with its own process. Its background children (a server started with &) continue and can be ended with the
// process ID. Close ends them in any case. On systems other than Linux, a process that has left the process group is not found.
//
// # Output
//
// Output is text. Escape sequences are removed. Bytes that are not UTF-8 are decoded as Shift_JIS or another detected encoding,
// otherwise shown as \x and two digits. Of a progress bar only the last state is shown. An answer has at most its budget
// (tools.Limits.Answer, 32 KiB by default): longer output is reduced to its beginning and end. read_process_output reads all
// output up to Options.MaxOutput, in pages, from the end, or from the last read, until 10 minutes after the end of the process.
// Offsets count bytes as the process wrote them.
//
// A command has no input, unless the call gives stdin or starts it in the background or on a terminal. Then send_process_input
// writes to it.
//
// # Errors
//
// Besides the codes of package security, this package has UNKNOWN_PROCESS for an unknown or forgotten ID, TOO_MANY_PROCESSES,
// INPUT_CLOSED for a process without writable input, and BAD_RANGE for an offset after the end. FILE_NOT_FOUND also reports a
// missing program. Package build defines the codes of builds. A failed command or build is no error.
package terminal
