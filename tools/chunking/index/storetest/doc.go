// Package storetest says in tests what index.Store asks for, for those who implement
// it, and makes small trees of sources that are indexed.
package storetest
