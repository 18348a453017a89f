// Package rotate appends lines to a file that is set aside when it grows too
// large: file as file.1, file.1 as file.2 and so on, the oldest dropped. Several
// processes may share a file, and none of them writes into one that was set
// aside or removed by another.
package rotate
