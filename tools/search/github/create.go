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
	// prepareFor is how long looking things up may take before an issue is made.
	prepareFor = time.Minute
	// looks is how often an issue is looked for of which it is not known whether it
	// was made.
	looks = 3
)

// CreateIssue implements plugin.Issues. A call that ends early does not stop an
// issue that was sent already: the error is UNKNOWN_OUTCOME then, and the same call
// again answers the issue.
func (p *Plugin) CreateIssue(ctx context.Context, n plugin.NewIssue) (plugin.Created, error) {
	d, err := p.draft(n)
	if err != nil {
		return plugin.Created{}, err
	}
	what := "making an issue in " + d.repo.String()
	if p.wire.token() == "" && !d.dry {
		err := noToken(what)
		p.health.note(err)
		return plugin.Created{}, err
	}
	if d.dry {
		ctx, cancel, err := p.within(ctx)
		if err != nil {
			return plugin.Created{}, err
		}
		defer cancel()
		created, _, err := p.prepare(ctx, d)
		if err != nil {
			return plugin.Created{}, p.explain(ctx, err, d.repo, what)
		}
		p.health.note(nil)
		return created, nil
	}
	return p.fly(ctx, d, what)
}

// fly makes an issue together with others that want the same one.
func (p *Plugin) fly(ctx context.Context, d draft, what string) (plugin.Created, error) {
	if p.alive.Err() != nil {
		return plugin.Created{}, closed()
	}
	first := false
	one, before := p.flights.join(d.key, func(f *flight) {
		first = true
		preparing, cancel := context.WithTimeout(context.WithoutCancel(ctx), prepareFor)
		f.cancel = cancel
		p.work.Go(func() { p.pilot(preparing, d, f, what) })
	})
	if before != nil {
		return answerOf(*before, true), nil
	}
	select {
	case <-one.done:
	case <-ctx.Done():
		if p.flights.leave(d.key, one) {
			return plugin.Created{}, p.unknown(d, "the call has ended meanwhile", context.Cause(ctx))
		}
		code := security.CodeOf(context.Cause(ctx))
		return plugin.Created{}, problem(string(code), context.Cause(ctx), "Nothing was made. Call again if the issue is still wanted.", "%s: the call has ended before anything was sent", what)
	}
	if one.err != nil {
		return plugin.Created{}, one.err
	}
	return answerOf(one.created, one.created.Existing || !first), nil
}

// pilot makes an issue, whoever waits for it.
func (p *Plugin) pilot(ctx context.Context, d draft, f *flight, what string) {
	landed := false
	var created plugin.Created
	var err error
	defer func() {
		if !landed { // it has panicked
			p.flights.land(d.key, f, plugin.Created{}, p.unknown(d, "the plugin has failed", nil))
		}
	}()
	within, cancel, err := p.within(ctx)
	if err == nil {
		defer cancel()
		if created, err = p.make(within, d, f); err != nil {
			err = p.explain(within, err, d.repo, what)
		} else {
			p.health.note(nil)
		}
	}
	landed = true
	p.flights.land(d.key, f, created, err)
}

// make looks everything up and makes the issue.
func (p *Plugin) make(ctx context.Context, d draft, f *flight) (plugin.Created, error) {
	created, request, err := p.prepare(ctx, d)
	if err != nil || created.Issue != nil || len(created.Duplicates) > 0 {
		return created, err
	}
	if !p.flights.send(f) {
		return plugin.Created{}, context.Canceled
	}
	// What is sent goes on after the call, but not after the plugin.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(p.working, cancel)()
	start := time.Now()
	got, _, err := p.client.Issues.Create(ctx, d.repo.owner, d.repo.name, request)
	switch {
	case err == nil && got.GetNumber() > 0:
		issue := short(got, d.repo)
		created.Issue = &issue
		p.log.Info("an issue was made", "repo", issue.Repo, "number", issue.Number)
		return created, nil
	case err != nil && refused(err):
		return plugin.Created{}, err
	}
	found := p.lookFor(ctx, d, start)
	if found == nil {
		why := "its answer tells no number"
		if err != nil {
			why = p.hide(cause(err))
		}
		return plugin.Created{}, p.unknown(d, why, nil)
	}
	issue := short(found, d.repo)
	created.Issue = &issue
	return created, nil
}

// refused reports whether an error says for certain that nothing was made: GitHub
// has answered so, or nothing was sent to it.
func refused(err error) bool {
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
		errors.As(err, &name), errors.As(err, &foreign), errors.As(err, &unsigned), errors.Is(err, errElsewhere):
		return true
	}
	return errors.As(err, &dial) && dial.Op == "dial"
}

// lookFor looks for an issue that was perhaps made since start, some times with
// pauses: lists lag behind a little.
func (p *Plugin) lookFor(ctx context.Context, d draft, start time.Time) *api.Issue {
	o := &api.IssueListByRepoOptions{
		State: "all", Sort: "created", Direction: "desc", Since: start.Add(-time.Hour), // by a clock that is another
		ListOptions: api.ListOptions{PerPage: 100},
	}
	for look := range looks {
		if wait.Sleep(ctx, p.wire.backoff<<(2*look)) != nil {
			return nil
		}
		all, _, err := p.client.Issues.ListByRepo(ctx, d.repo.owner, d.repo.name, o)
		if err != nil {
			p.log.Warn("an issue that was perhaps made cannot be looked for", "repo", d.repo, "error", p.hide(cause(err)))
			continue
		}
		for _, i := range issuesOf(all) {
			if d.made(i) {
				return i
			}
		}
	}
	return nil
}

// unknown is the error when it cannot be told whether an issue was made.
func (p *Plugin) unknown(d draft, why string, cause error) error {
	return problem(codeUnknown, cause, "Look before you repeat: search the issues for the title, or call again with the same arguments after a minute, which answers the issue if it was made.",
		"the issue %q may have been made in %s, or not: %s", d.title, d.repo, why)
}
