// Package unitytest stands in for a Unity editor with the package MCP for Unity (com.coplaydev.unity-mcp, version 10.1), over real TCP
// and with real status files. It was written after the source of that package, with nothing taken over from it:
//
//	what                                                              where it is in MCPForUnity/Editor
//	the greeting, frames, one client at a time, the time limits       Services/Transport/Transports/StdioBridgeHost.cs
//	the status file, its name and when it is written and removed      Services/Transport/Transports/StdioBridgeHost.cs
//	what a reload of the scripts does to both                         Services/StdioBridgeReloadHandler.cs
//	the envelope of an answer, commands that are turned off           Services/Transport/TransportCommandDispatcher.cs
//	commands that there are not                                       Tools/CommandRegistry.cs
//	the form of results                                               Helpers/Response.cs
//	read_console: kinds, filter, pages                                Tools/ReadConsole.cs
//	run_tests, get_test_job                                           Tools/RunTests.cs, Tools/GetTestJob.cs
//	what is told of a run: failures without stack traces, 25 at most,
//	a result only where all have passed                               Services/TestJobManager.cs
//	refresh_unity                                                     Tools/RefreshUnity.cs
//	get_editor_state, and what it forgets when the scripts are loaded Services/EditorStateCache.cs
//	execute_code                                                      Tools/ExecuteCode.cs
//
// What its clients expect was read in Server/src: transport/legacy/unity_connection.py and transport/legacy/port_discovery.py.
package unitytest
