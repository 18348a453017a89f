// Package apps tests the card of agents in a real host of MCP Apps: a page in a browser, built with the packages
// @modelcontextprotocol/client and ext-apps. The suites beside this file control the page.
package apps
