package github

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	// prepareTimeout limits the requests before an issue is created.
	prepareTimeout = time.Minute
	// findAttempts is the number of searches for an issue whose creation is uncertain.
	findAttempts = 3
)

// CreateIssue implements plugin.Issues. If the call ends after the creation was sent, the creation continues and the error is
// UNKNOWN_OUTCOME; the same call returns the issue later.
func (p *Plugin) CreateIssue(ctx context.Context, n plugin.NewIssue) (plugin.Created, error) {
	d, err := p.draft(n)
	if err != nil {
		return plugin.Created{}, err
	}
	action := "creating an issue in " + d.repo.String()
	if p.transport.token() == "" && !d.dryRun {
		err := noTokenError(action)
		p.health.record(err)
		return plugin.Created{}, err
	}
	if d.dryRun {
		ctx, cancel, err := p.withLifetime(ctx)
		if err != nil {
			return plugin.Created{}, err
		}
		defer cancel()
		created, _, err := p.prepare(ctx, d)
		if err != nil {
			return plugin.Created{}, p.explain(ctx, err, d.repo, action)
		}
		p.health.record(nil)
		return created, nil
	}
	return p.createShared(ctx, d, action)
}

// createShared creates an issue once for all concurrent calls with the same key.
func (p *Plugin) createShared(ctx context.Context, d draft, action string) (plugin.Created, error) {
	if p.alive.Err() != nil {
		return plugin.Created{}, closedError()
	}
	first := false
	one, before := p.creations.join(d.key, func(f *creation) {
		first = true
		preparing, cancel := context.WithTimeout(context.WithoutCancel(ctx), prepareTimeout)
		f.cancel = cancel
		p.work.Go(func() { p.runCreation(preparing, d, f, action) })
	})
	if before != nil {
		return resultFor(*before, true), nil
	}
	select {
	case <-one.done:
	case <-ctx.Done():
		if p.creations.leave(d.key, one) {
			return plugin.Created{}, p.unknownOutcome(d, "the call ended during the creation", context.Cause(ctx))
		}
		code := security.CodeOf(context.Cause(ctx))
		return plugin.Created{}, problem(string(code), context.Cause(ctx), "No issue was created. Call again if it is still needed.", "%s: the call ended before the creation was sent", action)
	}
	if one.err != nil {
		return plugin.Created{}, one.err
	}
	return resultFor(one.created, one.created.Existing || !first), nil
}

// runCreation creates an issue independently of the calls that wait for it.
func (p *Plugin) runCreation(ctx context.Context, d draft, f *creation, action string) {
	landed := false
	var created plugin.Created
	var err error
	defer func() {
		if !landed { // runs after a panic
			p.creations.complete(d.key, f, plugin.Created{}, p.unknownOutcome(d, "the plugin panicked", nil))
		}
	}()
	within, cancel, err := p.withLifetime(ctx)
	if err == nil {
		defer cancel()
		if created, err = p.createNew(within, d, f); err != nil {
			err = p.explain(within, err, d.repo, action)
		} else {
			p.health.record(nil)
		}
	}
	landed = true
	p.creations.complete(d.key, f, created, err)
}

// createNew looks up existing issues and names, and creates the issue.
func (p *Plugin) createNew(ctx context.Context, d draft, f *creation) (plugin.Created, error) {
	created, request, err := p.prepare(ctx, d)
	if err != nil || created.Issue != nil || len(created.Duplicates) > 0 {
		return created, err
	}
	if !p.creations.startSending(f) {
		return plugin.Created{}, context.Canceled
	}
	// A creation that was sent continues after the call, but ends with the plugin.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(p.working, cancel)()
	start := time.Now()
	got, _, err := p.client.Issues.Create(ctx, d.repo.owner, d.repo.name, request)
	switch {
	case err == nil && got.GetNumber() > 0:
		issue := toIssue(got, d.repo)
		created.Issue = &issue
		p.log.Info("issue created", "repo", issue.Repo, "number", issue.Number)
		return created, nil
	case err != nil && isRejected(err):
		return plugin.Created{}, err
	}
	found := p.findCreated(ctx, d, start)
	if found == nil {
		why := "the response contains no issue number"
		if err != nil {
			why = p.redact(causeText(err))
		}
		return plugin.Created{}, p.unknownOutcome(d, why, nil)
	}
	issue := toIssue(found, d.repo)
	created.Issue = &issue
	return created, nil
}

// isRejected reports whether an error proves that no issue was created: GitHub rejected the request, or the request was not
// sent.
func isRejected(err error) bool {
	var (
		limit    *LimitError
		answer   *api.ErrorResponse
		redirect *api.RedirectionError
		primary  *api.RateLimitError
		abuse    *api.AbuseRateLimitError
		twice    *api.TwoFactorAuthError
		dial     *net.OpError
		name     *net.DNSError
		foreign  *tls.CertificateVerificationError
		unsigned x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &answer):
		return answer.Response != nil && answer.Response.StatusCode < 500 && answer.Response.StatusCode != 408
	case errors.As(err, &limit), errors.As(err, &redirect), errors.As(err, &primary), errors.As(err, &abuse), errors.As(err, &twice),
		errors.As(err, &name), errors.As(err, &foreign), errors.As(err, &unsigned), errors.Is(err, errForeignHost):
		return true
	}
	return errors.As(err, &dial) && dial.Op == "dial"
}

// findCreated searches for an issue that may have been created since start. It repeats the search after pauses, because lists
// are updated with a delay.
func (p *Plugin) findCreated(ctx context.Context, d draft, start time.Time) *api.Issue {
	o := &api.IssueListByRepoOptions{
		State: "all", Sort: "created", Direction: "desc", Since: start.Add(-time.Hour), // the clocks may differ
		ListOptions: api.ListOptions{PerPage: 100},
	}
	for look := range findAttempts {
		if wait.Sleep(ctx, p.transport.backoff<<(2*look)) != nil {
			return nil
		}
		all, _, err := p.client.Issues.ListByRepo(ctx, d.repo.owner, d.repo.name, o)
		if err != nil {
			p.log.Warn("searching for an issue with unknown outcome failed", "repo", d.repo, "error", p.redact(causeText(err)))
			continue
		}
		for _, i := range withoutPullRequests(all) {
			if d.matches(i) {
				return i
			}
		}
	}
	return nil
}

// unknownOutcome is the error of a creation with an uncertain result.
func (p *Plugin) unknownOutcome(d draft, why string, cause error) error {
	return problem(codeUnknown, cause, "Search the issues for the title, or call again with the same arguments after a minute: that returns the issue if it was created.",
		"it is unknown whether the issue %q was created in %s: %s", d.title, d.repo, why)
}
