// Package conformance runs the official conformance suite of the Model Context
// Protocol against what this repository builds: the programs server and client
// below this directory, which have everything that its scenarios ask for, and
// an example as people use it.
//
// The suite is a Node program, pinned in the directory node by its lock file:
//
//	npm ci --prefix internal/test/conformance/node --ignore-scripts
//	go test -v ./internal/test/conformance
//
// It wants Node 22. On Linux that comes with it; elsewhere the node on the PATH
// is taken. Without them the tests are skipped, or fail if the environment
// variable DOUGU_REQUIRE_ALL is 1.
package conformance
