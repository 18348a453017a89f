package health_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

func one(t *testing.T, p *program, j *journal, all ...roles.Role) (*health.Checker, *staff) {
	t.Helper()
	s := &staff{}
	s.set(all...)
	c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles, Log: j})
	c.Start(t.Context())
	settle(t, c)
	return c, s
}

// Only changed roles are checked again.
func TestRefresh_ChangedRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, j := &program{name: "cursor", takes: time.Second, models: []string{"m", "n"}}, &journal{}
		c, s := one(t, p, j, as("a", "m"), as("b", "m"))
		defer c.Close()
		s.set(as("a", "m"), as("b", "n"), as("c", "x"))
		if got := state(t, c, "b"); got.Model != "n" || got.Available || got.Done() {
			t.Errorf("before the check: %+v", got)
		}
		j.events = nil
		c.Refresh()
		c.Refresh()
		settle(t, c)
		if got := p.askedFor(); got != "m n" {
			t.Errorf("asked were %s", got)
		}
		if got := j.told(); got != "healthcheck:model_validation\nhealthcheck:role_start {\"model\":\"n\",\"roleId\":\"b\"}\nhealthcheck:role_complete b\nhealthcheck:complete {\"available\":2,\"total\":3}\n" {
			t.Errorf("told was\n%s", got)
		}
		// A new name needs no check, and the state of a deleted role is removed.
		renamed := as("a", "m")
		renamed.Name = "another"
		s.set(renamed)
		j.events = nil
		c.Refresh()
		settle(t, c)
		if got := c.States(); len(got) != 1 || got[0].Name != "another" || !got[0].Available || len(j.events) != 0 {
			t.Errorf("%+v, told was %s", got, j.told())
		}
		if got := c.Progress(); got.Total != 1 || got.Available != 1 || got.Phase != health.Done {
			t.Errorf("%+v", got)
		}
	})
}

// Wait starts a missing check, and does not wait for a repeated one.
func TestWait_DuringRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, j := &program{name: "cursor", takes: time.Second, models: []string{"m"}}, &journal{}
		c, _ := one(t, p, j, as("a", "m"))
		defer c.Close()
		if err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := state(t, c, "a"); got.Done() || c.Progress().Phase != health.Models {
			t.Errorf("%+v, %+v", got, c.Progress())
		}
		begun := time.Now()
		if got, err := c.Wait(t.Context(), "a"); err != nil || !got.Available || time.Since(begun) != 0 {
			t.Errorf("%+v, %v after %v", got, err, time.Since(begun))
		}
		settle(t, c)
		if got := p.askedFor(); got != "m m" || p.listed != 2 {
			t.Errorf("asked were %s", got)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Run(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRevalidate_Models(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, j := &program{name: "cursor", takes: time.Second, models: []string{"m"}}, &journal{}
		c, _ := one(t, p, j, as("a", "m"), as("b", "n"))
		defer c.Close()
		for _, tc := range []struct {
			role, model string
			available   bool
			validation  health.Status
			check       health.Status
		}{
			{"a", "", true, health.Valid, health.Passed},
			{"a", "x", false, health.Invalid, health.Skipped},
			{"b", "m", true, health.Valid, health.Passed},
			{"b", "", false, health.Invalid, health.Skipped},
		} {
			got, err := c.Revalidate(t.Context(), tc.role, tc.model)
			if err != nil || got.Available != tc.available || got.ModelValidation.Status != tc.validation || got.HealthCheck.Status != tc.check || got.ID != tc.role {
				t.Errorf("%+v: %+v, %v", tc, got, err)
			}
		}
		// A new model is valid at once, and then checked.
		p.change(func() { p.models = []string{"m", "n", "o"} })
		if got, err := c.Revalidate(t.Context(), "a", "o"); err != nil || got.Available || got.ModelValidation.Status != health.Valid || got.HealthCheck.Status != health.Pending {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := c.Revalidate(t.Context(), "b", "n"); err != nil || got.ModelValidation.Status != health.Valid {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := c.Wait(t.Context(), "b"); err != nil || !got.Available || p.askedFor() != "m n" {
			t.Errorf("%+v, %v; asked were %s", got, err, p.askedFor())
		}
		if _, err := c.Revalidate(t.Context(), "z", ""); !errors.Is(err, health.ErrUnknownRole) {
			t.Errorf("got %v", err)
		}
	})
}

// The end of the context, and Close, cancel running checks.
func TestClose_DuringCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", takes: time.Hour, models: []string{"m"}}
		s := &staff{}
		s.set(as("a", "m"))
		c := health.New(health.Options{Executors: []executor.Executor{p}, Roles: s.roles})
		ctx, stop := context.WithCancel(t.Context())
		c.Start(ctx)
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		if p.running != 0 {
			t.Error("somebody is still being asked")
		}
		if _, err := c.Wait(t.Context(), "a"); !errors.Is(err, health.ErrClosed) {
			t.Errorf("got %v", err)
		}
		c.Close()
		if err := c.Run(t.Context()); !errors.Is(err, health.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Revalidate(t.Context(), "a", ""); !errors.Is(err, health.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// A failing log does not end the checks.
func TestCheck_LogFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", models: []string{"m"}}
		c, _ := one(t, p, &journal{full: true}, as("a", "m"))
		defer c.Close()
		if got := state(t, c, "a"); !got.Available {
			t.Errorf("%+v", got)
		}
	})
}

// Messages of programs are shortened.
func TestCheck_LongMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{name: "cursor", models: []string{"m"}, broken: map[string]executor.Exit{"m": {Code: 1, Message: strings.Repeat("語", 100_000)}}}
		c, _ := one(t, p, &journal{}, as("a", "m"))
		defer c.Close()
		if got := state(t, c, "a").HealthCheck.Reason; len(got) > 600 || !strings.HasSuffix(got, "語…") {
			t.Errorf("%d bytes", len(got))
		}
	})
}
