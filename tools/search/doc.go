// Package search is a tool set that finds code, documents and issues of a project, and reports the state of the project.
//
// [Search] is the set; [New] makes it from [Options]. Its content comes from plugins (package plugin): package filesystem keeps
// an index of the project's files, package github reads and creates issues. The tools are methods of Search:
//
//	getProjectContext  ProjectContext   name, version, git state, open issues, the most important files
//	searchDocuments    SearchDocuments  functions, types and sections by words, a name, a question, "a text" or /a regular expression/
//	searchIssues       SearchIssues     issues by words, state and labels
//	createIssue        CreateIssue      creates one issue, without duplicates
//	findSimilarCode    FindSimilarCode  code with the same structure, scored from 0 to 1, regardless of names and layout
//	get_index_status   IndexStatus      state, size and age of the index
//	refresh_index      Refresh          brings the index up to date
//
// An index gives positions only: each result is read from its file during the call. A file that has changed since it was
// indexed is split again, and pieces that no longer exist are omitted. While an index is built for the first time, the files it
// lacks are read and searched directly. Every result states the files that were not searched.
//
// The first column has the names of the tools, in two spellings, and the second one the names of the methods.
//
// MCP clients can also read the index status and the documents as resources, and subscribe to them. [Search.Updated] reports
// their changes to the server.
//
// After repeated failures, calls to a plugin are rejected for a while with CIRCUIT_OPEN; other plugins still work.
//
// The number of concurrent searches is limited by Options.Concurrency. Up to eight times as many calls wait in a queue, for up
// to two seconds each. A call fails with RATE_LIMITED and a retry delay if the queue is full or its wait is over.
package search
