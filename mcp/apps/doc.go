// Package apps is MCP Apps, the extension of the protocol by which a tool shows a
// page of its server's in the host's window (io.modelcontextprotocol/ui,
// specification of 2026-01-26).
//
// A server makes the page with Resource, names it in its tools with ForTool and
// says with Offer that it does so. Tools must still answer with text that says
// everything: hosts without the extension show nothing else, and models read it.
// Supported tells a handler whether there is somebody to see the page.
//
// A host says with Declare that it shows pages, keeps tools that are not for
// models from them with ModelTools, reads the page of a tool with Read, and calls
// tools for the page with Call. What page and host say to each other in the window
// is JSON-RPC by postMessage, and no server sees it.
//
// Like every extension it is off on either side unless that side turns it on.
package apps
