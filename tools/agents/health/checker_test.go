package health_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// All roles are checked at the start, each model once, with events in order.
func TestStart_AllRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", takes: 2 * time.Second, more: map[string]time.Duration{"gpt-5.5": time.Second}, models: []string{"auto", "claude-4.6-sonnet-medium", "gpt-5.5"}}
		s, j := &staff{}, &journal{}
		s.set(as("impl", "auto"), as("review", "claude-4-sonnet"), as("test", "auto"), as("text", "gpt-5.5"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles, Log: j, Env: []string{"A=b"}})
		defer c.Close()
		if got := state(t, c, "impl"); got.Done() || got.Available || got.HealthCheck.Status != health.Pending || got.ModelValidation.Status != health.Pending {
			t.Errorf("before the checks: %+v", got)
		}
		begun := time.Now()
		c.Start(t.Context())
		settle(t, c)
		if took := time.Since(begun); took != 3100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		const want = `healthcheck:model_validation
healthcheck:role_start {"model":"auto","roleId":"impl"}
healthcheck:role_start {"model":"auto","roleId":"test"}
healthcheck:role_start {"model":"gpt-5.5","roleId":"text"}
healthcheck:role_complete impl
healthcheck:role_complete test
healthcheck:role_complete text
healthcheck:complete {"available":3,"total":4}
`
		if got := j.told(); got != want {
			t.Errorf("told was\n%s", got)
		}
		if got := p.askedFor(); got != "auto gpt-5.5" || p.listed != 1 || len(p.seen) > 0 || p.asked[0].Prompt != "say OK" || p.asked[0].Env[0] != "A=b" {
			t.Errorf("asked were %s; %+v", got, p)
		}
		for _, spec := range p.asked {
			if _, err := os.Stat(spec.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there", spec.Dir)
			}
		}
		if got := c.Progress(); got.Phase != health.Done || got.Total != 4 || got.Available != 3 || got.FinishedAt.Sub(got.StartedAt) != 3100*time.Millisecond {
			t.Errorf("progress is %+v", got)
		}
		if got := c.Models(""); len(got) != 3 || got[1].Name != "CLAUDE-4.6-SONNET-MEDIUM" || len(c.Models("none")) != 0 {
			t.Errorf("models are %v", got)
		}
	})
}

// The JSON of the states is that of list_roles.
func TestState_JSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", takes: 1200 * time.Millisecond, models: []string{"auto", "claude-4.6-sonnet-medium", "gpt-5.5"}}
		s := &staff{}
		s.set(as("impl", "auto"), as("review", "claude-4-sonnet"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles, Language: "ja"})
		defer c.Close()
		c.Start(t.Context())
		settle(t, c)
		rows, err := json.MarshalIndent(c.States(), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		at := func(d time.Duration) string {
			text, _ := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).MarshalText()
			return string(text)
		}
		want := fmt.Sprintf(`[
 {
  "id": "impl",
  "name": "IMPL",
  "model": "auto",
  "available": true,
  "healthCheck": {
   "status": "passed",
   "checkedAt": %q,
   "responseTime_ms": 1200
  },
  "modelValidation": {
   "status": "valid",
   "checkedAt": %q
  }
 },
 {
  "id": "review",
  "name": "REVIEW",
  "model": "claude-4-sonnet",
  "available": false,
  "healthCheck": {
   "status": "skipped",
   "reason": "モデル検証に失敗したためスキップ"
  },
  "modelValidation": {
   "status": "invalid",
   "message": "モデル 'claude-4-sonnet' は利用できません",
   "checkedAt": %q,
   "availableModels": [
    "claude-4.6-sonnet-medium",
    "auto",
    "gpt-5.5"
   ],
   "suggestion": "claude-4.6-sonnet-medium"
  }
 }
]`, at(1300*time.Millisecond), at(100*time.Millisecond), at(100*time.Millisecond))
		if string(rows) != want {
			t.Errorf("got\n%s\nwant\n%s", rows, want)
		}
	})
}

func TestValidate_Suggestions(t *testing.T) {
	for _, tc := range []struct {
		model string
		list  []string
		want  string
	}{
		{"gpt-55", []string{"auto", "gpt-5.5", "gpt-4"}, "gpt-5.5"},
		{"claude-4-sonnet", []string{"auto", "gpt-5.5-high", "claude-4.6-opus", "claude-4.6-sonnet-medium"}, "claude-4.6-sonnet-medium"},
		{"llama", []string{"composer-2.5", "auto"}, "composer-2.5"},
		{"llama", nil, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &program{name: "cursor", models: tc.list}
			s := &staff{}
			s.set(as("a", tc.model))
			c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
			defer c.Close()
			got, err := c.Wait(t.Context(), "a")
			if err != nil || got.ModelValidation.Suggestion != tc.want || got.Available || len(got.ModelValidation.AvailableModels) != len(tc.list) {
				t.Errorf("%s of %v: %+v, %v", tc.model, tc.list, got, err)
			}
		})
	}
}

