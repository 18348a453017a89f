// Package legacy implements the revisions of MCP before 2026-07-28, in which
// initialize opens a session and later requests depend on its agreement.
//
// Session is the server side: Open reads initialize, Fill completes the requests
// of the session, and Follow or Watch report changes to its peer. The Dispatcher
// behind it needs no code for sessions. Session answers ping, logging/setLevel and
// resources/subscribe itself, and builds the result of initialize from
// server/discover. Fill puts the agreement into the meta of all other requests: the
// revision, the log level, and the client with its capabilities. State and Adopt move
// a session between processes. Negotiate is the client side: it finds the
// revision of a server and returns an Agreement.
package legacy
