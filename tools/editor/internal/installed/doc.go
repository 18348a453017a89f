// Package installed finds the programs that are installed on a machine, without starting one.
//
// A [Finder] looks in this order, and the first hit wins: the directories of PATH, the directory of servers that this program has
// installed, the directories of version managers and package managers, Mason, the extensions of editors, and directories of the
// system that are often absent from PATH. The rows of the table in places.go have the order.
//
// Among directories with a version in their name the newest version comes first. A shim is a small program that starts one of
// several installed versions; the Finder resolves it to an installed program, or ignores it if there is none, because a shim can ask
// questions, fetch programs, or fail in a project that names another version. Links to missing files are ignored, too.
//
// The Finder never looks in the project: [Finder.Accepts] excludes its files. Directories of the project are searched by
// [Finder.In] alone, which the caller uses for projects that are trusted.
package installed
