// Package budget limits the bytes that the definitions of the tools take in the context of a model: it measures tools/list and the
// instructions of each program in each of its profiles, and compares them with the tables in testdata.
package budget
