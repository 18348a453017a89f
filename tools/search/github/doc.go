// Package github finds and makes issues on GitHub: the plugin "github" of the set
// of package search.
//
//	hub, err := github.New(github.Options{Token: token, Owner: "octocat", Repo: "hello"})
//	found, err := hub.SearchIssues(ctx, plugin.IssueQuery{Text: "login fails", State: "open", Limit: 10})
//
// # What is asked
//
// Only the configured repository is touched unless Options.Repos names more: a
// token often sees more than whoever asks should. The text of a query cannot lead
// elsewhere: qualifiers that narrow a search (author:, in:, milestone:, created: …)
// are taken as such, everything else (repo:, org:, OR, parentheses …) is looked for
// as words, and an answer about another repository is left out.
//
// # Limits
//
// GitHub allows a token 5,000 requests an hour and 30 searches a minute, and slows
// down who makes much at once. What its answers say of that is kept to: a pause of up
// to five seconds is waited for, a longer one is the error RATE_LIMITED, which has
// a LimitError in its chain. Nothing is sent meanwhile. Answers that have not
// changed since they were last asked for cost nothing of it.
//
// # One issue, not two
//
// An issue that is made carries a key in a hidden comment at its end. Before one is
// made the newest ones are looked through for the key, so that a repeated call
// answers the issue of the first one. When GitHub breaks off while it makes an
// issue, it is looked for; what cannot be found then is the error UNKNOWN_OUTCOME.
// Nothing is ever sent twice. Only two programs that make the same issue in the same
// moment are not kept apart.
//
// # The token
//
// It is sent to the host of Options.BaseURL and no other, whatever that answers,
// and is neither in a log nor in an error.
package github
