// Package github is the issue plugin of the search tools: it searches and creates issues on GitHub.
//
//	hub, err := github.New(github.Options{Token: token, Owner: "octocat", Repo: "hello"})
//	found, err := hub.SearchIssues(ctx, plugin.IssueQuery{Text: "login fails", State: "open", Limit: 10})
//
// # Repositories
//
// Only the configured repository is accessible unless Options.Repos names more, because a token often has more rights than the caller
// should have. The text of a query cannot select another repository: qualifiers that narrow a search (author:, in:, milestone:,
// created: …) are passed on, all other syntax (repo:, org:, OR, parentheses …) is quoted. Results from other repositories are dropped.
//
// # Limits
//
// GitHub permits 5,000 requests per hour and 30 searches per minute, and has secondary limits for bursts. The plugin follows the limits
// in the responses: it waits for up to five seconds, and otherwise fails with RATE_LIMITED, which wraps a LimitError. During a pause no
// request is sent. Requests for known data are conditional: GitHub does not count a request whose response is 304 (not modified).
//
// # Exactly one issue
//
// Each created issue ends with a key in a hidden comment. Before creation the newest issues are searched for the key, so that a
// repeated call returns the first issue. If the connection breaks during a creation, the plugin searches for the issue; if it is not
// found, the error is UNKNOWN_OUTCOME. A creation is never sent twice. Two processes that create the same issue at the same moment are
// not synchronized.
//
// # Token
//
// The token is sent only to the host of Options.BaseURL, also after redirects. It is redacted from logs and errors.
package github
