//go:build !linux

package process_test

func parent() {}

func server() {}

// inheriting is a program of tests for Linux.
func inheriting() {}

// stopping is a program of tests for Linux.
func stopping() {}
