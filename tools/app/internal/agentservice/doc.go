// Package agentservice opens the services for agents from their settings: the tools, the
// executors, the roles and their health checks, the history, notifications and the
// dashboard. The program kuromajutsu consists of it; cursorcli offers it beside its own
// tools.
package agentservice
