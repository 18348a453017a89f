// Package replay replays recorded event streams of agents in the format of the Cursor CLI, for
// tests, trials and demonstrations without a real agent. Main is the complete program; the command
// fakeagent calls it.
//
// The text "[fake:NAME]" in the prompt, or the variable FAKEAGENT, selects the recording; README.md
// lists them. FAKEAGENT_SPEED is the factor of the speed, 0 removes all delays. FAKEAGENT_LOGIN=no
// simulates a program without a login. FAKEAGENT_MODELS is a comma-separated list of models.
package replay
