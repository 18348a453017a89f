// Package rotate appends lines to a file that is set aside when it grows too
// large: file as file.1, file.1 as file.2 and so on, the oldest dropped. Several
// processes may share a file. Before each line a process checks that its open file
// still has the name, and opens the new file otherwise. Only a line that is written
// during the rename itself can still go into the file that is set aside.
package rotate
