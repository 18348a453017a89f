// Package app is the command line that every example server has: serve, tools
// and call, around one server that the program builds from its flags.
package app
