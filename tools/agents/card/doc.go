// Package card shows agents in the window of an MCP client: a page of MCP Apps
// (package mcp/apps) beside the tools that start agents or tell about them. It has
// who works, what each does and has done, brings itself up to date by calling the
// same tools through the host, and can cancel an agent that a person points at.
//
// The page is one document without anything from elsewhere, which runs its own
// script and nothing else. web has its source, dist in it what is served.
package card
