// Package card shows agents in the window of an MCP client, with a page of MCP Apps (package
// mcp/apps). The page belongs to the tools that start or show agents. It lists the agents with
// their activity, updates itself by calling the same tools through the host, and can cancel an
// agent that the user selects.
//
// The page is one self-contained document. Its source is in web; web/dist is served.
package card
