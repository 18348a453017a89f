// Package legacy implements the revisions of MCP before 2026-07-28, in which
// initialize opens a session and later requests depend on its agreement.
//
// Session is the server side: Open reads initialize, Fill completes the requests
// of the session, and Follow or Watch report changes to its peer. The Dispatcher
// behind it receives requests of the latest revision only. State and Adopt move
// a session between processes. Negotiate is the client side: it finds the
// revision of a server and returns an Agreement.
package legacy