func TestValidate_Fallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", models: []string{"auto", "x"}}
		s := &staff{}
		s.set(as("a", "gone"), as("b", "x"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles, Fallback: true})
		defer c.Close()
		got, err := c.Wait(t.Context(), "a")
		if err != nil || !got.Available || got.RunModel() != "auto" || got.Model != "gone" || got.ModelValidation.Status != health.Invalid {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := c.Wait(t.Context(), "b"); err != nil || got.RunModel() != "x" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// The messages about models are English, or Japanese if the options say so.
func TestValidate_Language(t *testing.T) {
	for language, want := range map[string][2]string{
		"":   {"model 'gone' is not available; 'auto' is used instead", "skipped, because the model is not valid"},
		"en": {"model 'gone' is not available; 'auto' is used instead", "skipped, because the model is not valid"},
		"ja": {"モデル 'gone' は利用できません。代わりに 'auto' を使用します", "モデル検証に失敗したためスキップ"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &staff{}
			s.set(as("a", "gone"))
			for _, fallback := range []bool{true, false} {
				c := health.New(health.Options{
					Executors: []executor.Executor{&program{name: "cursor", models: []string{"auto"}}}, Roles: s.roles, Fallback: fallback, Language: language,
				})
				got, _ := c.Wait(t.Context(), "a") // without the fallback the role is unavailable
				c.Close()
				if message := got.ModelValidation.Message; message == "" || !strings.HasPrefix(want[0], message) || fallback != (message == want[0]) {
					t.Errorf("in %q, with fallback %v, the message is %q", language, fallback, message)
				}
				if reason := got.HealthCheck.Reason; !fallback && reason != want[1] {
					t.Errorf("in %q the reason is %q", language, reason)
				}
			}
		})
	}
}

// A missing or unauthenticated program makes its roles unavailable, with the next step.
func TestCheck_ProgramUnavailable(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		told string
	}{
		"not installed": {fmt.Errorf("looking for agent: %w", executor.ErrUnavailable), "install the program"},
		"refused":       {fmt.Errorf("cursor: %w", &executor.Refused{Path: "/p/agent", Why: "was found, but is not executable", Next: "make it executable"}), "/p/agent was found, but is not executable: make it executable"},
		"not logged in": {fmt.Errorf("listing: %w", executor.ErrUnauthenticated), "log in with the program"},
		"something":     {errors.New("it ended with code 7"), "it ended with code 7"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, other := &program{name: "cursor", err: tc.err}, &program{name: "claude", models: []string{"opus"}}
				s := &staff{}
				claude, typo := as("c", "opus"), as("d", "opus")
				claude.Executor, typo.Executor = "claude", "claud"
				s.set(as("a", "auto"), as("b", "auto"), claude, typo)
				c := health.New(health.Options{Executors: []executor.Executor{p, other}, Roles: s.roles})
				defer c.Close()
				for _, id := range []string{"a", "b"} {
					got, err := c.Wait(t.Context(), id)
					if err != nil || got.Available || got.HealthCheck.Status != health.Skipped || !strings.Contains(got.ModelValidation.Message, tc.told) {
						t.Errorf("%+v, %v", got, err)
					}
				}
				if got, err := c.Wait(t.Context(), "c"); err != nil || !got.Available {
					t.Errorf("%+v, %v", got, err)
				}
				if got, err := c.Wait(t.Context(), "d"); err != nil || got.Available || !strings.Contains(got.ModelValidation.Message, `did you mean "claude"?`) {
					t.Errorf("%+v, %v", got, err)
				}
				if len(c.Models("cursor")) != 0 || len(p.asked) != 0 {
					t.Errorf("%v, %v", c.Models("cursor"), p.asked)
				}
				// The failed check is repeated after RetryInterval.
				p.change(func() { p.err, p.models = nil, []string{"auto"} })
				if got, _ := c.Wait(t.Context(), "a"); got.Available {
					t.Error("it was looked at too soon")
				}
				time.Sleep(time.Minute)
				if got, err := c.Wait(t.Context(), "a"); err != nil || !got.Available {
					t.Errorf("%+v, %v", got, err)
				}
			})
		})
	}
}

func TestCheck_InvalidAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		exit   executor.Exit
		reason string
		status health.Status
	}{
		"a message":       {executor.Exit{Failed: true, Code: 1, Message: "plan limit reached"}, "plan limit reached", health.Valid},
		"no message":      {executor.Exit{Code: 3}, "it ended with exit code 3 and without an answer", health.Valid},
		"a signal":        {executor.Exit{Signal: "SIGKILL"}, "it was ended by SIGKILL", health.Valid},
		"not logged in":   {executor.Exit{Code: 1, Cause: executor.ErrUnauthenticated, Message: "no"}, "not logged in: no; log in with", health.Valid},
		"a model that is": {executor.Exit{Code: 1, Cause: executor.ErrUnknownModel, Message: "Cannot use this model: m"}, "Cannot use this model: m", health.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &program{name: "cursor", models: []string{"m"}, broken: map[string]executor.Exit{"m": tc.exit}}
				s := &staff{}
				s.set(as("a", "m"))
				c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
				defer c.Close()
				got, err := c.Wait(t.Context(), "a")
				if err != nil || got.Available || got.HealthCheck.Status != health.Failed || !strings.Contains(got.HealthCheck.Reason, tc.reason) || got.ModelValidation.Status != tc.status {
					t.Errorf("%+v, %v", got, err)
				}
			})
		})
	}
}

