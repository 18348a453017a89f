// Package roles defines the roles of agents. A Role is a prompt, a model and permissions. A Book
// holds the roles of a settings file in YAML, which people edit by hand and programs edit through
// the Book.
//
// Open and OpenProject read a file; invalid roles are left out and reported by Problems. Set,
// Create and Remove change only the affected lines of the file and keep comments. Watch reports
// changes of the file by other programs.
package roles
