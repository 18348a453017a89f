// Package debug is the set of tools that debug programs of a project: they run one up to a breakpoint, step through it, look at its
// variables and evaluate expressions in it, by debuggers that speak the Debug Adapter Protocol.
//
// Every tool is also a method of [Debugger], for programs that need no protocol:
//
//	debugger, err := debug.New(ctx, tools.Env{Root: root}, debug.Options{})
//	at, err := debugger.Start(ctx, debug.StartArgs{Program: ".", Breakpoints: []debug.Breakpoint{{Path: "main.go", Line: 12}}})
//	at, err = debugger.Step(ctx, debug.StepArgs{Action: debug.ActionOver})
//
// # Debuggers
//
// Debuggers are data: see [Adapter]. [DefaultAdapters] has Delve, for Go, and debugpy, for Python; others need a command and a
// template of what they are told to launch. They are looked for on PATH, never in the project.
//
// # What may be debugged
//
// To debug a program is to run it, with the rights of this one, and to evaluate an expression can be, too. What stands before that is
// what package terminal has, and none of it makes a hostile program harmless but the last:
//
//   - A policy is asked with the command that the program could be run with, such as go run and its arguments, and with expressions,
//     conditions and messages of languages in which they can run commands (COMMAND_BLOCKED): see Launch.As and Adapter.Evaluates.
//     It compares them with lists of commands; it does not read code of other languages than sh.
//   - Programs and their working directories are those of the security.Root. With a read-only Root nothing is run, unless it is
//     in a sandbox that is read-only too.
//   - They do not get the variables of this program whose names say that they are secret: see Options.Env.
//   - On Linux they can run in a sandbox, in which little but the project exists: see Options.Sandbox.
//   - Processes that run already are not touched unless Options.Attach allows that.
//
// Starts, steps, breakpoints, evaluations and ends are in the audit log before they have an effect.
//
// # Sessions
//
// A session is one program with its debugger. It ends with the program, by debug_stop, when nothing was asked of it for a while, and
// with the set. Whatever its end, the debugger and the program are ended with all that they have started, where the system can tell
// (on Linux by a mark in the environment, elsewhere by process group); only a program that was attached to is left alone. Its output
// can be read for a while afterwards.
//
// One set is one workspace. A principal sees, and can end, the sessions that it has started, and no others; clients without
// authentication share theirs. Two calls do not work with one session at once; the second waits.
//
// # Bounds
//
// No call blocks longer than 50 s. A program that is still being built or is running then is followed by debug_status. A debugger that
// does not answer is an error of the call (TIMEOUT), one that is still busy with an expression is not asked anything else until it has
// answered (DEBUGGER_BUSY), and one that dies, or says what is no message, ends the session (DEBUGGER_FAILED). What comes from a debugger is
// bounded: a message of 16 MiB, 2,000 variables and as much text as the budget of an answer has room for.
//
// Of the output of a program the newest and the oldest are kept (Options.MaxOutput). How much of the machine a program takes is not
// bounded here.
package debug
