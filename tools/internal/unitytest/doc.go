// Package unitytest is a fake of the Unity editor with the package MCP for Unity (com.coplaydev.unity-mcp, version 10.1), with real
// TCP connections and status files. It was written after that package's source and contains no code of it. The behaviour is defined
// in these files of MCPForUnity/Editor:
//
//   - Services/Transport/Transports/StdioBridgeHost.cs: greeting, frames, one client at a time, time limits, status file
//   - Services/StdioBridgeReloadHandler.cs: effects of a reload of the scripts
//   - Services/Transport/TransportCommandDispatcher.cs: envelope of responses, disabled commands
//   - Tools/CommandRegistry.cs: unknown commands
//   - Helpers/Response.cs: form of results
//   - Tools/ReadConsole.cs: read_console with kinds, filter, pages
//   - Tools/RunTests.cs, Tools/GetTestJob.cs: run_tests, get_test_job
//   - Services/TestJobManager.cs: report of a run: at most 25 failures, without stack traces; a result only if all tests passed
//   - Tools/RefreshUnity.cs: refresh_unity
//   - Services/EditorStateCache.cs: get_editor_state, and the state that a reload of the scripts clears
//   - Tools/ExecuteCode.cs: execute_code
//
// The expectations of clients are in Server/src: transport/legacy/unity_connection.py and transport/legacy/port_discovery.py.
package unitytest
