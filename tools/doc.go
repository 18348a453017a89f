// Package tools composes sets of tools into servers. A set, such as package
// fs beneath it, is made from an Env, which is all that it may touch; Install
// registers sets in a server, shaped by a Profile: which tools, under which
// names, with which defaults.
//
// A set is also a plain Go value: each of its tools is a method, for programs
// that need no protocol.
package tools
