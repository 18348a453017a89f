// Package search is a set of tools that find things in a project: code and documents by words or meaning, code that is like other
// code, issues, and what the project is and where it stands.
//
// What is searched comes from plugins, see package plugin: package filesystem keeps an index of the files of the project, package
// github knows issues. The tools are methods of Search:
//
//	getProjectContext  ProjectContext   name and version, git, open issues, the most important files
//	searchDocuments    SearchDocuments  functions, types and sections by words, a name, a question, "a text" or /a regular expression/
//	searchIssues       SearchIssues     issues by words, state, labels
//	createIssue        CreateIssue      makes an issue, once
//	findSimilarCode    FindSimilarCode  code that is alike, whatever its names and layout, with a measure from 0 to 1
//	get_index_status   IndexStatus      how complete and current all that is
//	refresh_index      Refresh          makes it current
//
// An index says where something is; what is shown is read from the file at that moment. A file that has changed since it was indexed
// is cut anew, and what it does not have any more is left out. While an index is built for the first time, files that it lacks are
// searched directly. Every answer says what was not searched.
//
// The state of the index and the documents are resources as well: see Search.Updated for those who subscribe to them.
//
// A plugin that fails often is left alone for a while, and the tools say so with CIRCUIT_OPEN. What fails in one source does not take
// away the others. No more searches work at once than the processors can serve: others wait for a moment, and when too many do, the
// tools say so with RATE_LIMITED and when to come back.
package search
