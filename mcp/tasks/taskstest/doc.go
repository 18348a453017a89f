// Package taskstest says in tests what tasks.Store asks for, for those who
// implement it:
//
//	func TestStore(t *testing.T) { taskstest.Run(t, open) }
package taskstest
