package main

import (
	"fmt"
	"strings"
)

// task is something to change in a function, of which a name or a part of it is
// known.
type task struct {
	repository string
	story      string
	query      string // what is known of the name
	listed     bool   // the file is known: its functions are listed
	within     bool   // the file is known: the function is searched for in it
	told       bool   // the file's own name is known, as it always is to the reference server
	file       string
	old, new   string // the change; old is there once in the file

	src  string // the file
	line int    // where old is, from 1
}

// set completes a task with the file that it is set in.
func (t task) set(r *repository) (task, error) {
	src, err := r.read(t.file)
	if err != nil {
		return t, err
	}
	if n := strings.Count(src, t.old); n != 1 {
		return t, fmt.Errorf("the task %q does not fit: %s has %q %d times", t.story, t.file, t.old, n)
	}
	t.src = src
	t.line = 1 + strings.Count(src[:strings.Index(src, t.old)], "\n")
	return t, nil
}

// want is the file as it must be when the task is done.
func (t task) want() string {
	at := strings.Index(t.src, t.old)
	return t.src[:at] + t.new + t.src[at+len(t.old):]
}
