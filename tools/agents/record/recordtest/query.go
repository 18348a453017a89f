package recordtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// createAgents creates agents with all kinds of fields and returns them in the order of their
// creation.
func createAgents(t *testing.T, s record.Store) []record.Agent {
	t.Helper()
	for _, id := range []string{"grp-1", "grp-2", "空"} {
		newGroup(t, s, id)
	}
	statuses := []record.Status{record.Queued, record.Blocked, record.Running, record.Completed, record.Failed, record.TimedOut, record.Cancelled, record.ResultReported}
	prompts := []string{"Write the TEST", "レビューして", "100% of a_b", "Straße ÄÖÜ", ""}
	principals := []string{"", "alice", "Alice", "../a\\b", "nul \x00\n"}
	var all []record.Agent
	for i := range 40 {
		a := record.Agent{
			ID: fmt.Sprintf("Agent-%02d", i), GroupID: []string{"grp-1", "grp-2"}[i%2], Role: []string{"impl-code", "code-review", "text"}[i%3],
			Principal: principals[i%len(principals)], Status: statuses[i%len(statuses)], Prompt: prompts[i%len(prompts)], CreatedAt: epoch.Add(time.Duration(i) * time.Minute),
		}
		switch {
		case a.Status == record.ResultReported:
			a.Outcome = statuses[3+i/8%4]
			a.Report = &record.Report{Summary: "All Is Done"}
			a.Result = &record.Result{Summary: "認証 IS Done"}
		case a.Status.Ended():
			a.Outcome = a.Status
			a.Result = &record.Result{Summary: "Ended as " + string(a.Status)}
		}
		must(t, s.CreateAgent(t.Context(), a))
		if i%4 == 0 {
			must(t, change(t.Context(), s, a.ID, func(a *record.Agent) { a.Prompt += " Changed" }))
			a.Prompt += " Changed"
		}
		all = append(all, a)
	}
	return all
}

func found(page record.Page) string {
	var ids strings.Builder
	for _, a := range page.Agents {
		ids.WriteString(strings.TrimPrefix(a.ID, "Agent-") + " ")
	}
	return fmt.Sprint(ids.String(), "of ", page.Total)
}

func testQueries(t *testing.T, s record.Store) {
	createAgents(t, s)
	st := func(all ...record.Status) []record.Status { return all }
	for _, tc := range []struct {
		name string
		q    record.Query
		want string
	}{
		{"of a group", record.Query{GroupID: "grp-2", Limit: 4}, "01 03 05 07 of 20"},
		{"of a group without any", record.Query{GroupID: "空"}, "of 0"},
		{"of no group", record.Query{GroupID: "none"}, "of 0"},
		{"of a role", record.Query{Role: "text", Limit: 3}, "02 05 08 of 13"},
		{"of a principal", record.Query{Principal: new("alice"), Limit: 3}, "01 06 11 of 8"},
		{"of a principal in another case", record.Query{Principal: new("Alice"), Limit: 3}, "02 07 12 of 8"},
		{"of no principal", record.Query{Principal: new(""), Limit: 2}, "00 05 of 8"},
		{"of a principal with special characters", record.Query{Principal: new("nul \x00\n"), Limit: 2}, "04 09 of 8"},
		{"of the beginning of a principal", record.Query{Principal: new("nul ")}, "of 0"},
		{"running", record.Query{Statuses: st(record.Running)}, "02 10 18 26 34 of 5"},
		{"running or waiting", record.Query{Statuses: st(record.Running, record.Queued), Limit: 3}, "00 02 08 of 10"},
		{"failed, reported or not", record.Query{Statuses: st(record.Failed)}, "04 12 15 20 28 36 of 6"},
		{"no such state", record.Query{Statuses: st("nothing", "")}, "of 0"},
		{"text in a prompt", record.Query{Text: "the test"}, "00 05 10 15 20 25 30 35 of 8"},
		{"text that was added", record.Query{Text: "test cHanged"}, "00 20 of 2"},
		{"text of a summary", record.Query{Text: "認証 is"}, "07 15 23 31 39 of 5"},
		{"text of a report", record.Query{Text: "all is done"}, "07 15 23 31 39 of 5"},
		{"text of an identifier", record.Query{Text: "agent-1"}, "10 11 12 13 14 15 16 17 18 19 of 10"},
		{"text of a group's identifier", record.Query{Text: "GRP-2", Limit: 1}, "01 of 20"},
		{"characters beyond ASCII", record.Query{Text: "straße äö", Limit: 2}, "03 08 of 8"},
		{"special characters", record.Query{Text: "% of a_b", Limit: 2}, "02 07 of 8"},
		{"wildcard", record.Query{Text: "a%b"}, "of 0"},
		{"since", record.Query{Since: epoch.Add(38 * time.Minute)}, "38 39 of 2"},
		{"until", record.Query{Until: epoch.Add(2 * time.Minute)}, "00 01 of 2"},
		{"between, in another time zone", record.Query{Since: epoch.Add(time.Minute).In(time.FixedZone("", 9*3600)), Until: epoch.Add(3 * time.Minute)}, "01 02 of 2"},
		{"a moment", record.Query{Since: epoch, Until: epoch.Add(1)}, "00 of 1"},
		{"the newest", record.Query{Newest: true, Limit: 3}, "39 38 37 of 40"},
		{"all at once", record.Query{GroupID: "grp-1", Role: "impl-code", Statuses: st(record.Failed, record.Queued), Text: "WRITE", Newest: true}, "00 of 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := found(mustReturn[record.Page](t)(s.Agents(t.Context(), tc.q))); got != tc.want {
				t.Errorf("found %s, want %s", got, tc.want)
			}
		})
	}
}

