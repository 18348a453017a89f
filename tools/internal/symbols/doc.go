// Package symbols finds the declarations of a text by name path, and computes the edits that insert code beside a declaration,
// replace its body or delete it.
//
// [File] is a text with its declarations, as package source reads them. [ParsePattern] reads the name path of a declaration, and
// [File.Find] returns the declarations that it selects. [File.InsertBefore], [File.InsertAfter], [File.ReplaceBody] and
// [File.Delete] return an [Edit]. They keep the indentation and the blank lines that the neighbours of the declaration have.
// [File.Verify] parses the text after an edit and refuses an edit that adds a syntax error or changes other declarations.
//
// The edits refuse a declaration that shares its line with other code ([ErrSharedLine]). A deletion of inserted code restores
// the former bytes if both neighbours have as many blank lines as the code. Offsets are bytes of the text in UTF-8.
package symbols
