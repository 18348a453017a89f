// Package dashboard tests the dashboard of agents in a real browser, with suites for Node.js.
package dashboard
