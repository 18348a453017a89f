// Package syntaxdiff finds the syntax errors that a change of a text adds.
//
// [Compare] reads the text before and after a change with the source.Checker of the language, which implements the whole grammar. All
// errors of a text without errors before are added errors. Errors that existed before do not count, and they do not hide others: the
// declaration around the change is then also read alone, without the rest of the file.
//
// A grammar can be older than the language, and it does not expand macros. An error that it reports in both texts is therefore kept,
// not added. In Python, a statement that leaves the function around the change by its indentation is an added error: it would become
// code of the module or of the class.
package syntaxdiff
