package telemetry_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/telemetry"
)

func numbered(word string, n int) string { return fmt.Sprintf("%s%04d", word, n) }

// naive keeps usage as simply as can be.
type naive map[string]*[4]big.Int // count, input, output, microseconds

func (n naive) add(model string, input, output, micros int64) {
	if n[model] == nil {
		n[model] = new([4]big.Int)
	}
	for i, v := range []int64{1, input, output, micros} {
		n[model][i].Add(&n[model][i], big.NewInt(v))
	}
}

// bounded is a sum, or the largest number that fits.
func bounded(n *big.Int) int64 {
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

func (n naive) statistics(sessions int) telemetry.ModelStatistics {
	s := telemetry.ModelStatistics{TotalSessions: int64(sessions), Currency: "USD", ModelBreakdown: map[string]telemetry.ModelUsage{}}
	var all [4]big.Int
	average := func(sums *[4]big.Int) float64 {
		if sums[0].Sign() == 0 {
			return 0
		}
		return math.Round(float64(bounded(&sums[3]))/float64(bounded(&sums[0]))) / 1_000
	}
	for model, sums := range n {
		for i := range all {
			all[i].Add(&all[i], &sums[i])
		}
		s.ModelBreakdown[model] = telemetry.ModelUsage{
			Count: bounded(&sums[0]), Tokens: telemetry.Tokens{Input: bounded(&sums[1]), Output: bounded(&sums[2])}, AverageDuration: average(sums),
		}
	}
	s.TotalTokensUsed, s.AverageDuration = telemetry.Tokens{Input: bounded(&all[1]), Output: bounded(&all[2])}, average(&all)
	return s
}

// For random usage over several sets of one recorder, the statistics equal the naive model.
func TestModelStatistics_Random(t *testing.T) {
	contexts := []context.Context{t.Context()}
	for i := range 4 {
		contexts = append(contexts, client{name: numbered("c", i)}.context(t))
	}
	rapid.Check(t, func(rt *rapid.T) {
		path := ""
		if rapid.Bool().Draw(rt, "with a file") {
			path = statsFile(t)
		}
		recorder := telemetry.NewRecorder()
		set := newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path})
		open := []*telemetry.Telemetry{set}
		want, sessions := naive{}, map[int]bool{}
		before := 0 // sessions of earlier runs
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0: // the configuration changes
				set = newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path})
				open = append(open, set)
			case 1: // the program starts again
				if path == "" {
					continue
				}
				for _, old := range open {
					if err := old.Close(t.Context()); err != nil {
						rt.Fatal(err)
					}
				}
				before, sessions, recorder = before+len(sessions), map[int]bool{}, telemetry.NewRecorder()
				set = newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path})
				open = []*telemetry.Telemetry{set}
			default:
				model := rapid.SampledFrom([]string{"a", "b", "gpt-5", "other", "日本語"}).Draw(rt, "model")
				input, output := rapid.Int64Range(0, 1e12).Draw(rt, "input"), rapid.Int64Range(0, 1e12).Draw(rt, "output")
				micros := rapid.Int64Range(0, 1e15).Draw(rt, "micros")
				who := rapid.IntRange(0, len(contexts)-1).Draw(rt, "who")
				use(t, set, contexts[who], " "+model+"\u200b\n", input, output, float64(micros)/1_000)
				want.add(model, input, output, micros)
				sessions[who] = true
			}
		}
		got := statistics(t, set)
		got.Unpriced = nil
		if diff := cmp.Diff(want.statistics(before+len(sessions)), got); diff != "" {
			rt.Fatalf("want - got +:\n%s", diff)
		}
	})
}

// Sums stop at the largest number.
func TestModelStatistics_Overflow(t *testing.T) {
	path := statsFile(t)
	set := newSet(t, telemetry.Options{StatsFile: path})
	if err := set.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, path, fmt.Sprintf(`{"version":1,"sessions":%[1]d,"models":{"a":{"count":%[1]d,"inputTokens":%[1]d,"outputTokens":5,"durationMicros":%[1]d},"b":{"count":1,"inputTokens":7}}}`, int64(math.MaxInt64)))
	set = newSet(t, telemetry.Options{StatsFile: path})
	use(t, set, t.Context(), "a", 1e12, 1, 1e12)
	got := statistics(t, set)
	if got.TotalSessions != math.MaxInt64 || got.TotalTokensUsed != (telemetry.Tokens{Input: math.MaxInt64, Output: 6}) || got.ModelBreakdown["a"].Count != math.MaxInt64 {
		t.Errorf("%+v", got)
	}
}

