// Package spool stores the output of a process, so that any part can be read. At the limit the beginning and the end are kept.
//
// Small output stays in memory. More goes to a file, which has no name if the system allows it: no tool can open it, and a crash
// leaves nothing behind. After the limit, the newest output is kept in memory, and the output between is dropped. Offsets include
// dropped bytes.
package spool
