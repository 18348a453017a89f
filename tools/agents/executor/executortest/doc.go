// Package executortest tests implementations of executor.Executor. [Run] runs the tests of the contract that package
// agents relies on:
//
//   - Events are valid, arrive in order, never concurrently, and none arrives after Run has returned. A session begins
//     with Init and ends with at most one Finished.
//   - Exit matches the events, and an error of Run means that no agent was started.
//   - The end of the context ends Run and all processes of the agent.
//   - A missing program wraps executor.ErrUnavailable, and an unknown model executor.ErrUnknownModel.
//   - Concurrent runs do not mix, and hostile prompts and output do no harm.
//
// A [Harness] describes the executor. The agent program of a test is usually a small replacement, which follows its
// prompt; see Harness for the prompts that it must know. Tests without the necessary field are skipped and name the
// field.
package executortest
