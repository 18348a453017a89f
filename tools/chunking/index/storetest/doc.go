// Package storetest tests implementations of index.Store, and builds small source trees
// with an index for other tests.
package storetest
