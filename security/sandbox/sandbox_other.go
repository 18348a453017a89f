//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
)

// Main does nothing: on this system no sandbox works.
func Main() Helper { return newHelper() }

func (s *Sandbox) probe(context.Context) error           { return errors.ErrUnsupported }
func (s *Sandbox) arrange(context.Context) error         { return errors.ErrUnsupported }
func (s *Sandbox) describe()                             {}
func (s *Sandbox) wrap(*exec.Cmd, string, []mount) error { return errors.ErrUnsupported }
