// Package tasks runs calls of tools as tasks: a call is answered at once with a
// handle, and its client asks later what has become of it (the extension
// io.modelcontextprotocol/tasks of 2026-07-28, and the tasks of revision
// 2025-11-25).
//
// On a server, a Runner and one line at the tool are all that it takes:
//
//	runner := tasks.New(nil)
//	defer runner.Close()
//	srv := mcp.NewServer(info, &mcp.ServerOptions{Tasks: runner})
//	tool := mcp.NewTool(mcp.Tool{Name: "report"}, report).With(mcp.ToolOptions{Task: mcp.TaskOptional})
//
// A call of the tool is a task for clients that say that they take tasks, and a
// call as any other for the rest. What the handler says with mcp.Progress is what
// the task says of itself, its questions wait in the task until they are answered,
// and its context ends when the task is cancelled or has taken too long.
//
// On a client, Declare lets mcp.Client.CallTool wait for tasks by itself. Start is
// for those who want to do something else meanwhile.
//
// What is kept of tasks is in a Store: in memory, or in what package
// tools/tasks/sqlite and other implementations have. Several servers that share a
// Store answer for each other's tasks.
//
// A task belongs to the principal whose call it is. Where nobody is authenticated
// all have the same, and who knows a task's id may look after it: ids cannot be
// guessed.
package tasks
