// Package agentclients records the view that real agent programs give a model of an MCP server.
//
// Each program runs with its own configuration in an empty home directory, and with a stand-in for its model on loopback
// (package agentmodel). In one conversation the stand-in calls tools of three servers: cursorcli, as its command install enters it;
// workfiles, which is cursorcli with the tools for files; and a probe, which is the test binary itself. The probe has the results that
// cursorcli lacks, and logs the messages of the program. In other runs, in a pseudo-terminal, the program is interrupted while the
// tool execute_command of cursorcli runs a command.
//
// The recordings are the files testdata/PROGRAM.txt and testdata/PROGRAM.interrupt.txt, without paths, identifiers and times. The
// tables in docs/clients.md follow from them. All are written by
//
//	go test ./internal/test/agentclients -update
//
// The programs are npm packages in the directory programs, with versions fixed by its lock file. Two of them need their install
// scripts:
//
//	npm ci --prefix internal/test/agentclients/programs --ignore-scripts
//	npm rebuild --prefix internal/test/agentclients/programs @anthropic-ai/claude-code opencode-ai
//
// The test of the recordings is skipped without them.
//
// The pictures docs/images/CLIENT.svg are captures of terminals, from the installation of cursorcli to the first answer in three
// clients (package screencast). The flag -update records them, too, in a sandbox of bubblewrap; alone with
//
//	go test ./internal/test/agentclients -run Captures -update
//
// Without the flag a test compares the pictures with the present output of cursorcli.
package agentclients
