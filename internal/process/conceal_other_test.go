//go:build !linux

package process_test

func concealed() {}
