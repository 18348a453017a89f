package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// shown is the time within which a browser must receive 95 of 100 events. harm is the highest factor by which another page that
// does not read may slow it down, unless the delay is below littleHarm.
const (
	shown      = 100 * time.Millisecond
	harm       = 1.25
	littleHarm = 5 * time.Millisecond
)

// kinds are the kinds of events of an agent, in the order of the table.
var kinds = []struct {
	name   string
	judged bool
}{
	{"ordered → created", true}, {"first line → running", true}, {"tool call begins or ends", true}, {"last line → completed", true}, {"text", false},
}

const (
	isCreated = iota
	isRunning
	isTool
	isOver
	isText
)

// sight are the delays until a page received events: after the agent printed them, and after they were in the server's log. All
// clocks are the machine's.
type sight struct{ printed, logged [isText + 1]delays }

// live measures the time from an agent's output until a dashboard page has received it. Many agents print concurrently, alternately
// with and without a second page that never reads.
func (b *bench) live(ctx context.Context) error {
	var all [2]sight
	var rounds [2][]time.Duration // the 95th percentiles of the judged delays
	for range b.rounds {
		s, err := b.open(ctx, b.crew, 100*time.Millisecond)
		if err != nil {
			return err
		}
		for i := range all {
			one, err := b.watch(ctx, s, i == 1)
			if err != nil {
				s.Close()
				return err
			}
			rounds[i] = append(rounds[i], one.judged().at(0.95))
			all[i].add(one)
		}
		s.Close()
	}
	fmt.Fprintf(b.stdout, "\n## From an agent's line to the browser, %d agents at once\n\n", b.crew)
	fmt.Fprintf(b.stdout, "| page beside it | what | seen | median | 95th percentile | greatest | in the log → seen, median | 95th percentile | asked for | |\n|---|---|---:|---:|---:|---:|---:|---:|---|---|\n")
	for i, beside := range []string{"none", "one that never reads"} {
		for k, kind := range kinds {
			asked, verdict := "", ""
			if d := all[i].printed[k]; kind.judged {
				asked, verdict = "< "+ms(shown), b.verdict(kind.name+", beside "+beside, len(d) > 0 && d.at(0.95) < shown)
			}
			logged := all[i].logged[k]
			fmt.Fprintf(b.stdout, "| %s | %s | %s | %s | %s | %s | %s |\n", beside, kind.name, all[i].printed[k].cells(), ms(logged.at(0.5)), ms(logged.at(0.95)), asked, verdict)
		}
	}
	ratio, more := driver.Ratio(rounds[1], rounds[0]), driver.Median(rounds[1])-driver.Median(rounds[0])
	fmt.Fprintf(b.stdout, "\nWith a page that never reads, all that is judged comes in %.2f times the time (95th percentile, median of %d rounds); asked for ≤ %.2f: %s\n",
		ratio, b.rounds, harm, b.verdict("harm", ratio <= harm || more <= littleHarm))
	return nil
}

func (s *sight) add(other *sight) {
	for k := range kinds {
		s.printed[k] = append(s.printed[k], other.printed[k]...)
		s.logged[k] = append(s.logged[k], other.logged[k]...)
	}
}

// judged returns the delays of all kinds that the bar covers.
func (s *sight) judged() (all delays) {
	for k, kind := range kinds {
		if kind.judged {
			all = append(all, s.printed[k]...)
		}
	}
	return all
}

// viewer collects the events of a page.
type viewer struct {
	sight
	ran   map[string]arrival
	words map[string]int64 // last seen word of each agent
	ended int
}

// arrival is the time at which an event was seen, and at which it was logged.
type arrival struct{ seen, logged time.Time }

// watch runs agents and observes their events until all have ended.
func (b *bench) watch(ctx context.Context, s *server, deafToo bool) (*sight, error) {
	ctx, cancel := context.WithTimeout(ctx, driver.MeasurementTimeout)
	defer cancel()
	p, err := dial(ctx, s.page)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if deafToo {
		other, err := deaf(ctx, s.page)
		if err != nil {
			return nil, err
		}
		defer other.close()
	}
	v := &viewer{ran: make(map[string]arrival), words: make(map[string]int64)}
	begun := make(map[string]time.Time)
	made := make(map[string]arrival)
	failed := make(chan error, 1)
	go func() { // the maps belong to the goroutine until it has responded
		prompt := fmt.Sprintf("[steady for=%v words=20 tools=2]", b.lasts)
		for range b.crew {
			now := time.Now()
			id, _, err := s.order(prompt)
			if err != nil {
				failed <- err
				return
			}
			begun[id] = now
		}
		failed <- nil
	}()
	for v.ended < b.crew {
		all, at, err := p.read(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("watching: %w", err), pending(failed))
		}
		for _, m := range all {
			if m.Type == string(record.AgentCreated) {
				made[m.AgentID] = arrival{at, m.At}
			}
			v.see(m, at)
		}
	}
	if err := <-failed; err != nil {
		return nil, err
	}
	for id, a := range made {
		v.note(isCreated, begun[id], a)
	}
	return &v.sight, nil
}

// pending returns an error that is already in the channel, or nil.
func pending(failed chan error) error {
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// note records an event and the time at which it happened.
func (v *viewer) note(kind int, happened time.Time, a arrival) {
	if happened.IsZero() {
		return
	}
	v.printed[kind] = append(v.printed[kind], max(a.seen.Sub(happened), 0))
	v.logged[kind] = append(v.logged[kind], max(a.seen.Sub(a.logged), 0))
}

var stamp = regexp.MustCompile(`@(\d{19}) `)

// stamps returns the times in a text.
func stamps(in string) (all []time.Time) {
	for _, m := range stamp.FindAllStringSubmatch(in, -1) {
		ns, err := strconv.ParseInt(m[1], 10, 64)
		if err == nil {
			all = append(all, time.Unix(0, ns))
		}
	}
	return all
}

// see records a message.
func (v *viewer) see(m message, at time.Time) {
	came := arrival{at, m.At}
	if m.Type == string(record.AgentToolCall) {
		var data struct {
			Call struct{ Args json.RawMessage }
		}
		if json.Unmarshal(m.Data, &data) == nil {
			for _, printed := range stamps(string(data.Call.Args)) {
				v.note(isTool, printed, came)
			}
		}
		return
	}
	if m.Type == "snapshot" {
		return
	}
	for _, a := range agentsIn(m) {
		v.agent(a, came)
	}
}

// agent records the changes of an agent.
func (v *viewer) agent(a record.Agent, came arrival) {
	if _, known := v.ran[a.ID]; !known && a.Status == record.Running {
		v.ran[a.ID] = came
	}
	if printed := stamps(a.ModelName); len(printed) > 0 {
		if first, waits := v.ran[a.ID]; waits && !first.seen.IsZero() {
			v.note(isRunning, printed[0], first)
			v.ran[a.ID] = arrival{} // recorded
		}
	}
	said := stamps(a.LastAssistantMessage)
	if a.Status.Ended() {
		v.ended++
		if len(said) > 0 {
			v.note(isOver, said[len(said)-1], came)
		}
		return
	}
	for _, printed := range said {
		if printed.UnixNano() > v.words[a.ID] {
			v.words[a.ID] = printed.UnixNano()
			v.note(isText, printed, came)
		}
	}
}
