// Package process lets a program that embeds sets of tools supervise the processes that they start, as the ready servers do.
//
// A set of tools starts commands, agents, language servers, debuggers and git. Without supervision each of them is a process group, which
// Linux kills when the program dies; a process outside of the group survives then. With it, on Linux, no process survives, in whichever way it
// has left the group and the program has ended.
package process

import "github.com/dougu-go/dougu/internal/process"

// Supervise makes the program the supervisor of its child processes. Call it first thing in main, and in the TestMain of tests that start
// processes:
//
//	func main() {
//		process.Supervise()
//		…
//	}
//
// A supervisor is the program itself, executed once more under another name: then Supervise serves as that and does not return. Code
// before the call, also the initialization of variables, runs in every supervisor. On systems other than Linux it does nothing.
func Supervise() { process.Supervise() }
