// Package gemini runs agents with the Gemini CLI in headless mode, with the output format
// stream-json. It builds the command line, parses the output, and classifies failures. The
// program is "gemini"; it must be installed and logged in, by a first interactive start or
// the variable GEMINI_API_KEY.
//
// The program's approval mode limits the agent. A read-only agent has the mode plan,
// even if it is trusted. Another trusted agent has the mode auto_edit with the permissions
// in Spec.Tools, or yolo without Spec.Tools. The program never asks the user.
//
// The program reads MCP servers from its settings only. An agent with Spec.Servers gets a
// temporary settings directory: a copy of the user's settings with the servers, and links
// to all other files of the directory, such as the login and the sessions.
package gemini
