//go:build !unix

package git

import "os/exec"

// alone does nothing: what git asks is turned off by its environment alone.
func alone(*exec.Cmd) {}
