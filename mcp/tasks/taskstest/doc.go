// Package taskstest tests implementations of tasks.Store. Run executes all tests:
//
//	func TestStore(t *testing.T) { taskstest.Run(t, open) }
package taskstest
