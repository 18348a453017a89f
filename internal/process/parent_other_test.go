//go:build !linux

package process_test

func parent() {}

func server() {}
