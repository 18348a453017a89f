// Package descriptor keeps open files from the programs that this program runs.
package descriptor
