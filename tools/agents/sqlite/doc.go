// Package sqlite keeps the records of agents in an SQLite database. DB is a record.Store;
// DB.Outputs keeps the output of agents in files beside the database.
//
// Frequent updates of unfinished agents are written with a delay (Options.WriteDelay, 300 ms). If
// the process is killed, at most the last half second of these updates is lost. Groups, new agents,
// ends and results are written before the call returns. A power failure can lose the newest of
// these writes, but does not damage the database.
//
// Several processes may open one database. Each sees all groups, all ended agents and, with the
// delay, the unfinished agents of the others. The process that created an unfinished agent holds
// its current state in memory. Another process may change the agent, for example because it
// considers the creator dead. If the creator still runs, its next update overwrites that change.
package sqlite