func TestCheck_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", takes: time.Hour, models: []string{"m"}}
		s := &staff{}
		s.set(as("a", "m"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
		defer c.Close()
		// A caller with a shorter timeout receives the current state.
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		if got, err := c.Wait(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) || got.ID != "a" || got.HealthCheck.Status != health.Running || got.ModelValidation.Status != health.Valid {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := c.Wait(t.Context(), "a"); err != nil || got.HealthCheck.Reason != "the model did not answer within 1m0s" {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := c.Wait(t.Context(), "b"); !errors.Is(err, health.ErrUnknownRole) || !strings.Contains(err.Error(), "known are a") {
			t.Errorf("got %v", err)
		}
	})
}

// At most three models are asked at once.
func TestCheck_Parallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", takes: time.Second}
		s := &staff{}
		var all []roles.Role
		for i := range 10 {
			m := fmt.Sprintf("m%d", i)
			p.models = append(p.models, m)
			all = append(all, as("r"+m, m))
		}
		s.set(all...)
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
		defer c.Close()
		c.Start(t.Context())
		c.Start(t.Context())
		if _, err := c.Wait(t.Context(), "rm9"); err != nil {
			t.Fatal(err)
		}
		if p.most != 3 || len(p.asked) != 10 || p.listed != 1 {
			t.Errorf("%d at once, %d asked, %d times listed", p.most, len(p.asked), p.listed)
		}
	})
}

func TestCache_Restart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "state")
		p := &program{name: "cursor", takes: time.Second, models: []string{"m", "n"}, broken: map[string]executor.Exit{"n": {Code: 1}}}
		s := &staff{}
		s.set(as("a", "m"), as("b", "n"))
		run := func() {
			t.Helper()
			c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles, Dir: dir})
			defer c.Close()
			c.Start(t.Context())
			settle(t, c)
			if a, b := state(t, c, "a"), state(t, c, "b"); !a.Available || a.HealthCheck.ResponseTimeMs != 1000 || b.Available {
				t.Errorf("%+v, %+v", a, b)
			}
		}
		run()
		run()
		if got := p.askedFor(); got != "m n n" || p.listed != 1 {
			t.Errorf("asked were %s, listed %d times", got, p.listed)
		}
		time.Sleep(time.Hour)
		run()
		if got := p.askedFor(); got != "m m n n n" || p.listed != 2 {
			t.Errorf("asked were %s, listed %d times", got, p.listed)
		}
		// Invalid cache files are ignored.
		for _, text := range []string{"", "{", `{"version": 9}`, `{"version":1,"answers":[{"executor":"cursor","model":"m","at":"2999-01-01T00:00:00Z"}]}`} {
			if err := os.WriteFile(filepath.Join(dir, "health.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			was := len(p.asked)
			run()
			if len(p.asked) != was+2 {
				t.Errorf("%q was believed", text)
			}
		}
	})
}

// local is a program of this machine that may disappear.
type local struct {
	program
	gone atomic.Bool
}

func (p *local) Find() error {
	if p.gone.Load() {
		return fmt.Errorf("%w: it is not in PATH", executor.ErrUnavailable)
	}
	return nil
}

// A role is unavailable while its program is missing, and available again afterwards.
func TestWait_ProgramGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &local{program: program{name: "cursor", models: []string{"m"}}}
		s := &staff{}
		s.set(as("a", "m"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
		defer c.Close()
		for _, gone := range []bool{false, true, false} {
			p.gone.Store(gone)
			got, err := c.Wait(t.Context(), "a")
			if err != nil || got.Available == gone || gone && (got.HealthCheck.Status != health.Failed || !strings.Contains(got.HealthCheck.Reason, "not in PATH")) {
				t.Errorf("gone %v: %+v, %v", gone, got, err)
			}
			if got := c.States()[0]; got.Available == gone {
				t.Errorf("gone %v: the list says %+v", gone, got)
			}
		}
	})
}

// An answer that says that the model is unknown is a failure.
func TestCheck_RefusalAsAnswer(t *testing.T) {
	for _, answer := range []string{
		"There's an issue with the selected model (m). It may not exist or you may not have access to it.",
		"Cannot use this model: m. Available models: auto",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &program{name: "cursor", models: []string{"m"}, answer: answer}
			s := &staff{}
			s.set(as("a", "m"))
			c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
			defer c.Close()
			got, err := c.Wait(t.Context(), "a")
			if err != nil || got.Available || got.HealthCheck.Status != health.Failed || got.ModelValidation.Status != health.Invalid {
				t.Errorf("%q: %+v, %v", answer, got, err)
			}
		})
	}
}
