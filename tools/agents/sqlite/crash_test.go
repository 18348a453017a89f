package sqlite_test

import (
	"bufio"
	"context"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

// A process that is killed while it writes loses nothing that its calls had confirmed.
func TestDB_Killed(t *testing.T) {
	file := file(t)
	made, ended := map[string]bool{}, map[string]bool{}
	for round := range 5 {
		ctx, kill := context.WithCancel(t.Context())
		cmd := process(ctx, "forever", file)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			switch what, id, _ := strings.Cut(lines.Text(), " "); what {
			case "made":
				made[id] = true
			case "ended":
				ended[id] = true
			default:
				t.Errorf("it says %s", lines.Text())
			}
			if n == 20+7*round {
				kill() // its output until the kill counts
			}
		}
		kill()
		if err := cmd.Wait(); err == nil {
			t.Error("it was not killed")
		}
	}
	var log waittest.Log
	d := open(t, file, sqlite.Options{Log: log.Logger()})
	g, err := d.Group(t.Context(), "g")
	must(t, err)
	there := map[string]bool{}
	for _, id := range g.AgentIDs {
		there[id] = true
	}
	for id := range made {
		if !there[id] {
			t.Errorf("%s is not there", id)
		}
	}
	for id := range ended {
		if a := read(t, d, id); a.Status != record.Completed || a.ToolCallCount != 1 || len(a.Prompt) != 500*(len(id)+1) {
			t.Errorf("%s is %s", id, a.Status)
		}
	}
	if len(ended) < 5*10 || log.String() != "" {
		t.Errorf("%d had ended, the log says %s", len(ended), log.String())
	}
}
