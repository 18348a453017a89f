// Package sqlite keeps what a crew knows of its agents in an SQLite database, so that
// it outlives the process: DB is a record.Store, and Outputs keeps what agents write in
// files beside it.
//
// What changes often is written with some delay: a process that is killed loses at most
// the last half second of agents that run, and nothing that has been answered of groups,
// of new agents, of ends and of results. A power failure can cost the last of those,
// too, but does not damage the database.
//
// Several processes may have one database open. Each sees all groups, all agents that
// have ended and, with that delay, those that run elsewhere. An agent that has not ended
// is changed by the process that has created it; if others change it nevertheless, as
// they may once that process is gone, the changes of its creator win as long as it lives.
package sqlite
