package command_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		name, dir, prompt, want string
	}{
		{"complete", dir, "Go on.", ""},
		{"a relative directory", filepath.Base(dir), "Go on.", "is not an absolute path"},
		{"no directory", "", "Go on.", "is not an absolute path"},
		{"a blank prompt", dir, " \n", "the prompt is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := command.Check(executor.Spec{Dir: test.dir, Prompt: test.prompt})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestFailures_FirstMatch(t *testing.T) {
	known := command.Failures{
		{Words: "unknown model", Cause: executor.ErrUnknownModel},
		{Words: "not logged in", Cause: executor.ErrUnauthenticated},
	}
	for words, want := range map[string]error{
		"Error: Unknown Model x":           executor.ErrUnknownModel,
		"NOT LOGGED IN":                    executor.ErrUnauthenticated,
		"not logged in; unknown model x":   executor.ErrUnknownModel,
		"the network is not to be reached": nil,
		"":                                 nil,
	} {
		if got := known.Cause(words); !errors.Is(got, want) {
			t.Errorf("%q means %v, want %v", words, got, want)
		}
	}
}
