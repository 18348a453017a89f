//go:build !linux

package process

import "os/exec"

// dieWithParent does nothing: on Windows the job does it, and elsewhere a child
// survives a program that is killed.
func dieWithParent(*exec.Cmd) {}
