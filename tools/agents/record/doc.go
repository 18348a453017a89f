// Package record holds what a crew knows of its agents, and the interfaces behind
// which that is kept: a Store for groups and agents, a Log for what happens, and
// Outputs for what agents write.
//
// Nothing else is shared between who runs an agent and who asks for it. Memory is
// a Store, and has a Log and Outputs, for one process; package sqlite keeps records
// in a file. What implements the interfaces with a message system lets several
// machines share one crew: package recordtest tests it.
package record
