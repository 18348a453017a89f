// Package agents runs a crew of agents for a main agent: each has a role, works in the
// background as a program of its own, and is in a group with others of one task.
//
// An agent is ordered with Run, waits for its turn and for the agents that it depends on,
// runs, and ends as completed, failed, timed out or cancelled. What it tells is read as it
// comes. What it has done is put together of three sources: what its program tells, its own
// report, and git before and after; a record.Change names them. What git alone has seen
// while other agents of this server were at work in the same tree is marked as uncertain
// and is not among the files of the result. People and programs that change the tree at the
// same time cannot be told from the agent.
//
// Agents report with report_result. Each program starts its own copy of the MCP servers that it
// knows, so that call would end nowhere: an agent is given a server that hands it on to the one
// that runs the agent, where Agent tells who calls and Nested is what agents are offered. A report
// that never arrives is read from what the program tells of the call.
//
// With a Store that lasts, agents of a server that has died are put down as failed by the next
// New; those of a living server on the same machine are left alone, seen and waited for, and
// can only be cancelled by it.
//
// See packages record for what is known of an agent, executor for what runs it, roles and health
// for what it can be, and dashboard for a page that shows all of it.
package agents
