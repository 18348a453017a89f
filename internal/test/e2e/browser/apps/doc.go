// Package apps looks at the card of agents in a real host of MCP Apps, and holds
// nothing but those tests: a page in a browser that is built on the packages
// @modelcontextprotocol/client and ext-apps, which suites beside it drive.
package apps
