// Package dashboard looks at the dashboard of agents with a real browser, and holds
// nothing but those tests: the suites beside it, which Node.js runs.
package dashboard
