// Package agents provides the MCP tools by which a main agent starts, observes and ends other
// agents. Each agent has a role, runs in the background as a program of its own, and belongs to a
// group.
//
// Run checks an order and puts the agent into a queue. The agent starts when a slot is free and the
// agents that it depends on have ended. It ends as completed, failed, timed out or cancelled. An
// executor.Executor runs the program; the package receives its events and writes them to the Store,
// the Log and the Outputs.
//
// A result combines three sources: the events of the program, the agent's own report, and a
// comparison of the work tree before and after. Each record.Change names its sources. If several
// agents of this server work in one tree, a change that only the comparison shows is marked as
// uncertain; it is not among the files of the result. Changes that people or other programs make
// during the run are attributed to the agent.
//
// Agents report with report_result, a tool of this server. The program of an agent cannot connect to
// this server itself: it starts its own MCP servers. Options.Child describes an additional MCP
// server for the program, which forwards calls to this one. NestedTools are the tools of that
// server, and AgentByToken identifies the calling agent. A report that does not arrive is read from
// the event of the tool call.
//
// With a persistent Store, New marks agents of dead servers as failed. Agents of other live servers
// remain visible; only their own server can cancel them.
//
// Package record defines the records and their stores, package executor the interface to agent
// programs, packages roles and health the available roles, and package dashboard a web page.
package agents
