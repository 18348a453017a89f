// Package gemini runs agents with the Gemini CLI in its headless mode,
// --output-format stream-json: it knows how that is called, what each line of its
// output says, and how the program fails. The program is "gemini"; it must be
// installed and logged in, by starting it once or by the variable GEMINI_API_KEY.
//
// What an agent may do are the program's approval modes: one that is to read only
// has plan, one that is trusted yolo, or with permissions of its own (Spec.Tools)
// auto_edit and those. Nobody is ever asked.
//
// MCP servers the program reads from its settings only. An agent that is to have
// some gets a directory of settings of its own for as long as it runs: a copy of the
// user's settings, with the servers, and links to all else that lies beside them,
// such as the login and the sessions.
package gemini
