// Package agentservice opens the services for agents from their settings: tools, executors, roles
// with health checks, history, notifications and dashboard. The program kuromajutsu consists of it;
// cursorcli offers it beside its own tools.
//
// Options.Load merges defaults, file, environment and flags. Open creates a Service from them. A
// server that an agent has started finds its parent in the environment, offers only the tools that
// the parent has for the agent, and forwards their calls. The settings file of a project cannot
// name programs, or widen limits, until the user approves it. Options.Checks examines the
// installation for the command doctor.
package agentservice
