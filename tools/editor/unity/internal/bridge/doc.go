// Package bridge is a client of the bridge that the package MCP for Unity (com.coplaydev.unity-mcp) runs in a Unity editor with
// transport Stdio. It finds editors by their status files and sends commands over TCP. Stdio is a choice in that package's
// window: its own server then talks to clients over standard input, and the editor listens on a TCP port.
//
// The bridge serves one client: a new connection closes all others, and a connection without traffic is closed after 30
// seconds. So each command opens a connection and closes it afterwards. A port is not probed, unless its status file looks
// abandoned.
package bridge
