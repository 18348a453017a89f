// Package worldtest contains the test that a principal cannot list or use the processes, sessions, agents and tasks of another one,
// with any tool of any set.
package worldtest
