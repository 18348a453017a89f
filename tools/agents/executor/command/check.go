package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Check reports what a run lacks that every program needs: a prompt, and a working
// directory that is an absolute path.
func Check(s executor.Spec) error {
	if !filepath.IsAbs(s.Dir) {
		return fmt.Errorf("the working directory %q is not an absolute path", s.Dir)
	}
	if strings.TrimSpace(s.Prompt) == "" {
		return errors.New("there is no prompt")
	}
	return nil
}

// Failures are the ways in which a program is known to fail. The first that fits counts.
type Failures []struct {
	// Words are what it says then, in lower case.
	Words string
	// Cause is one of the errors of package executor.
	Cause error
}

// Cause is what the last words of a program mean, whatever their case; nil if they are
// none of the known ones. It serves as Program.Failure.
func (all Failures) Cause(words string) error {
	words = strings.ToLower(words)
	for _, f := range all {
		if strings.Contains(words, f.Words) {
			return f.Cause
		}
	}
	return nil
}
