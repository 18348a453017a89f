// Package conformance runs the official conformance suite of the Model Context Protocol. It tests the programs server and client
// below this directory, which have everything that the scenarios use, and one of the examples.
//
// The suite is a Node.js program, with its version fixed in the directory node:
//
//	npm ci --prefix internal/test/conformance/node --ignore-scripts
//	go test -v ./internal/test/conformance
//
// It needs Node.js 22, which npm ci installs on Linux; elsewhere node on the PATH is used. Tests whose programs are missing are
// skipped, or fail if the environment variable DOUGU_REQUIRE_ALL is 1.
package conformance
