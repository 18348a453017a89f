// Package debug is the set of tools that debug programs of a project: they run a program to a breakpoint, step, read variables
// and evaluate expressions. They control debuggers over the Debug Adapter Protocol.
//
// The main type is [Debugger]. [New] makes it from a tools.Env. Every tool is also a method of Debugger, so a Go program can
// use the tools without the protocol:
//
//	debugger, err := debug.New(ctx, tools.Env{Root: root}, debug.Options{})
//	at, err := debugger.Start(ctx, debug.StartArgs{Program: ".", Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 12}}})
//	at, err = debugger.Step(ctx, debug.StepArgs{Action: debug.ActionOver})
//
// # Debuggers
//
// An [Adapter] describes a debugger as data. [DefaultAdapters] contains Delve for Go and debugpy for Python. Another debugger
// needs a command and a template of its launch request. Debuggers are looked up in PATH, never in the project.
//
// # Permissions of programs
//
// Debugging runs the program with the permissions of this process, and an expression can run code too. The measures are those
// of package terminal. Only the sandbox stops a hostile program:
//
//   - A policy checks the command that the program corresponds to, for example go run with its arguments. It also checks
//     expressions, conditions and messages of languages that can run commands (COMMAND_BLOCKED); see Launch.As and
//     Adapter.Evaluates. The policy compares with lists of commands and parses only sh.
//
//   - Programs and their working directories are in the security.Root. With a read-only Root a program runs only in a sandbox
//     that is read-only too.
//
//   - Programs do not get environment variables whose names indicate secrets; see Options.Env.
//
//   - On Linux programs can run in a sandbox that contains little besides the project; see Options.Sandbox.
//
//   - The set attaches to running processes only with Options.Attach.
//
// The audit log records starts, steps, breakpoints, evaluations and ends before they have an effect.
//
// # Sessions
//
// A session is one program with its debugger. It ends with the program, by debug_stop, after a time without calls, and with the
// set. Its end ends the process trees of debugger and program, as far as the system can find them (on Linux by a mark in the
// environment, elsewhere by process group). A program that was attached to continues. The output stays readable for a while.
//
// One set is one workspace. A principal sees and ends only its own sessions; clients without authentication share theirs. Calls
// for one session run one after the other.
//
// # Limits
//
// No call blocks longer than 50 seconds. debug_status follows a program that is still built or running then. A debugger without
// a response is an error of the call (TIMEOUT). A debugger that is busy with an expression accepts no other request until it
// has responded (DEBUGGER_BUSY). A debugger that dies or sends an invalid message ends the session (DEBUGGER_FAILED). A message
// has at most 16 MiB, an answer at most 2,000 variables and the text that fits its budget.
//
// The oldest and the newest output of a program are kept (Options.MaxOutput). The set does not bound the processes and memory
// of a program.
package debug
