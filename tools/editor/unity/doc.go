// Package unity lets the tools of package editor work with a Unity editor, 2021.3 or later, in whose project the package MCP for Unity
// (com.coplaydev.unity-mcp) is installed, and adds tools for what only Unity knows: its console, its tests and its import of assets.
// Nothing else has to be installed in Unity.
//
// The transport of that package has to be Stdio: with HTTP, which is its default, Unity speaks to the server of the package alone and
// leaves nothing that this package would find. The bridge of Stdio serves one client at a time. So a connection is made for each
// command and closed after it; another client of the bridge is interrupted by that, and connects again when it needs to.
//
// What the adapter, which is a [Unity], does:
//
//   - Diagnostics ([adapter.Diagnoser]) of C# files are what stands in the console: errors and warnings of the compiler, and what was
//     logged at run time with a stack trace that leads into the project. They are fresh if Unity has compiled since the file was
//     changed. Unity does that when its window comes to the front, or by unity_refresh.
//   - A file is opened at a line ([adapter.Windows]) in the program that the user has chosen in Unity under External Tools. The bridge
//     has no command for it, so that needs its command execute_code, which users can turn off in the window of the package; what is
//     sent there is one call with a path and two numbers. Without it, the next adapter is asked.
//
// The tools, which [NewTools] makes, are read_console, run_tests and unity_refresh. They are listed while Unity is running.
//
// While Unity reloads its scripts it has no connections. Commands wait for it then, and say so when it takes too long. A command that
// must not be carried out twice is not put again when the connection ends before its answer.
//
// The bridge knows no password: whoever can connect to the port can command Unity, and any program of this machine can pretend to be
// Unity to its clients. So what Unity says is not believed: it is bounded, and paths are for the caller to check.
package unity