// A thousand models have counts of their own, and no use of any more is lost.
func TestTrackTokenUsage_ManyModels(t *testing.T) {
	set := newSet(t, telemetry.Options{})
	for range 2 {
		for i := range 1_500 {
			got := use(t, set, t.Context(), numbered("m", i), 1, 2, 1)
			if want := map[bool]string{true: numbered("m", i), false: "other"}[i < 1_000]; got.Model != want {
				t.Fatalf("model %d is counted as %s, want %s", i, got.Model, want)
			}
		}
	}
	got := statistics(t, set)
	if got.TotalTokensUsed != (telemetry.Tokens{Input: 3_000, Output: 6_000}) {
		t.Errorf("%+v", got.TotalTokensUsed)
	}
	rest, err := set.ModelStatistics(t.Context(), telemetry.StatisticsArgs{Model: "other"})
	if err != nil || rest.ModelBreakdown["other"].Count != 1_000 || len(rest.ModelBreakdown) != 1 {
		t.Errorf("%+v, %v", rest, err)
	}
}

// Names are truncated between characters, and unprintable characters are removed.
func TestTrackTokenUsage_Names(t *testing.T) {
	set := newSet(t, telemetry.Options{})
	for given, want := range map[string]string{
		"a\x1b[31mb":                    "a[31mb",
		"\u202eevil\u2066":              "evil",
		strings.Repeat("語", 1000):       strings.Repeat("語", 42),
		strings.Repeat("x", 1000):       strings.Repeat("x", 128),
		"ok\xff":                        "ok",
		strings.Repeat("y", 127) + " z": strings.Repeat("y", 127),
	} {
		if got := use(t, set, t.Context(), given, 1, 1, 1); got.Model != want {
			t.Errorf("%q is counted as %q, want %q", given, got.Model, want)
		}
	}
}

// Uses that are tracked at once are all counted, whichever set of the recorder they come through, with a file or without.
func TestTrackTokenUsage_Concurrent(t *testing.T) {
	const workers, uses = 16, 300
	for name, path := range map[string]string{"in memory": "", "with a file": statsFile(t)} {
		t.Run(name, func(t *testing.T) {
			recorder := telemetry.NewRecorder()
			sets := []*telemetry.Telemetry{newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path}), newSet(t, telemetry.Options{Recorder: recorder, StatsFile: path})}
			var all group.Group
			for w := range workers {
				ctx := client{name: numbered("c", w%4)}.context(t)
				all.Go(func() {
					for i := range uses {
						args := telemetry.TrackArgs{ModelName: numbered("m", i%7), InputTokens: 1, OutputTokens: 2, Duration: 3}
						if _, err := sets[(w+i)%2].TrackTokenUsage(ctx, args); err != nil {
							t.Error(err)
						}
						if i%50 == 0 {
							if _, err := sets[w%2].ModelStatistics(ctx, telemetry.StatisticsArgs{}); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			all.Wait()
			for _, set := range sets {
				got := statistics(t, set)
				if got.TotalTokensUsed != (telemetry.Tokens{Input: workers * uses, Output: 2 * workers * uses}) || got.TotalSessions != 4 || got.AverageDuration != 3 {
					t.Errorf("%+v", got)
				}
			}
		})
	}
}

// One client is one session for each of its handshakes, and one in all if its requests stand alone.
func TestModelStatistics_Sessions(t *testing.T) {
	set := newSet(t, telemetry.Options{})
	first, second := &protocol.SessionMeta{Client: mcp.Implementation{Name: "c"}}, &protocol.SessionMeta{Client: mcp.Implementation{Name: "c"}}
	for i, step := range []struct {
		ctx  context.Context
		want int64
	}{
		{t.Context(), 1}, {context.Background(), 1},
		{client{name: "a"}.context(t), 2}, {client{name: "a"}.context(t), 2}, {client{name: "a", version: "2"}.context(t), 3}, {client{name: "a", principal: "ann"}.context(t), 4},
		{client{session: first}.context(t), 5}, {client{session: second}.context(t), 6}, {client{session: first}.context(t), 6},
	} {
		use(t, set, step.ctx, "m", 1, 1, 1)
		if got := statistics(t, set).TotalSessions; got != step.want {
			t.Errorf("step %d: %d sessions, want %d", i, got, step.want)
		}
	}
}
