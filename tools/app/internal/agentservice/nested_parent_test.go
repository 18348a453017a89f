package agentservice

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/config"
)

// The parent comes from the own environment, or else from the nearest ancestor that belongs to an
// agent.
func TestParent(t *testing.T) {
	mine, theirs := []string{agents.EnvDepth + "=1", agents.EnvAgentID + "=mine"}, []string{agents.EnvDepth + "=2", agents.EnvAgentID + "=theirs"}
	literal := []string{"HOME=/h", agents.EnvDepth + "=${env:KUROMAJUTSU_DEPTH}", agents.EnvAgentID + "=${KUROMAJUTSU_AGENT_ID}", agents.EnvToken + "="}
	for name, test := range map[string]struct {
		own       []string
		ancestors [][]string
		agent     string // "": of none
	}{
		"a server for people":               {[]string{"HOME=/h"}, [][]string{{"A=b"}, nil}, ""},
		"handed on":                         {mine, [][]string{theirs}, "mine"},
		"not handed on":                     {[]string{"HOME=/h"}, [][]string{{"A=b"}, theirs, mine}, "theirs"},
		"words in place of what was not":    {literal, nil, ""},
		"words, and an ancestor with words": {literal, [][]string{literal, theirs}, "theirs"},
		"empty":                             {[]string{agents.EnvDepth + "="}, [][]string{{agents.EnvDepth + "="}}, ""},
	} {
		environ := withParent(test.own, slices.Values(test.ancestors))
		p, ok := parentOf(environ)
		if ok != (test.agent != "") || ok && p.agentID != test.agent {
			t.Errorf("%s: it is of %q, %v; want %q", name, p.agentID, ok, test.agent)
		}
		if config.Lookup(environ, "HOME") != config.Lookup(test.own, "HOME") {
			t.Errorf("%s: the rest has become %q", name, environ)
		}
	}
}
