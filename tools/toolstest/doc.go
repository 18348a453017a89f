// Package toolstest checks a tool set as a server uses it, for authors of tool sets. [Run] builds the set in small projects of its own,
// calls its tools through a server, and checks these rules:
//
//   - Every tool has a valid definition, a description, and annotations that say whether it changes something.
//   - The calls of [Options] succeed, and their results match the schemas of the results.
//   - A call of a tool that changes something has a record in the audit log, and a tool with the annotation read-only changes no file.
//   - Wrong and hostile arguments are results with an error code and a next step. No argument causes a panic, a protocol error or a call
//     without an end, reads or changes a file outside of the root, or makes a result longer than the limits permit.
//   - A call ends when its context ends, and changes nothing then.
//   - Calls can run at the same time. Calls of read-only tools succeed then.
//   - Close can be called twice and leaves no goroutine.
package toolstest
