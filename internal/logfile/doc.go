// Package logfile has handlers of log/slog for a server that runs for a long
// time: a File that rotates and keeps the errors in a second file, and a Switch
// whose level and destinations are exchanged while it is in use.
package logfile
