// Package mcpheader has the rules by which Streamable HTTP repeats parts of a
// request in its headers, so that what stands between client and server can
// route it without reading the body (2026-07-28, basic/transports/
// streamable-http, "Request Metadata"). Clients write the headers with it,
// servers compare them with the body.
package mcpheader
