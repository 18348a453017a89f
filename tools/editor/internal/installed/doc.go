// Package installed finds the programs that are installed on a machine, without starting one.
//
// A [Finder] looks in this order, and the first hit wins: PATH, the servers that this program has installed, version managers,
// package managers, Mason, the extensions of editors, and directories of the system that are often absent from PATH. The rows of the
// tables in places.go have the order.
//
// Among directories with a version in their name the newest version comes first. A shim is a small program that starts one of
// several installed versions. The Finder resolves it to an installed program, or ignores it if there is none: a shim can ask
// questions, fetch programs, or fail in a project that names another version. Links to missing files are ignored, and so are scripts
// whose interpreter is missing.
//
// A Finder with a suitable [Finder.Accepts] never looks in the project. Directories of the project are searched by [Finder.In]
// alone, which the caller uses for projects that are trusted.
package installed
