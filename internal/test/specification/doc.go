// Package specification tests the strict profiles of the programs against the specifications that they implement. Each file in
// testdata holds one specification as a table, whose rows name tools, parameters, result members, error codes, audit
// values, settings and limits, with the section that states them. A row without a check fails the test.
package specification
