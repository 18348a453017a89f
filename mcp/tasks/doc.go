// Package tasks runs calls of tools as tasks: the server responds to a call at once with a handle,
// and the client requests the result later. It implements the extension
// io.modelcontextprotocol/tasks of 2026-07-28, and the tasks of revision 2025-11-25.
//
// A server needs a Runner and one option of the tool:
//
//	runner := tasks.New(nil)
//	defer runner.Close()
//	srv := mcp.NewServer(info, &mcp.ServerOptions{Tasks: runner})
//	tool := mcp.NewTool(mcp.Tool{Name: "report"}, report).With(mcp.ToolOptions{Task: mcp.TaskOptional})
//
// Calls of the tool are tasks for clients that support tasks, and ordinary calls for others.
// mcp.Progress sets the status message of the task. Questions wait in the task until a client
// answers them. The context of the handler ends when the task is cancelled or exceeds its time
// limit.
//
// On a client, Declare lets mcp.Client.CallTool wait for tasks. Start returns a Task without
// waiting.
//
// A Store holds the tasks: Memory in this package, or an implementation on disk or servers, for
// example tools/tasks/sqlite. Servers that share a Store respond to requests about each other's
// tasks. If a server dies, another one ends its tasks as failed.
//
// A task belongs to the principal of its call. Without authentication all clients are one
// principal; the random id then protects a task.
package tasks
