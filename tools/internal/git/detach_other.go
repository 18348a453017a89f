//go:build !unix

package git

import "os/exec"

// detach does nothing: environment variables keep git from asking questions.
func detach(*exec.Cmd) {}
