// Package bridge speaks to the bridge that the package MCP for Unity (com.coplaydev.unity-mcp) runs in a Unity editor whose transport
// is Stdio: it finds the editors by the status files that they write, and puts commands to them over TCP.
//
// The bridge serves one client: who connects closes the connections of all others, and one that says nothing for 30 seconds is closed.
// So a connection is made for a command and closed after it, and nothing is asked of a port merely to see whether somebody is there,
// except of one whose status file looks deserted.
package bridge
