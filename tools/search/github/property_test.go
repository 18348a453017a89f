package github_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/github/githubtest"
)

// attempt is a call of one of two plugins, with its timeout and the pause after it.
type attempt struct{ hub, seconds, pause int }

// TestCreateIssue_NeverTwice checks random faults and repeated calls: there is never a second issue, results name the existing
// one, and claims that no issue was created are true.
func TestCreateIssue_NeverTwice(t *testing.T) {
	faults := map[string]githubtest.Fault{
		"well": githubtest.OK(), "break": githubtest.Truncate(), "drop": githubtest.Drop(false), "drop after": githubtest.Drop(true),
		"gateway": githubtest.Fail(false), "gateway after": githubtest.Fail(true), "500": githubtest.Status(500, "oops"), "401": githubtest.Status(401, "no"),
		"422": githubtest.Status(422, "no"), "pause": githubtest.SecondaryLimit(403, 2), "limit": githubtest.SecondaryLimit(429, 40), "page": githubtest.HTMLPage(200),
		"nothing": githubtest.Respond(201, "application/json", ""), "null": githubtest.Respond(200, "application/json", "null"), "objects": githubtest.Respond(200, "application/json", "[{},null]"),
	}
	names := slices.Repeat([]string{"well"}, len(faults))
	for name := range faults {
		names = append(names, name)
	}
	slices.Sort(names)
	draw := rapid.Custom(func(rt *rapid.T) attempt {
		return attempt{rapid.IntRange(0, 1).Draw(rt, "hub"), rapid.IntRange(0, 20).Draw(rt, "seconds"), rapid.IntRange(0, 60).Draw(rt, "pause")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		server := githubtest.New()
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 25).Draw(rt, "faults") {
			server.On("*", faults[name])
		}
		attempts := rapid.SliceOfN(draw, 1, 6).Draw(rt, "attempts")
		var problem string
		synctest.Test(t, func(t *testing.T) { problem = neverTwo(t, server, attempts) })
		if problem != "" {
			rt.Fatal(problem)
		}
	})
}

// neverTwo makes the attempts and returns a description of a wrong result.
func neverTwo(t *testing.T, server *githubtest.Server, attempts []attempt) string {
	demo := server.Add("octo/demo")
	hubs := make([]*github.Plugin, 2)
	for i := range hubs {
		hub, err := github.New(github.Options{Owner: "octo", Repo: "demo", Transport: server.Transport(), Attempts: 2})
		if err != nil {
			t.Fatal(err)
		}
		hubs[i] = hub
		defer hub.Close(context.Background())
	}
	sure := true // whether failed calls certainly created no issue
	for _, a := range attempts {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(a.seconds)*time.Second)
		created, err := hubs[a.hub].CreateIssue(ctx, wanted)
		cancel()
		var coded interface{ ErrorCode() string }
		made := demo.Issues()
		switch {
		case len(made) > 1:
			return fmt.Sprintf("there are %d", len(made))
		case err == nil && (len(made) != 1 || created.Issue == nil || created.Issue.Number != 1):
			return fmt.Sprintf("answered %+v; there are %v", created, made)
		case err == nil || errors.As(err, &coded) && coded.ErrorCode() == "UNKNOWN_OUTCOME":
			sure = false
		case coded == nil:
			return fmt.Sprintf("%v has no code", err)
		case sure && len(made) > 0:
			return fmt.Sprintf("%v, but it was made", err)
		}
		time.Sleep(time.Duration(a.pause) * time.Second)
	}
	return ""
}
