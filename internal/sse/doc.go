// Package sse reads and writes the event-stream format of the HTML standard
// ("Server-sent events", section "Parsing an event stream"), in which MCP's HTTP
// transports put several messages into one response.
package sse
