// Package mcpheader implements the headers with which Streamable HTTP repeats
// parts of a request, so that proxies can route it without reading the body
// (2026-07-28, basic/transports/streamable-http, "Request Metadata"). Clients
// set the headers, and servers compare them with the body.
package mcpheader
