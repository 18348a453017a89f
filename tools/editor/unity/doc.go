// Package unity is the adapter for Unity editors, version 2021.3 or later, whose project has the package MCP for Unity
// (com.coplaydev.unity-mcp). It also adds tools for Unity's console, tests and asset import. Unity needs no other extension.
//
// The transport of that package must be Stdio. With HTTP, its default, Unity accepts only the package's own server and writes
// no status files. The Stdio bridge serves one client at a time. So each command opens a connection and closes it afterwards.
// This interrupts another client of the bridge, which reconnects when needed.
//
// [Unity] is the adapter:
//
//   - Diagnostics ([adapter.Diagnoser]) of C# files are console entries: errors and warnings of the compiler, and runtime logs with a stack
//     trace into the project. They are fresh if Unity has compiled since the file changed. Unity compiles when its window gets the focus, or
//     by unity_refresh.
//   - A file is opened at a line ([adapter.Windows]) in the program that the user has set under External Tools. The bridge has no command for
//     that, so the adapter runs one C# call, with the path, line and column, by the command execute_code. Users can disable
//     execute_code in the window of the package. Then the tools try the next adapter.
//
// [NewTools] returns the tools read_console, run_tests and unity_refresh. They are listed while Unity is running.
//
// Unity has no connections while it reloads scripts. Commands wait for the end of the reload, up to a limit. A command with
// side effects is not repeated if the connection ends before the answer.
//
// The bridge has no authentication: every program that can connect to the port can control Unity, and every program of this
// machine can imitate Unity. So data from Unity is untrusted: it is limited in size, and the caller checks paths.
package unity