// Each page of random queries agrees with Query.Match.
func testPages(t *testing.T, s record.Store) {
	all := createAgents(t, s)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	for range 200 {
		q := record.Query{
			GroupID: pick("", "", "grp-1", "grp-2", "none"), Role: pick("", "", "text", "impl-code"), Text: pick("", "", "", "e", "test", "DONE", "ended AS", "-2", "修", "\x00", "'"),
			Newest: random.IntN(2) == 0, Offset: random.IntN(30) - 5, Limit: random.IntN(12) - 1,
		}
		if random.IntN(3) == 0 {
			q.Principal = new(pick("", "alice", "Alice", "ALICE", "../a\\b"))
		}
		for range random.IntN(3) {
			q.Statuses = append(q.Statuses, record.Status(pick("running", "completed", "failed", "resultReported", "blocked")))
		}
		if random.IntN(3) == 0 {
			q.Since = epoch.Add(time.Duration(random.IntN(40)) * 30 * time.Second)
		}
		if random.IntN(3) == 0 {
			q.Until = epoch.Add(time.Duration(random.IntN(80)) * 30 * time.Second)
		}
		var want record.Page
		for _, a := range all {
			if q.Match(&a) {
				want.Agents = append(want.Agents, a)
			}
		}
		want.Total = len(want.Agents)
		if q.Newest {
			slices.Reverse(want.Agents)
		}
		want.Agents = want.Agents[min(max(q.Offset, 0), len(want.Agents)):]
		if q.Limit > 0 {
			want.Agents = want.Agents[:min(q.Limit, len(want.Agents))]
		}
		if got := mustReturn[record.Page](t)(s.Agents(t.Context(), q)); found(got) != found(want) {
			t.Errorf("%+v: found %s, want %s", q, found(got), found(want))
		}
	}
}

// Texts are stored unchanged, with any characters and length.
func testUnusualTexts(t *testing.T, s record.Store) {
	newGroup(t, s, "g")
	for i, text := range []string{"'); DROP TABLE agents; --", "nul \x00 byte", "line\r\nbreak\u2028", "🧙\u200d♂️", strings.Repeat("長い", 1<<17), `{"a":"<b>&"}`} {
		id := fmt.Sprint("a", i, strings.ToValidUTF8(text[:min(len(text), 20)], ""))
		want := record.Agent{ID: id, GroupID: "g", Role: text, Status: record.Running, Prompt: text, LastAssistantMessage: text, CreatedAt: epoch}
		must(t, s.CreateAgent(t.Context(), want))
		wantEqual(t, "an odd text", mustReturn[record.Agent](t)(s.Agent(t.Context(), id)), want)
		for _, q := range []record.Query{{Text: text}, {Role: text}} {
			if page := mustReturn[record.Page](t)(s.Agents(t.Context(), q)); page.Total != 1 || page.Agents[0].ID != id {
				t.Errorf("by %.40q %d are found", text, page.Total)
			}
		}
	}
}
