// Package agentservice makes what serves agents from its settings: the tools with
// the programs that run agents, the roles and their health, the history, the
// notifications and the dashboard. It is what kuromajutsu is made of, and every
// other program that offers agents beside other tools.
package agentservice
