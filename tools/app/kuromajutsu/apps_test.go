package kuromajutsu

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The card is offered to clients with the extension only, and adds nothing for other
// clients.
func TestApps(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		args, variables []string
		shown           bool
	}{
		{nil, nil, false},
		{[]string{"-apps"}, nil, true},
		{nil, []string{"KUROMAJUTSU_APPS_ENABLED=true"}, true},
		{[]string{"-apps=false"}, []string{"KUROMAJUTSU_APPS_ENABLED=true"}, false},
	} {
		var names []string
		for line := range strings.Lines(in(tc.variables...).MustRun(t, append([]string{"tools", "-json", "-root", dir}, tc.args...)...)) {
			var tool mcp.Tool
			apptest.Must(t, json.Unmarshal([]byte(line), &tool))
			names = append(names, tool.Name)
			uri, ok := apps.URI(tool)
			if tool.Name == "run_agent" && (ok != tc.shown || ok && uri != card.URI) || (tool.Meta != nil) != tc.shown {
				t.Errorf("%q %q: %s has %v", tc.args, tc.variables, tool.Name, tool.Meta)
			}
			if len(line) > 1200 {
				t.Errorf("%s is defined in %d bytes", tool.Name, len(line))
			}
		}
		if slices.Sort(names); !slices.Equal(names, toolNames) {
			t.Errorf("%q: the tools are %q", tc.args, names)
		}
	}
}
