// Package worldtest holds the test that a principal neither sees nor reaches the processes, sessions, agents and tasks of another
// one, with any tool of any set.
package worldtest
