//lint:file-ignore SA1019 logging is deprecated, and must stay silent in tasks all the same

package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

type name struct {
	Name string `json:"name"`
}

// elicit answers every form with the next name.
func elicit(names ...string) func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
	var next atomic.Int64
	return func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		i := int(next.Add(1)) - 1
		if i >= len(names) {
			return mcp.Answer[json.RawMessage]{}, errors.New("asked too often")
		}
		return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: fmt.Appendf(nil, `{"name":%q}`, names[i])}, nil
	}
}

// interview asks for three names, one after the other, all under one key.
var interview = tool("interview", func(ctx context.Context, _ none) (string, error) {
	var all []string
	for range 3 {
		answer, err := mcp.Elicit[name](ctx, "who", "Who is it?")
		if err != nil {
			return "", err
		}
		all = append(all, answer.Value.Name)
	}
	return strings.Join(all, ", "), nil
})

// both asks two questions at once.
var both = tool("both", func(ctx context.Context, _ none) (string, error) {
	first, err := mcp.FormQuestion[name]("first", "Who is first?")
	if err != nil {
		return "", err
	}
	second, err := mcp.FormQuestion[name]("second", "Who is second?")
	if err != nil {
		return "", err
	}
	answers, err := mcp.AskAll(ctx, first, second)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s", answers[0], answers[1]), nil
})

// A client answers the questions of its tasks as those of its calls, each once.
func TestQuestions_ClientAnswers(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, interview, both)
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit("Ada", "Bea", "Cid")})
		if text, err := mcp.Call[string](t.Context(), c, "interview", none{}); text != "Ada, Bea, Cid" || err != nil {
			t.Errorf("the answer is %q, %v", text, err)
		}
		var id string
		_, err := tasks.Call(t.Context(), c, "both", none{}, &tasks.CallOptions{OnChange: func(i tasks.Info) { id = i.ID }})
		if err == nil || !strings.Contains(err.Error(), "asked too often") {
			t.Errorf("a question that cannot be answered: %v", err)
		}
		synctest.Wait()
		is(t, tasks.Open(c, id), tasks.Cancelled)
	})
}

// A key never comes back in a task, whatever the tool calls its questions.
func TestQuestions_UniqueKeys(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, interview)
		task := start(t, connect(t, srv, mcp.ClientOptions{Elicit: elicit()}), "interview", none{})
		var keys []string
		for range 3 {
			synctest.Wait()
			info := is(t, task, tasks.InputRequired)
			for key, q := range info.Requests {
				if q.Method != "elicitation/create" || !strings.Contains(string(q.Params), "Who is it?") {
					t.Errorf("the question is %s", q.Params)
				}
				keys = append(keys, key)
				must(t, task.Answer(t.Context(), map[string]json.RawMessage{key: json.RawMessage(`{"action":"accept","content":{"name":"x"}}`)}))
				must(t, task.Answer(t.Context(), map[string]json.RawMessage{key: json.RawMessage(`{"action":"accept","content":{"name":"twice"}}`)}))
			}
		}
		if want := []string{"who", "who-2", "who-3"}; !slices.Equal(keys, want) {
			t.Errorf("the keys are %q", keys)
		}
		if result, err := task.Wait(t.Context()); err != nil || said(result) != "x, x, x" {
			t.Errorf("in the end %v", err)
		}
	})
}

// Answers may come one by one. What is asked for no more, or never was, is ignored.
func TestQuestions_PartialAnswers(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, both)
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit()})
		task := start(t, c, "both", none{})
		synctest.Wait()
		open := func(want ...string) {
			t.Helper()
			if got := slices.Sorted(maps.Keys(is(t, task, tasks.InputRequired).Requests)); !slices.Equal(got, want) {
				t.Errorf("open are %q, want %q", got, want)
			}
		}
		open("first", "second")
		accept := json.RawMessage(`{"action":"accept","content":{"name":"x"}}`)
		must(t, task.Answer(t.Context(), map[string]json.RawMessage{"third": accept, "": accept}))
		open("first", "second")
		must(t, task.Answer(t.Context(), map[string]json.RawMessage{"second": accept}))
		open("first")
		for _, wrong := range []string{`{}`, `{"inputResponses":5}`, `{"inputResponses":{"first":5}}`, `{"inputResponses":null}`} {
			params := map[string]any{}
			must(t, json.Unmarshal([]byte(wrong), &params))
			params["taskId"] = task.ID()
			if _, err := ask(t.Context(), c, "tasks/update", params); code(err) != protocol.CodeInvalidParams {
				t.Errorf("%s: %v", wrong, err)
			}
		}
		open("first")
		must(t, task.Answer(t.Context(), map[string]json.RawMessage{"first": json.RawMessage(`{"action":"decline"}`), "second": accept}))
		result, err := task.Wait(t.Context())
		if err != nil || said(result) != `{"action":"decline"} {"action":"accept","content":{"name":"x"}}` {
			t.Errorf("in the end %v %v", said(result), err)
		}
		must(t, task.Answer(t.Context(), map[string]json.RawMessage{"first": accept})) // to a task that has ended
	})
}

