package main

import (
	"fmt"
	"strings"
)

// task is a change in a function, with the information that a model has about it.
type task struct {
	repository string
	story      string
	query      string // known part of the name
	exact      bool   // query is known to be the complete name
	listed     bool   // the file is known: its functions are listed
	within     bool   // the file is known: the function is searched in it
	told       bool   // the name of the file is known, as always for the reference server
	file       string
	old, new   string // the change; old is unique in the file

	src  string // content of the file
	line int    // line of old, from 1
}

// set completes a task with its file.
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

// want returns the content of the file after the task.
func (t task) want() string {
	at := strings.Index(t.src, t.old)
	return t.src[:at] + t.new + t.src[at+len(t.old):]
}
