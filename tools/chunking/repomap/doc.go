// Package repomap ranks the declarations of a project by importance and renders the
// highest ranked ones within a budget of tokens.
//
// [Maps.Rank] ranks, [Render] writes the map. A use of a name transfers importance from
// the using file to the declaring files, as PageRank does with links. Words in comments
// and strings are not uses. Names declared in many places and ordinary words transfer
// little; type names, long names and names in focus transfer more. The rank
// of a declaration follows from the importance that the uses of its name transfer.
// The importance of its file counts little. Tests, vendored and generated
// files count little. Names are compared, not types, among languages that can call each
// other, so no build is needed.
//
// The result depends only on the contents of the files and on the focus.
package repomap
