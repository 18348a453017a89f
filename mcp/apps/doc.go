// Package apps implements MCP Apps, the protocol extension by which a host displays a page of a
// server with the results of a tool (io.modelcontextprotocol/ui, specification of 2026-01-26).
//
// A server declares the extension with Offer, creates a page with Resource, and connects it to
// tools with ForTool. Tools must still return complete text, because models and hosts without the
// extension read only that. Supported reports whether the host of a call displays pages.
//
// A host declares the extension with Declare. ModelTools removes the tools that are for pages only,
// Read returns the page of a tool, and Call calls a tool for the page. Page and host communicate in
// the window by JSON-RPC over postMessage; servers are not involved.
//
// Both sides must declare the extension, the server with Offer and the host with Declare.
package apps
