// Package legacy speaks the revisions of MCP before 2026-07-28, in which a
// session is opened by initialize and its requests rely on what was agreed
// there. It translates at the door: what is behind it sees requests of the
// latest revision alone.
package legacy
