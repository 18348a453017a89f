// Package tools composes tool sets into servers. A [Set], for example that of package fs, is created from an [Env], which
// contains everything that it may access. [Install] registers sets in a server. A [Profile] selects tools, their names and
// their defaults.
//
// A set is also a plain Go value: each tool is a method, for programs without the protocol.
package tools
