// Package repomap ranks the declarations of a project by importance and renders the
// highest ranked ones within a budget of tokens.
//
// [Maps.Rank] ranks, [Render] writes the map. A use transfers importance from the using
// declaration to the used one, as PageRank does with links. Words in comments and strings
// are not uses. A use of a name that several declarations have counts for those that fit
// best: by qualifier, enclosing type, file, directory and imports. No build is needed, and
// types are not compared. Large declarations, and entry points such as main or the root
// package, rank higher. Tests, vendored and generated files rank lower, and their uses do
// not count. With a [Focus] importance starts at files, names or the words of a query.
//
// The result depends on the contents of the files and on the focus. After changes of files
// it can miss uses of a few newly declared names in unchanged files.
package repomap
