// Package grep finds the lines of a text that match a pattern, about as fast as memory is read.
package grep
