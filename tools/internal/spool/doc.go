// Package spool keeps what a process writes, so that any part of it can be read
// as long as there is room: the beginning and the end, if there is not.
//
// What is little stays in memory. What is more goes to a file that has no name
// where the system allows that, so that no tool can reach it and nothing is left
// behind by a crash. Past the limit the newest output is kept in memory, and what
// lies between is dropped; offsets count it all the same.
package spool