// A question ends with its task, and one that is given up leaves the task.
func TestQuestions_Unanswered(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, interview, tool("impatient", func(ctx context.Context, _ none) (string, error) {
			asking, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			if _, err := mcp.Elicit[name](asking, "who", "Who is it?"); !errors.Is(err, context.DeadlineExceeded) {
				return "", fmt.Errorf("the question ended with: %w", err)
			}
			time.Sleep(time.Minute)
			return "without an answer", nil
		}))
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit()})
		asked := start(t, c, "interview", none{})
		synctest.Wait()
		is(t, asked, tasks.InputRequired)
		must(t, asked.Cancel(t.Context()))
		synctest.Wait()
		if info := is(t, asked, tasks.Cancelled); len(info.Requests) > 0 {
			t.Errorf("open are %v", info.Requests)
		}
		impatient := start(t, c, "impatient", none{})
		synctest.Wait()
		is(t, impatient, tasks.InputRequired)
		time.Sleep(time.Minute)
		synctest.Wait()
		is(t, impatient, tasks.Working)
		time.Sleep(time.Minute)
		synctest.Wait()
		if result, err := impatient.Wait(t.Context()); err != nil || said(result) != "without an answer" {
			t.Errorf("in the end %q, %v", said(result), err)
		}
		blind := connect(t, srv, mcp.ClientOptions{})
		if _, err := mcp.Call[string](t.Context(), blind, "interview", none{}); code(err) != protocol.CodeMissingCapability {
			t.Errorf("a client that cannot be asked: %v", err)
		}
	})
}

// A tool that says when it becomes a task asks before that as in any call, and
// after it in the task.
func TestDeferTask(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		runs := 0
		late := tool("late", func(ctx context.Context, in minutes) (string, error) {
			runs++
			mcp.Progress(ctx, 1, 2, "before")
			first, err := mcp.Elicit[name](ctx, "first", "Who is first?")
			if err != nil {
				if becoming := mcp.BecomeTask(ctx); !errors.Is(becoming, mcp.ErrInputRequired) {
					return "", fmt.Errorf("while a question is open: %w", becoming)
				}
				return "", err
			}
			if in.Minutes == 0 {
				return "at once: " + first.Value.Name, nil
			}
			if mcp.InTask(ctx) {
				return "", errors.New("it is a task already")
			}
			if err := mcp.BecomeTask(ctx); err != nil {
				return "", err
			}
			task := mcp.InTask(ctx)
			mcp.Progress(ctx, 2, 2, "after")
			mcp.Log(ctx, protocol.LevelError, "", "nobody hears that")
			if err := wait.Sleep(ctx, time.Duration(in.Minutes)*time.Minute); err != nil {
				return "", err
			}
			second, err := mcp.Elicit[name](ctx, "second", "Who is second?")
			return fmt.Sprint(task, " ", first.Value.Name, " ", second.Value.Name), errors.Join(err, mcp.BecomeTask(ctx))
		}).With(mcp.ToolOptions{DeferTask: true, Timeout: 30 * time.Second, Gate: mcp.NewGate(1)})
		srv, _ := serve(t, tasks.Options{}, late)
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit("Ada", "Bea", "Cid"), LogLevel: protocol.LevelDebug})
		var progress, states []string
		result, err := tasks.Call(t.Context(), c, "late", minutes{2}, &tasks.CallOptions{
			CallOptions: mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { progress = append(progress, p.Message) }},
			OnChange:    func(i tasks.Info) { states = append(states, string(i.Status)+" "+i.Message) },
		})
		if err != nil || said(result) != "true Ada Bea" || runs != 2 {
			t.Errorf("%q after %d runs, %v", said(result), runs, err)
		}
		if want := []string{"before", "before"}; !slices.Equal(progress, want) {
			t.Errorf("progress is %q", progress)
		}
		if want := []string{"working ", "working after", "input_required after", "completed "}; !slices.Equal(slices.Compact(states), want) {
			t.Errorf("the task was %q", states)
		}
		task, err := tasks.Start(t.Context(), c, "late", minutes{0}, nil)
		must(t, err)
		if result, err := task.Wait(t.Context()); err != nil || said(result) != "at once: Cid" || task.ID() != "" {
			t.Errorf("without a task: %q, %v", said(result), err)
		}
		plain := mcptest.Connect(t, srv, &mcp.ClientOptions{Elicit: elicit("Ada", "Bea"), Timeout: time.Hour})
		result, err = plain.CallTool(t.Context(), "late", minutes{1}, nil)
		if err != nil || result.ErrorCode() != "TIMEOUT" {
			t.Errorf("without tasks the tool has its time: %v, %v", said(result), err)
		}
	})
}

// The tool's clock stands still in a task, but its gate is for all calls.
func TestDeferTask_ToolLimits(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work.With(mcp.ToolOptions{Timeout: time.Second, Gate: mcp.NewGate(1)}))
		c := connect(t, srv, mcp.ClientOptions{})
		first := start(t, c, "work", minutes{5})
		synctest.Wait() // it has entered
		second := start(t, c, "work", minutes{5})
		time.Sleep(5*time.Minute + time.Second)
		is(t, first, tasks.Completed)
		is(t, second, tasks.Working)
		time.Sleep(5 * time.Minute)
		is(t, second, tasks.Completed)
	})
}
